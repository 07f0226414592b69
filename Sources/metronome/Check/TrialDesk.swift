#if LINUX_BOARD
  import Foundation
  import LinuxBoard
  import MetronomeCore

  /// What a person has before them whose box is tried: lines that say what happens, and keys to skip it.
  final class TrialDesk {
    enum Event {
      case deadline
      case readable
      case skipped
    }

    private let signals: SignalWatch
    /// -1 for none, which no poll reports.
    private var keys: Int32
    /// Nothing more is to be tried.
    private var isOver = false

    init(_ signals: SignalWatch) {
      self.signals = signals
      keys = Terminal.hasKeys ? STDIN_FILENO : -1
      if keys >= 0 { say("any key skips what is being tried, q ends it") }
    }

    /// Says what comes.
    ///
    /// - Returns: false if it is over and nothing comes.
    func announce(_ text: String) -> Bool {
      if !isOver { say(text) }
      return !isOver
    }

    func say(_ text: String) { standardError("\(text)\n") }

    /// Waits until an instant, unless something can be read before, or somebody has had enough.
    func wait(until deadline: Instant, or descriptors: [Int32] = []) throws -> Event {
      var wait = DescriptorWait([signals.descriptor, keys] + descriptors)
      guard try wait.wait(until: deadline) else { return .deadline }
      if signals.next() != nil { isOver = true }
      if wait.isReady(keys) { readKeys() } else if !isOver { return .readable }
      return .skipped
    }

    private func readKeys() {
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = read(keys, &bytes, bytes.count)
      if count <= 0 { keys = -1 }
      // Control-C is a key like any other while keys come one by one.
      let ends = [UInt8(ascii: "q"), 3, 4]
      if count <= 0 || bytes[..<count].contains(where: ends.contains) { isOver = true }
    }
  }
#endif
