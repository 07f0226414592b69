import BoardSimulation
import MetronomeCore

/// Presses of one button at a time, each short enough to be a short press under any binding.
struct TidyHands {
  struct Press: Hashable {
    var button: Button
    var down: Instant
    var up: Instant
  }

  /// Well below the length of a long press.
  private static let longest = Nanoseconds.milliseconds(400)

  private(set) var presses: [Press] = []

  /// Returns nil if the script contains any other press, or a fault that affects the buttons.
  ///
  /// - Parameter lockOuts: the shortest and the longest lock-out of all configurations.
  init?(_ script: Script, lockOuts: ClosedRange<Nanoseconds>) {
    // Simulated contacts bounce for 5 ms.
    guard lockOuts.lowerBound > .milliseconds(5) else { return nil }
    let lockOut = lockOuts.upperBound
    guard script.devices.isEmpty, script.chipActions(from: .zero).isEmpty else { return nil }
    var down: ButtonEdge?
    var lastUp: Instant?
    for edge in script.edges(from: .zero) {
      switch edge.direction {
      case .down:
        guard down == nil else { return nil }
        if let lastUp, edge.instant - lastUp < lockOut + lockOut + .milliseconds(20) { return nil }
        down = edge
      case .up:
        guard let start = down, start.button == edge.button else { return nil }
        let held = edge.instant - start.instant
        guard held >= lockOut + .milliseconds(6), held <= TidyHands.longest else { return nil }
        presses.append(Press(button: edge.button, down: start.instant, up: edge.instant))
        down = nil
        lastUp = edge.instant
      }
    }
    guard down == nil else { return nil }
    for reload in script.reloads where isHeld(at: .zero + reload.time, around: lockOut) { return nil }
  }

  private func isHeld(at instant: Instant, around lockOut: Nanoseconds) -> Bool {
    presses.contains { $0.down <= instant && instant <= $0.up + lockOut + .milliseconds(10) }
  }
}
