import HardwareAbstraction
import MetronomeCore

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
  private let streams: Slot<AudioStream<Port.Output>>
  /// Other sounds on their way to the playing stream's mixer.
  private let banks: Slot<ClickBank>
  private let observer: Observer
  private let wake: @Sendable (Loop) -> Void
  private let orders = Mailbox<SoundOrder<Port>>()
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
    port: Port?, clock: Clock, sounds: ClickSounds, lead: SharedLead, streams: Slot<AudioStream<Port.Output>>,
    banks: Slot<ClickBank>, observer: Observer, wake: @escaping @Sendable (Loop) -> Void
  ) {
    self.port = port
    self.clock = clock
    self.sounds = sounds
    self.lead = lead
    self.streams = streams
    self.banks = banks
    self.observer = observer
    self.wake = wake
    phase = port == nil ? .off : .waiting(until: clock.now)
  }

  /// Does what is due.
  ///
  /// - Returns: when to call again; nil: when it is woken.
  public func step(at now: Instant) -> Instant? {
    let hasNewCards = readOrders()
    if let stream = streams.takeBack() { settle(stream) }
    if nextPort != nil, streams.object == nil { changePort(at: now) }
    if hasNewCards { hurry(at: now) }
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

  /// Tells that cards have come or gone: what is waited for may be there now. Any thread.
  public func noteThatCardsHaveChanged() { order(.look) }

  /// Lets the clicks that begin from some period on sound otherwise; those that have begun end as they began. The stream goes
  /// on. Any thread.
  public func use(_ sounds: ClickSounds) { order(.play(sounds)) }

  /// Closes the card and opens another one, at another port, or the same one if it means another card by now. Any thread.
  ///
  /// - Parameter port: nil: there is to be no sound. From now on only the keeper uses it.
  public func use(_ port: Port?) { order(.use(port)) }

  /// Closes the card. Once neither the audio loop nor this runs any more.
  public func end() {
    if let stream = streams.recall() { port?.close(stream.output) }
    banks.recall()
  }

  private func order(_ order: SoundOrder<Port>) {
    orders.leave(order, replacing: order.isOfKind)
    wake(.cards)
  }

  /// - Returns: whether cards have come or gone.
  private func readOrders() -> Bool {
    var hasNewCards = false
    for order in orders.takeAll() {
      switch order {
      case .look: hasNewCards = true
      case .play(let sounds):
        self.sounds = sounds
        mixer = nil
        nextSounds = sounds
      case .use(let port):
        nextPort = .some(port)
        guard streams.isLent else { continue }
        streams.askBack()
        wake(.audio)
      }
    }
    return hasNewCards
  }

  /// Frees sounds that are no longer played, and gives the audio loop those that are next. A stream that is yet to be opened
  /// begins with them.
  private func offerSounds() {
    if let bank = banks.takeBack() { streams.object?.mixer.bank = bank }
    guard let sounds = nextSounds, banks.object == nil else { return }
    nextSounds = nil
    guard streams.isLent, let format else { return }
    banks.lend(ClickBank(sounds, format: format))
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
    banks.recall()
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
    streams.lend(stream)
    wake(.audio)
    let now = clock.now
    phase = .playing(since: now)
    observer.plays(on: name, at: now)
    tell(.locking(AudioState.Lock(name: name, ratePPB: 0)), at: now)
  }

  /// A card that slept or ran dry is resumed. Any other failure closes it, and so does a second one within a second, or a
  /// stream that was asked back for another card.
  private func settle(_ stream: AudioStream<Port.Output>) {
    guard let port else { return }
    guard let error = stream.failure, nextPort == nil else {
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
    guard let health = streams.object?.health else { return }
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
