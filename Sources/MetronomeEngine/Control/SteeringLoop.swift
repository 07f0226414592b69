import MetronomeCore

/// A loop that the buttons lead: the metronome's own, or that of its calibration. One at a time has the buttons.
public protocol SteeringLoop: AnyObject {
  /// Reads the buttons and does what they say.
  ///
  /// - Returns: when to call again; nil: not before there are edges to read.
  func step(at now: Instant) -> Instant?

  /// Whether the buttons could be read when it was tried last. While they cannot, it is tried again every second, and
  /// whoever waits for them waits in vain, or is told without end that there is something to read.
  var canReadButtons: Bool { get }
}
