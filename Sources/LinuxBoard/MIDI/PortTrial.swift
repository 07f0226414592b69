import MetronomeCore

/// Judges whether an open MIDI output accepts what is sent to it, and decides when one that does not is opened again.
///
/// A port may open and still refuse each byte, or accept only as many as its buffer holds, for ever. Such a port is closed, and retried
/// after a pause that doubles each time. It works again when it has sent bytes for a while. A value; times come from outside.
package struct PortTrial: Sendable {
  package static let firstPause = Nanoseconds.seconds(1)
  package static let longestPause = Nanoseconds.seconds(60)
  /// A port that has been open for this time and has sent bytes works.
  package static let probation = Nanoseconds.seconds(10)
  /// A port that refuses all messages for this time does not work.
  package static let patience = Nanoseconds.seconds(2)
  /// More bytes than this wait only at a device that takes none: a serial port sends them in 41 ms, and the longest chord has 50.
  package static let mostQueued = 128

  /// What a port has done since it was opened.
  package struct Record: Hashable, Sendable {
    /// The messages that the port accepted and refused.
    package var accepted: UInt64
    package var refused: UInt64
    /// The bytes that it has accepted but not sent yet.
    package var queued: Int

    package init(accepted: UInt64, refused: UInt64, queued: Int) {
      (self.accepted, self.refused, self.queued) = (accepted, refused, queued)
    }
  }

  package enum Verdict: Hashable, Sendable {
    /// Nothing new is known.
    case open
    case stuck
    /// A port that has failed works again.
    case works
  }

  /// Whether the port has failed, and has not worked since.
  package private(set) var isFailing = false
  /// When the closed port is opened again; nil: at once.
  package private(set) var retry: Instant?
  private var pause = PortTrial.firstPause
  /// When the probation of the open port ends.
  private var end: Instant?
  /// When messages began to be refused, and the record then.
  private var refusal: (since: Instant, accepted: UInt64, refused: UInt64)?
  private var refused: UInt64 = 0

  package init() {}

  /// When to call ``judge(_:at:)`` or to open the port.
  package var deadline: Instant? {
    [end, refusal.map { $0.since + PortTrial.patience }, retry].compactMap(\.self).min()
  }

  /// The port was opened.
  package mutating func opened(at now: Instant) {
    (end, retry, refusal, refused) = (now + PortTrial.probation, nil, nil, 0)
  }

  /// Judges an open port. To be called at the ``deadline``, and whenever a message was refused.
  package mutating func judge(_ record: Record, at now: Instant) -> Verdict {
    if let before = refusal {
      if record.accepted != before.accepted {
        refusal = nil
      } else if now >= before.since + PortTrial.patience {
        if record.refused > before.refused { return .stuck }
        refusal = nil
      }
    }
    if refusal == nil, record.refused > refused { refusal = (now, record.accepted, record.refused) }
    refused = record.refused
    guard let due = end, now >= due else { return .open }
    guard record.accepted > 0 else {
      end = now + PortTrial.probation
      return .open
    }
    if record.queued > PortTrial.mostQueued { return .stuck }
    (end, pause) = (nil, PortTrial.firstPause)
    defer { isFailing = false }
    return isFailing ? .works : .open
  }

  /// The port has failed and is closed. Returns whether this is to be reported.
  package mutating func fail(at now: Instant) -> Bool {
    (end, refusal, retry) = (nil, nil, now + pause)
    pause = min(pause * 2, PortTrial.longestPause)
    defer { isFailing = true }
    return !isFailing
  }
}
