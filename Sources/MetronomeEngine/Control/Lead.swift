import HardwareAbstraction
import MetronomeCore
import Synchronization

/// How long after a press its effect falls: the first beat after a start, the new tempo or signature after a change.
///
/// It is fixed, so that a hand can get used to it, and as short as the outputs allow, because what they have committed
/// cannot be taken back:
///
/// - without sound 1 ms, in which the beat thread is woken, and the latency of the latest line, which is sent as much
///   before the beat;
/// - with sound no less, and no less than the time that the card's full buffer and the beginning of an interpolated click
///   play, the latency of the clicks, and 2 ms: 24 ms for the standard four periods of 256 frames at 48,000 Hz and clicks
///   that are not late.
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
    duration = OutputSet.all.map { Lead.needed(by: $0, latency: latencies[$0], format) }.max() ?? .zero
  }

  /// How far ahead an output commits.
  private static func needed(by output: Output, latency: Nanoseconds, _ format: AudioFormat?) -> Nanoseconds {
    if Output.lines.contains(output) { return milliseconds(latency, and: 1) }
    guard let format else { return .zero }
    return milliseconds(format.duration(ofFrames: format.bufferFrames + ClickMixer.leadIn) + latency, and: 2)
  }

  private static func milliseconds(_ needed: Nanoseconds, and more: Int64) -> Nanoseconds {
    .milliseconds((needed.count + 999_999) / 1_000_000 + more)
  }

  /// A lead of one's own choice, at least as long as the outputs need.
  public init(duration: Nanoseconds) { self.duration = duration }

  /// When a press takes effect that is acted upon now.
  public func effect(ofPress press: Instant, now: Instant) -> Instant {
    max(press + duration, now + duration - Lead.slack)
  }
}

/// The lead that the outputs need at present: a card that is opened may need another one than the card before.
///
/// Set by whoever opens outputs, and by whoever sets how early they are sent; read by the control loop. Any thread but a
/// real-time one.
public final class SharedLead: Sendable {
  private struct Needs {
    var latencies: OutputLatencies
    /// nil before a card is opened, and when there is to be none.
    var format: AudioFormat?
    var isHeld = false
  }

  private let needs: Mutex<Needs>
  private let nanoseconds: Atomic<Int64>

  /// What is needed before a card is opened, by outputs that are sent so much early.
  public init(latencies: OutputLatencies = .none) {
    needs = Mutex(Needs(latencies: latencies))
    nanoseconds = Atomic(Lead(nil, latencies: latencies).duration.count)
  }

  public var current: Lead { Lead(duration: Nanoseconds(nanoseconds.load(ordering: .acquiring))) }

  /// From now on the lead is this, whatever cards are opened: for outputs beside the engine's own.
  public func hold(_ lead: Lead) {
    needs.withLock { needs in
      needs.isHeld = true
      nanoseconds.store(lead.duration.count, ordering: .releasing)
    }
  }

  /// From now on the lead is what a card with this format needs, until the next one. While there is none it stays, so that
  /// a hand need not get used to another one.
  ///
  /// - Parameter format: nil: there is to be no card any more.
  func fit(_ format: AudioFormat?) { change { $0.format = format } }

  /// From now on the outputs are sent so much early.
  func fit(_ latencies: OutputLatencies) { change { $0.latencies = latencies } }

  private func change(_ change: (inout Needs) -> Void) {
    needs.withLock { needs in
      change(&needs)
      guard !needs.isHeld else { return }
      nanoseconds.store(Lead(needs.format, latencies: needs.latencies).duration.count, ordering: .releasing)
    }
  }
}
