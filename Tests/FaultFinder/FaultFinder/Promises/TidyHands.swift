import BoardSimulation
import MetronomeCore

/// What hands do that press one button at a time, so that each press is a short one whatever the buttons are for.
struct TidyHands {
  struct Press: Hashable {
    var button: Button
    var down: Instant
    var up: Instant
  }

  /// A short press is shorter by far.
  private static let longest = Nanoseconds.milliseconds(400)

  private(set) var presses: [Press] = []

  /// nil where hands do anything else, or where something befalls the buttons.
  ///
  /// - Parameter lockOuts: the shortest and the longest of those that hold.
  init?(_ script: Script, lockOuts: ClosedRange<Nanoseconds>) {
    // Contacts bounce for 5 ms.
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
