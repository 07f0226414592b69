import HardwareAbstraction
import MetronomeCore

/// How long after a press its effect falls: the first beat after a start, the new tempo or signature after a change.
///
/// It is fixed, so that a hand can get used to it, and as short as the outputs allow, because what they have committed
/// cannot be taken back:
///
/// - without sound 1 ms, in which the beat thread is woken, and the latency of the latest line, which is sent as much
///   before the beat;
/// - with sound no less, and no less than the time that the card's full buffer plays and the latency of the clicks,
///   and 2 ms: 24 ms for the standard four periods of 256 frames at 48,000 Hz and clicks that are not late.
///
/// What the board needs is rounded up to a whole millisecond. A press that was read late, more than ``slack`` after its
/// edge, takes effect as much later.
public struct Lead: Hashable, Sendable {
  /// From the press to its effect.
  public let duration: Nanoseconds
  /// How much of the lead may have passed before the press is acted upon.
  public static let slack = Nanoseconds.microseconds(500)

  /// The lead of a board with this sound format, or without sound, whose outputs are sent so much early.
  public init(_ format: AudioFormat?, latencies: OutputLatencies = .none) {
    let lines = Lead.milliseconds(latencies.ofLines, and: 1)
    let sound = format.map { Lead.milliseconds($0.bufferDuration + latencies.audio, and: 2) }
    duration = max(lines, sound ?? .zero)
  }

  private static func milliseconds(_ needed: Nanoseconds, and more: Int64) -> Nanoseconds {
    .milliseconds((needed.count + 999_999) / 1_000_000 + more)
  }

  /// When a press takes effect that is acted upon now.
  public func effect(ofPress press: Instant, now: Instant) -> Instant {
    max(press + duration, now + duration - Lead.slack)
  }
}
