import HardwareAbstraction
import MetronomeCore

/// Opens the sound card, closes it after a failure, and retries until it can be opened again.
///
/// Runs on its own thread, not a real-time one: opening or closing a broken card may block for seconds.
public final class CardManager<Port: AudioPort, Clock: MonotonicClock, Observer: EngineObserver> {
  /// The delay from a failure to the first retry; it doubles with each retry.
  private static var shortestDelay: Nanoseconds { .milliseconds(100) }
  private static var longestDelay: Nanoseconds { .seconds(2) }
  /// After a card has played for this long, a failure resets the retry delay.
  private static var trustedAfter: Nanoseconds { .seconds(10) }
  /// The interval between readings of the playing card's clock.
  private static var clockInterval: Nanoseconds { .seconds(1) }

  private enum Phase {
    case off
    case playing(since: Instant)
    case waiting(until: Instant)
  }

  /// nil: no sound.
  private var port: Port?
  private let clock: Clock
  private var sounds: ClickSounds
  private let lead: SharedLead
  /// Which of the cards it opens.
  private let output: Output
  private let streams: Slot<AudioStream<Port.Output>>
  /// New sounds for the playing stream's mixer.
  private let banks: Slot<ClickBank>
  private let observer: Observer
  private let wake: Waker
  private let orders = Mailbox<CardOrder<Port>>()
  private var phase: Phase
  /// The port that replaces ``port`` once the stream is returned; `.some(nil)` means no port.
  private var nextPort: Port??
  /// The next sounds for the audio loop, once it has returned the previous ones.
  private var nextSounds: ClickSounds?
  /// When the playing card was last resumed from suspend.
  private var lastResume: Instant?
  private var retryDelay = shortestDelay
  /// The mixer of the last opened card, with ``sounds``; nil before the first card, and after the sounds changed.
  private var mixer: ClickMixer?
  private var state: AudioState?

  init(
    port: Port?, output: Output, clock: Clock, sounds: ClickSounds, lead: SharedLead,
    streams: Slot<AudioStream<Port.Output>>, banks: Slot<ClickBank>, observer: Observer, wake: Waker
  ) {
    self.port = port
    self.output = output
    self.clock = clock
    self.sounds = sounds
    self.lead = lead
    self.streams = streams
    self.banks = banks
    self.observer = observer
    self.wake = wake
    phase = port == nil ? .off : .waiting(until: clock.now)
  }

  /// Carries out orders and retries. Returns when to call again; nil: only when woken.
  public func step(at now: Instant) -> Instant? {
    let hasNewCards = readOrders()
    if let stream = streams.reclaim() { resumeOrClose(stream) }
    if nextPort != nil, streams.object == nil { changePort(at: now) }
    if hasNewCards { retrySoon(at: now) }
    if case .waiting(let instant) = phase, now >= instant { open() }
    offerSounds()
    switch phase {
    case .off: return nil
    case .waiting(let instant): return instant
    case .playing:
      if nextPort == nil { reportClock(at: now) }
      return now + CardManager.clockInterval
    }
  }

  /// Retries soon, because cards were plugged in or unplugged. Any thread.
  public func cardsChanged() { order(.cardsChanged) }

  /// Changes the sounds of future clicks; the stream continues. Any thread.
  public func use(_ sounds: ClickSounds) { order(.play(sounds)) }

  /// Closes the card and opens a card at this port, which may be the same port with another card; nil turns sound off. From now
  /// on only the card manager may use the port. Any thread.
  public func use(_ port: Port?) { order(.use(port)) }

  /// Closes the card. Call it after the audio loop and the card manager have stopped.
  public func end() {
    if let stream = streams.recall() { port?.close(stream.output) }
    banks.recall()
  }

  private func order(_ order: CardOrder<Port>) {
    orders.post(order, replacing: order.isOfKind)
    wake(.cards)
  }

  /// Carries out pending orders. Returns whether cards were plugged in or unplugged.
  private func readOrders() -> Bool {
    var hasNewCards = false
    for order in orders.drain() {
      switch order {
      case .cardsChanged: hasNewCards = true
      case .play(let sounds):
        self.sounds = sounds
        mixer = nil
        nextSounds = sounds
      case .use(let port):
        nextPort = .some(port)
        guard streams.isLent else { continue }
        streams.requestReturn()
        wake(.audio)
      }
    }
    return hasNewCards
  }

