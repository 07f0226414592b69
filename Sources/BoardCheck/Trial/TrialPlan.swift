import HardwareAbstraction
import MetronomeCore

extension BoardFacts {
  /// What of a wiring can be tried: without the lines that are not there, in use, or wired to twice.
  public func wiringToTry(_ wiring: Wiring) -> Wiring {
    let lines = gpio?.failure == nil ? gpio?.lines ?? [] : []
    let offsets = lines.compactMap(\.offset)
    let good = lines.filter { line in
      line.offset != nil && line.holder == nil && offsets.filter { $0 == line.offset }.count == 1
    }
    let roles = Set(good.map(\.role))
    return Wiring(
      chip: wiring.chip, outputs: wiring.outputs.filter { roles.contains($0.key.rawValue) },
      buttons: wiring.buttons.filter { roles.contains($0.key.rawValue) })
  }

  /// What to say of what cannot be tried.
  public func untried(_ role: String) -> Finding {
    let isPlaying = gpio?.lines.contains { $0.role == role && $0.holder == "metronome" } ?? false
    return .doubtful(
      .trial, role, "cannot be tried: \(isPlaying ? "the running metronome has its line" : "see its line above")",
      remedy: isPlaying
        ? "sudo systemctl stop metronome, or end the other metronome; then again" : "mend its line first")
  }

  /// Whether the card that is asked for let itself be opened.
  public var hasCard: Bool {
    if case .opened = sound?.outcome { return true }
    return false
  }

  /// Where the configuration is to be changed.
  public var fileToChange: String { configurationFile }
}
