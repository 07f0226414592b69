import Foundation

/// Log lines on standard error: for a person on a terminal, or for systemd with the priorities of sd-daemon(3).
struct Log {
  enum Priority: Int {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
  }

  private let isTerminal = isatty(STDERR_FILENO) == 1

  func callAsFunction(_ priority: Priority, _ text: String) {
    standardError((isTerminal ? "" : "<\(priority.rawValue)>") + "metronome: \(text)\n")
  }
}
