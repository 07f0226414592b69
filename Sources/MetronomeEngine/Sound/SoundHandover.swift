import HardwareAbstraction
import MetronomeCore
import Synchronization

/// Hands a stream from the sound keeper, which opens cards, to the audio loop, which plays them, and back.
///
/// There is one place for it, and one of the two has it: no lock, and neither waits for the other.
final class SoundHandover<Output: AudioOutput>: Sendable {
  private let place = Atomic(Place.empty)
  // Unsafe to the compiler, which does not know that ``place`` orders the four: only whose turn it says it is touches them,
  // and each hands over with a release that the other's acquire sees. A lock would do it too, and could keep the real-time
  // thread waiting.
  private nonisolated(unsafe) var stream: AudioStream<Output>?
  private nonisolated(unsafe) var failure: HardwareError?
  /// The stream and its card as the audio loop has them: ``stream`` keeps both alive, and to read it there would count a
  /// reference on the real-time thread.
  private nonisolated(unsafe) var lent: Unmanaged<AudioStream<Output>>?
  private nonisolated(unsafe) var lentOutput: Unmanaged<Output>?
  private let isAskedBack = Atomic(false)
  /// Other sounds on their way to the stream's mixer.
  let exchange = BankExchange()
  private let ratePPB = Atomic<Int64>(0)
  private let isLocked = Atomic<Bool>(false)

  // MARK: The keeper's side

  /// Whether the audio loop has a stream to play.
  var hasStream: Bool { place.load(ordering: .acquiring) == .playing }

  /// Whether a stream has come back.
  var isReturned: Bool { place.load(ordering: .acquiring) == .returned }

  /// What the playing stream's clock was last seen to be like.
  var health: (isLocked: Bool, ratePPB: Int64) {
    (isLocked.load(ordering: .relaxed), ratePPB.load(ordering: .relaxed))
  }

  /// Gives the audio loop a stream. The place is empty.
  func offer(_ stream: AudioStream<Output>) {
    isLocked.store(false, ordering: .relaxed)
    ratePPB.store(0, ordering: .relaxed)
    self.stream = stream
    lent = .passUnretained(stream)
    lentOutput = .passUnretained(stream.output)
    place.store(.playing, ordering: .releasing)
  }

  /// Asks the audio loop to return the stream though nothing is the matter with it. It does with its next step.
  func askBack() { isAskedBack.store(true, ordering: .relaxed) }

  /// Takes back what the audio loop returned, and why; nil: it was asked to.
  func takeBack() -> (AudioStream<Output>, HardwareError?)? {
    guard isReturned, let stream else { return nil }
    let failure = failure
    empty()
    return (stream, failure)
  }

  /// Takes back the stream whoever has it. Once no audio loop runs any more.
  func recall() -> AudioStream<Output>? {
    defer { empty() }
    return stream
  }

  private func empty() {
    stream = nil
    lent = nil
    lentOutput = nil
    failure = nil
    isAskedBack.store(false, ordering: .relaxed)
    place.store(.empty, ordering: .relaxed)
  }

  // MARK: The audio loop's side

  /// What is to be played: good until it is given back.
  var playing: Unmanaged<AudioStream<Output>>? { hasStream ? lent : nil }

  /// Its card.
  var output: Unmanaged<Output>? { hasStream ? lentOutput : nil }

  /// Whether the stream is to be returned.
  var isWantedBack: Bool { isAskedBack.load(ordering: .relaxed) }

  /// Returns the stream.
  ///
  /// - Parameter error: how its card failed; nil: it did not.
  func giveBack(_ error: HardwareError?) {
    failure = error
    place.store(.returned, ordering: .releasing)
  }

  func tell(_ health: StreamClock.Health) {
    ratePPB.store(health.ratePPB, ordering: .relaxed)
    isLocked.store(health.isLocked, ordering: .relaxed)
  }
}

/// Who has the stream.
private enum Place: UInt8, AtomicRepresentable {
  /// The keeper.
  case empty
  /// The audio loop.
  case playing
  /// The keeper again; it is to see to it.
  case returned
}

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
