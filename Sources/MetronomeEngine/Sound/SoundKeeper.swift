import HardwareAbstraction
import MetronomeCore
import Synchronization

/// Sees to it that there is a card to play on: opens it, takes it back when it fails, and tries again until it is there.
///
/// A step machine: ``step(at:)`` does what is due and says when it wants to be called next. One thread only, an ordinary one
/// of its own: a card that is broken may keep whoever opens or closes it waiting for seconds.
public final class SoundKeeper<Port: AudioPort, Clock: MonotonicClock, Observer: EngineObserver> {
  /// From a failure to the first attempt, and by what it grows.
  private static var shortestRest: Nanoseconds { .milliseconds(100) }
  /// Between attempts in the long run.
  private static var longestRest: Nanoseconds { .seconds(2) }
  /// A card that has played for so long is worth trying at once when it fails.
  private static var trust: Nanoseconds { .seconds(10) }
  /// From one look at the playing card's clock to the next.
  private static var look: Nanoseconds { .seconds(1) }

  private enum Phase {
    /// There is to be no sound.
    case off
    case playing(since: Instant)
    case waiting(until: Instant)
  }

  /// nil: there is to be no sound.
  private var port: Port?
  private let clock: Clock
  private var sounds: ClickSounds
  private let lead: SharedLead
  private let handover: SoundHandover<Port.Output>
  private let observer: Observer
  private let orders = SoundOrders<Port>()
  private let cardsHaveChanged = Atomic(false)
  /// How often the audio loop was given a stream, or asked to return one: it is to be called after each.
  public private(set) var calls = 0
  private var phase: Phase
  /// What is to take the place of ``port`` as soon as its stream is back; a nil within: nothing.
  private var nextPort: Port??
  /// Sounds that the audio loop is to have as soon as it has returned those before.
  private var nextSounds: ClickSounds?
  /// When the card that plays was woken last.
  private var woken: Instant?
  private var rest = shortestRest
  /// Made for the card that was opened last, with ``sounds``; nil before there was one, and when the sounds are others.
  private var mixer: ClickMixer?
  private var state: AudioState?

  /// - Parameter port: nil: there is to be no sound.
  init(
    port: Port?, clock: Clock, sounds: ClickSounds, lead: SharedLead, handover: SoundHandover<Port.Output>,
    observer: Observer
  ) {
    self.port = port
    self.clock = clock
    self.sounds = sounds
    self.lead = lead
    self.handover = handover
    self.observer = observer
    phase = port == nil ? .off : .waiting(until: clock.now)
  }

  /// Does what is due.
  ///
  /// - Returns: when to call again; nil: when something is asked of it. To be called as well when the audio loop says that it
  ///   needs this.
  public func step(at now: Instant) -> Instant? {
    takeOrders()
    if let (stream, error) = handover.takeBack() { settle(stream, error) }
    if nextPort != nil, !handover.hasStream, !handover.isReturned { changePort(at: now) }
    if cardsHaveChanged.exchange(false, ordering: .relaxed) { hurry(at: now) }
    if case .waiting(let instant) = phase, now >= instant { open() }
    offerSounds()
    switch phase {
    case .off: return nil
    case .waiting(let instant): return instant
    case .playing:
      if nextPort == nil { lookAtClock(at: now) }
      return now + SoundKeeper.look
    }
  }

  /// Tells that cards have come or gone: what is waited for may be there now. Any thread; the step is to be called after it.
  public func noteThatCardsHaveChanged() { cardsHaveChanged.store(true, ordering: .relaxed) }

  /// Lets the clicks that begin from some period on sound otherwise; those that have begun end as they began. The stream goes
  /// on. Any thread; the step is to be called after it.
  public func use(_ sounds: ClickSounds) { orders.leave(sounds) }

  /// Gives the card back and has another one, at another port, or the same one if it means another card by now. Any
  /// thread; the step is to be called after it.
  ///
  /// - Parameter port: nil: there is to be no sound. From now on only the keeper uses it.
  public func use(_ port: Port?) { orders.leave(port) }

  /// Gives the card back. Once neither the audio loop nor this runs any more.
  public func end() {
    if let stream = handover.recall() { port?.close(stream.output) }
  }

