import Synchronization

/// Hands other sounds from the sound keeper, which makes them, to the audio loop, which plays them, and hands back those that
/// they replace: the audio loop has no time to let go of them.
///
/// There is one exchange at a time. Each thing in it belongs to one of the two, as ``stage`` says: no lock, and neither
/// waits for the other.
final class BankExchange: Sendable {
  private enum Stage: UInt8, AtomicRepresentable {
    /// The keeper may offer.
    case idle
    /// The audio loop may take.
    case offered
    /// The audio loop has both, the old ones for as long as they ring.
    case taken
    /// The old ones are the keeper's again.
    case returned
  }

  private let stage = Atomic(Stage.idle)
  // Unsafe to the compiler, which does not know that ``stage`` orders the two: only whose turn it says it is touches them,
  // and each hands over with a release that the other's acquire sees.
  private nonisolated(unsafe) var fresh: ClickBank?
  private nonisolated(unsafe) var old: ClickBank?

  // MARK: The keeper's side

  /// Whether an exchange is under way, and who has the sounds is not for the keeper to say.
  var isUnderWay: Bool {
    let stage = stage.load(ordering: .acquiring)
    return stage == .offered || stage == .taken
  }

  /// Whether sounds have come back.
  var isReturned: Bool { stage.load(ordering: .acquiring) == .returned }

  /// Offers the audio loop other sounds. None are under way.
  func offer(_ bank: ClickBank) {
    fresh = bank
    stage.store(.offered, ordering: .releasing)
  }

  /// Lets go of what is no longer played. To be called when it has come back, or when the audio loop has no stream.
  func clear() {
    fresh = nil
    old = nil
    stage.store(.idle, ordering: .relaxed)
  }

  // MARK: The audio loop's side

  /// Lets a mixer play what is offered, and returns what it has played to the end.
  func serve(_ mixer: ClickMixer) {
    switch stage.load(ordering: .acquiring) {
    case .idle, .returned: return
    case .offered: handOver(to: mixer)
    case .taken: takeBack(from: mixer)
    }
  }

  // Apart from what is done in every period: references change hands here, and are counted.

  @inline(never)
  private func handOver(to mixer: ClickMixer) {
    guard let fresh else { return }
    mixer.take(fresh)
    stage.store(.taken, ordering: .relaxed)
  }

  @inline(never)
  private func takeBack(from mixer: ClickMixer) {
    guard let bank = mixer.retire() else { return }
    old = bank
    stage.store(.returned, ordering: .releasing)
  }
}