  /// Frees sounds that are no longer played, and lends the audio loop the next sounds. A stream opened later starts with these.
  private func offerSounds() {
    if let bank = banks.reclaim() {
      streams.object?.mixer.bank = bank
      // The last word of the old sounds has ended.
      lead.fit(onset: bank.longestOnset)
    }
    guard let sounds = nextSounds, banks.object == nil else { return }
    nextSounds = nil
    guard streams.isLent, let format = streams.object?.format else { return }
    let bank = ClickBank(sounds, format: format)
    // Set the lead before any word begins, so that later presses respect it.
    lead.raise(onset: bank.longestOnset)
    banks.lend(bank)
  }

  private func changePort(at now: Instant) {
    guard let port = nextPort else { return }
    nextPort = nil
    self.port = port
    retryDelay = CardManager.shortestDelay
    if port == nil {
      phase = .off
      lead.fit(nil as AudioFormat?, on: output)
      if state != nil { report(.off, at: now) }
    } else {
      phase = .waiting(until: now)
    }
  }

  private func open() {
    guard let port else { return }
    do throws(HardwareError) {
      let output = try port.open()
      lastResume = nil
      play(AudioStream(output, mixer: mixer(for: output.format)))
    } catch {
      retryLater(after: error)
    }
  }

  /// A silent mixer with the newest sounds. Reuses the previous mixer if the format is the same, because preparing the sounds
  /// takes time.
  private func mixer(for format: AudioFormat) -> ClickMixer {
    nextSounds = nil
    banks.recall()
    lead.fit(onset: sounds.longestOnset)
    if let mixer, mixer.format == format {
      mixer.silence()
      return mixer
    }
    let mixer = ClickMixer(format: format, sounds: sounds)
    self.mixer = mixer
    return mixer
  }

  private func play(_ stream: AudioStream<Port.Output>) {
    // Set the lead before any frame is committed, so that later presses respect this card's lead.
    lead.fit(stream.output.format, on: output)
    streams.lend(stream)
    wake(.audio)
    let now = clock.now
    phase = .playing(since: now)
    observer.plays(on: name, at: now)
    report(.locking(AudioState.Lock(name: name, ratePPB: 0)), at: now)
  }

  /// Resumes a card after suspend or underrun. Closes it after other failures, a second suspend within 1 s, or a port change.
  private func resumeOrClose(_ stream: AudioStream<Port.Output>) {
    guard let port else { return }
    guard let error = stream.failure, nextPort == nil else {
      port.close(stream.output)
      return
    }
    if case .playing(let since) = phase, clock.now - since >= CardManager.trustedAfter {
      retryDelay = CardManager.shortestDelay
    }
    do throws(HardwareError) {
      switch error.kind {
      case .underrun: break
      case .suspended where lastResume.map({ clock.now - $0 >= CardManager.clockInterval }) ?? true:
        lastResume = clock.now
      default: throw error
      }
      try port.resume(stream.output)
      stream.reset(afterUnderrun: error.kind == .underrun)
      play(stream)
    } catch {
      port.close(stream.output)
      retryLater(after: error)
    }
  }

  private func retryLater(after error: HardwareError) {
    let now = clock.now
    phase = .waiting(until: now + retryDelay)
    retryDelay = min(retryDelay * 2, CardManager.longestDelay)
    report(.waiting(for: name, AudioAbsence(error)), at: now)
  }

  /// A card just plugged in needs a moment until udev has set its permissions.
  private func retrySoon(at now: Instant) {
    guard case .waiting(let instant) = phase else { return }
    retryDelay = CardManager.shortestDelay
    phase = .waiting(until: min(instant, now + retryDelay))
  }

  private func reportClock(at now: Instant) {
    guard let health = streams.object?.health else { return }
    let lock = AudioState.Lock(name: name, ratePPB: health.ratePPB)
    report(health.isLocked ? .locked(lock) : .locking(lock), at: now)
  }

  private var name: String { port?.name ?? "" }

  private func report(_ state: AudioState, at now: Instant) {
    let isOtherKind = self.state.map { !state.isSameKind(as: $0) } ?? true
    self.state = state
    if isOtherKind { observer.changed(to: state, at: now) } else { observer.measured(state, at: now) }
  }
}