  private func takeOrders() {
    if let sounds = orders.takeSounds() {
      self.sounds = sounds
      mixer = nil
      nextSounds = sounds
    }
    guard let port = orders.takePort() else { return }
    nextPort = .some(port)
    guard handover.hasStream else { return }
    handover.askBack()
    calls += 1
  }

  /// Lets go of sounds that are no longer played, and gives the audio loop those that are next. A stream that is yet to be
  /// opened begins with them.
  private func offerSounds() {
    if handover.exchange.isReturned { handover.exchange.clear() }
    guard let sounds = nextSounds, !handover.exchange.isUnderWay else { return }
    nextSounds = nil
    guard handover.hasStream, let format else { return }
    handover.exchange.offer(ClickBank(sounds, format: format))
  }

  private func changePort(at now: Instant) {
    guard let port = nextPort else { return }
    nextPort = nil
    self.port = port
    rest = SoundKeeper.shortestRest
    if port == nil {
      phase = .off
      lead.fit(nil as AudioFormat?)
      if state != nil { tell(.off, at: now) }
    } else {
      phase = .waiting(until: now)
    }
  }

  private func open() {
    guard let port else { return }
    do throws(HardwareError) {
      let output = try port.open()
      woken = nil
      play(AudioStream(output, mixer: mixer(for: output.format)))
    } catch {
      tryAgainLater(after: error)
    }
  }

  /// Of the card that was opened last.
  private var format: AudioFormat?

  /// A silent mixer. That of the card before, if it will do: to make the sounds for a rate anew takes its time.
  private func mixer(for format: AudioFormat) -> ClickMixer {
    self.format = format
    nextSounds = nil
    handover.exchange.clear()
    if let mixer, mixer.format == format {
      mixer.silence()
      return mixer
    }
    let mixer = ClickMixer(format: format, sounds: sounds)
    self.mixer = mixer
    return mixer
  }

  private func play(_ stream: AudioStream<Port.Output>) {
    // Before anything of the stream is committed: presses from now on leave it the time that it needs.
    lead.fit(stream.output.format)
    handover.offer(stream)
    calls += 1
    let now = clock.now
    phase = .playing(since: now)
    observer.plays(on: name, at: now)
    tell(.locking(AudioState.Lock(name: name, ratePPB: 0)), at: now)
  }

  /// A card that slept or ran dry is resumed. Any other failure closes it, and so does sleep that comes back within a second.
  ///
  /// - Parameter error: nil: nothing is the matter with the card, but it is to be another one.
  private func settle(_ stream: AudioStream<Port.Output>, _ error: HardwareError?) {
    guard let port else { return }
    guard let error, nextPort == nil else {
      port.close(stream.output)
      return
    }
    if case .playing(let since) = phase, clock.now - since >= SoundKeeper.trust { rest = SoundKeeper.shortestRest }
    do throws(HardwareError) {
      switch error.kind {
      case .underrun: break
      case .suspended where woken.map({ clock.now - $0 >= SoundKeeper.look }) ?? true: woken = clock.now
      default: throw error
      }
      try port.resume(stream.output)
      stream.beginAnew(hasRunDry: error.kind == .underrun)
      play(stream)
    } catch {
      port.close(stream.output)
      tryAgainLater(after: error)
    }
  }

  private func tryAgainLater(after error: HardwareError) {
    let now = clock.now
    phase = .waiting(until: now + rest)
    rest = min(rest * 2, SoundKeeper.longestRest)
    tell(.waiting(for: name, AbsenceOfSound(error)), at: now)
  }

  /// What has come is given a moment to get its rights.
  private func hurry(at now: Instant) {
    guard case .waiting(let instant) = phase else { return }
    rest = SoundKeeper.shortestRest
    phase = .waiting(until: min(instant, now + rest))
  }

  private func lookAtClock(at now: Instant) {
    let health = handover.health
    let lock = AudioState.Lock(name: name, ratePPB: health.ratePPB)
    tell(health.isLocked ? .locked(lock) : .locking(lock), at: now)
  }

  private var name: String { port?.name ?? "" }

  private func tell(_ state: AudioState, at now: Instant) {
    let isNews = self.state.map { !state.isSameKind(as: $0) } ?? true
    self.state = state
    if isNews { observer.changed(to: state, at: now) } else { observer.measured(state, at: now) }
  }
}
