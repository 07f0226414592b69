import HardwareAbstraction
import MetronomeCore
import Synchronization

/// How long after a press its effect falls: the first beat after a start, the new tempo or signature after a change.
///
/// It is fixed, so that a hand can get used to it, and as short as the outputs allow, because what they have committed
/// cannot be taken back:
///
/// - without sound 1 ms, in which the beat thread is woken;
/// - with sound the time that the card's full buffer and the beginning of an interpolated click play, rounded up to a whole
///   millisecond, and 2 ms: 24 ms for the standard four periods of 256 frames at 48,000 Hz.
///
/// A press that was read late, more than ``slack`` after its edge, takes effect as much later.
public struct Lead: Hashable, Sendable {
  /// From the press to its effect.
  public let duration: Nanoseconds
  /// How much of the lead may have passed before the press is acted upon.
  public static let slack = Nanoseconds.microseconds(500)

  /// The lead of a board with this sound format, or without sound.
  public init(_ format: AudioFormat?) {
    guard let format else {
      duration = .milliseconds(1)
      return
    }
    let committed = format.duration(ofFrames: format.bufferFrames + ClickMixer.leadIn)
    duration = .milliseconds((committed.count + 999_999) / 1_000_000 + 2)
  }

  init(duration: Nanoseconds) { self.duration = duration }

  /// When a press takes effect that is acted upon now.
  public func effect(ofPress press: Instant, now: Instant) -> Instant {
    max(press + duration, now + duration - Lead.slack)
  }
}

/// The lead that the outputs need at present: a card that is opened may need another one than the card before.
///
/// Set by whoever opens outputs, read by the control loop; any thread.
public final class SharedLead: Sendable {
  private let nanoseconds: Atomic<Int64>

  /// - Parameter lead: what is needed before a card is opened.
  public init(_ lead: Lead = Lead(nil)) { nanoseconds = Atomic(lead.duration.count) }

  public var current: Lead { Lead(duration: Nanoseconds(nanoseconds.load(ordering: .acquiring))) }

  /// From now on the lead is what a card with this format needs, until the next one. While there is none it stays, so that
  /// a hand need not get used to another one.
  func fit(_ format: AudioFormat) { nanoseconds.store(Lead(format).duration.count, ordering: .releasing) }
}
