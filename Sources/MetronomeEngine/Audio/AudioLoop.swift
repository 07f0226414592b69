import HardwareAbstraction
import MetronomeCore

/// Keeps the sound card's buffer filled, and starts each click at the frame that is played at the beat's instant.
///
/// Runs on one thread, which is real-time on the real board: no allocation, no lock. Uses the card that the card manager lends.
public final class AudioLoop<Output: AudioOutput, Clock: MonotonicClock, Observer: EngineObserver> {
  /// How late a click may be and still sound. A click is late if the clock estimate has moved since the last period.
  private static var tolerance: Nanoseconds { .milliseconds(1) }

  /// A frame long before all others.
  private static var never: Int64 { .min / 2 }

  private let streams: Slot<AudioStream<Output>>
  private let banks: Slot<ClickBank>
  private let clock: Clock
  private let publication: TimelinePublication
  private let plan: OutputPlan
  /// Which of the cards it feeds.
  private let card: HardwareAbstraction.Output
  private let observer: Observer
  private let wake: Waker

  // Allocated separately, so that the loop uses them in place without copying.
  private let timeline = UnsafeMutablePointer<Timeline>.allocate(capacity: 1)
  private let voices = UnsafeMutablePointer<VoiceHits>.allocate(capacity: Rhythm.maxVoices)
  // Exclusivity checks are off: one thread, no re-entrancy.
  @exclusivity(unchecked) private var lookup: BeatLookup
  @exclusivity(unchecked) private var seen: UInt64 = 0
  /// The number of the next beat to click.
  @exclusivity(unchecked) private var nextIndex: Int64 = 0
  /// The beats whose numbers are spoken, although the next beat to click may be an earlier one.
  @exclusivity(unchecked) private var spoken = SpokenBeats()
  /// The slots between beats that were decided, and the spoken ones among them.
  @exclusivity(unchecked) private var slots = VoiceHits()
  @exclusivity(unchecked) private var syllables = SpokenSlots()
  /// Whether no click of the session was placed or skipped, and where the last click of the sessions before it begins.
  @exclusivity(unchecked) private var isNewSession = false
  @exclusivity(unchecked) private var lastOnset = AudioLoop.never
  /// Whether the card accepted frames in the last step. Then the card is full, and notifies when it has free space again.
  @exclusivity(unchecked) private var wrote = false
  public var hasWritten: Bool { wrote }
  @exclusivity(unchecked) private var projections = Projections()
  @exclusivity(unchecked) private var seenPlan: UInt64 = 0
  /// The card's own projection. A copy, because reading it from the projections for each click costs more.
  @exclusivity(unchecked) private var projection: Projection
  /// The latency used for the clicks of the previous period.
  @exclusivity(unchecked) private var latency: Nanoseconds?

  init(
    output: HardwareAbstraction.Output, streams: Slot<AudioStream<Output>>, banks: Slot<ClickBank>, clock: Clock,
    publication: TimelinePublication, plan: OutputPlan, observer: Observer, wake: Waker
  ) {
    card = output
    projection = Projection(output)
    self.streams = streams
    self.banks = banks
    self.clock = clock
    self.publication = publication
    self.plan = plan
    self.observer = observer
    self.wake = wake
    timeline.initialize(to: .stopped)
    lookup = BeatLookup(timeline)
    voices.initialize(repeating: VoiceHits(), count: Rhythm.maxVoices)
  }

  deinit {
    timeline.deallocate()
    voices.deallocate()
  }

  /// The playing card, for the thread that steps this loop. Valid until the next step.
  public var output: Unmanaged<Output>? {
    guard let stream = streams.borrowed else { return nil }
    return stream._withUnsafeGuaranteedRef { $0.unretainedOutput }
  }

  /// Writes as many frames as the card accepts. Returns when a period will be free, or soon if it accepts none; nil: no card.
  public func step(at now: Instant) -> Instant? {
    wrote = false
    guard let stream = streams.borrowed else { return nil }
    if streams.isReturnRequested {
      returnStream()
      return nil
    }
    return stream._withUnsafeGuaranteedRef { feed($0, at: now) }
  }

  private func feed(_ stream: AudioStream<Output>, at now: Instant) -> Instant? {
    readPublications(stream)
    if let bank = banks.borrowed { changeSounds(of: stream.mixer, to: bank) }
    do throws(HardwareError) {
      return try play(stream, at: now)
    } catch {
      returnFailed(stream, error, at: now)
      return nil
    }
  }

  // Out of line: the only reference counting on this path, and the only wake-ups of other loops.

  @inline(never)
  private func returnFailed(_ stream: AudioStream<Output>, _ error: consuming HardwareError, at now: Instant) {
    observer.failed(error, at: now)
    stream.failure = error
    returnStream()
  }

  @inline(never)
  private func returnStream() {
    streams.returnBorrowed()
    wake(.cards)
  }

  /// Switches new clicks to another bank's samples. Once no click of the old bank sounds, returns the slot to the card manager,
  /// which may then free the old bank.
  @inline(never)
  private func changeSounds(of mixer: ClickMixer, to bank: Unmanaged<ClickBank>) {
    if !mixer.isChanging {
      mixer.begin(with: bank._withUnsafeGuaranteedRef { $0.readable })
    } else if mixer.endChange() {
      banks.returnBorrowed()
      wake(.cards)
    }
  }

  private func readPublications(_ stream: AudioStream<Output>) {
    if plan.read(into: &projections, seen: &seenPlan) { projection = projections[card] }
    stream.mixer.change(gain: projection.gain)
    let session = timeline.pointee.session
    guard publication.read(into: &timeline.pointee, seen: &seen) else { return }
    lookup = BeatLookup(timeline)
    for voice in 0..<Rhythm.maxVoices { voices[voice].forget() }
    slots.forget()
    guard timeline.pointee.session != session else { return }
    stream.mixer.stop()
    isNewSession = true
    nextIndex = 0
    forgetWords()
    voices.update(repeating: VoiceHits(), count: Rhythm.maxVoices)
  }

  private func play(_ stream: AudioStream<Output>, at now: Instant) throws(HardwareError) -> Instant {
    let (status, lost) = try stream.readPosition(clock.pair, at: now)
    if lost > 0 { observer.underran(frames: lost, at: now) }
    let next = try stream.fill(status) {
      placeClicks(in: stream, periodAt: $0, at: now)
      stream.before = .sound
    }
    wrote = next > status.frame
    let format = stream.format
    let deadline = stream.clock.instant(ofFrame: next - Int64(format.bufferFrames - format.periodFrames))
    return deadline > now ? deadline : now + format.periodDuration / 4
  }

  /// Starts every click of the period whose first frame is `start`.
  private func placeClicks(in stream: AudioStream<Output>, periodAt start: Int64, at now: Instant) {
    let latency = projection.latency
    let growth = max(.zero, latency - (self.latency ?? latency))
    self.latency = latency
    guard let oldest = lookup.oldest else { return }
    // The timeline may have discarded beats while this loop did not run. They count as missed, too.
    var first = max(nextIndex, timeline.pointee.first)
    nextIndex = max(nextIndex, oldest)
    let audible = stream.clock.instant(ofFrame: start) + latency
    let inTime = firstInTime(audible, in: stream, growth: growth)
    if isNewSession, clicksLateStart(in: stream, periodAt: start, inTime: inTime) { first = nextIndex }
    isNewSession = false
    if stream.before != .sound { lastOnset = AudioLoop.never }
    skipMissedClicks(before: inTime)
    // Without a card no clicks are counted as missed.
    if first < nextIndex, stream.before != .absence { observer.missed(clicks: nextIndex - first, at: now) }
    // An interpolated click begins a little before its onset.
    let end = start + Int64(stream.format.periodFrames + ClickMixer.leadIn)
    startWords(in: stream, start, end, inTime: inTime)
    while true {
      let beat = lookup.beat(nextIndex)
      guard let onset = onset(of: beat.instant, in: stream, start, end) else { break }
      nextIndex += 1
      if projection.isMuted || beat.level == .rest || beat.isSilent { continue }
      click(beat, in: stream, at: onset, periodAt: start)
    }
    for voice in 0..<lookup.voices { placeHits(of: voice, in: stream, start, end, inTime: inTime) }
  }

  /// Starts a beat's click. If a click of the session before is as near to a session's first beat as 10 ms, or later, it is the click of
  /// this beat: the source has repeated a part. It is written already, or only its lead-in is.
  private func click(_ beat: Beat, in stream: AudioStream<Output>, at onset: FramePosition, periodAt start: Int64) {
    let place = stream.clock.frame(at: beat.instant - projection.latency).whole
    let isKnown = isSteeredStart(beat) && lastOnset > place - Int64(stream.format.rate / 100)
    if isKnown, lastOnset < start { return }
    if isKnown { stream.mixer.removeLeadIns() }
    if !spoken.contains(beat.index) {
      stream.mixer.start(
        beat.level, set: beat.set ?? projection.set, beat: beat.position + 1, gain: beat.gain,
        source: ClickRoutes.Source(beat.level, isCountedIn: beat.isCountedIn),
        atFrame: Int(onset.whole - start), fraction: onset.fraction)
    }
    lastOnset = onset.whole
    if !isKnown { observer.placed(beat.level, isCountedIn: beat.isCountedIn, at: onset) }
  }

  /// Whether an external source has started the session with this beat.
  private func isSteeredStart(_ beat: Beat) -> Bool {
    beat.index == timeline.pointee.first && TimelineView(timeline).isSteered
  }

  /// Clicks the first beat of a session at once, if it is so soon that its frames are written already: an external source has
  /// started it. Returns whether it has.
  private func clicksLateStart(in stream: AudioStream<Output>, periodAt start: Int64, inTime: Instant) -> Bool {
    let beat = lookup.beat(max(nextIndex, timeline.pointee.first))
    guard stream.before == .sound, beat.instant < inTime, isSteeredStart(beat) else { return false }
    let length = lookup.beat(beat.index + 1).instant - beat.instant
    guard inTime - beat.instant <= length / 2 else { return false }
    nextIndex = beat.index + 1
    if projection.isMuted || beat.level == .rest || beat.isSilent { return true }
    click(beat, in: stream, at: FramePosition(whole: start, fraction: 0), periodAt: start)
    return true
  }

  /// Starts the words of the beats whose numbers are spoken. A word begins before its beat, so that the beats of the next
  /// ``ClickBank/longestOnset`` are looked at, too. A beat without a word, or whose word should already have begun, will click.
  private func startWords(in stream: AudioStream<Output>, _ start: Int64, _ end: Int64, inTime: Instant) {
    // After a gap no word sounds any more.
    if stream.before != .sound { forgetWords() }
    spoken.skip(to: nextIndex)
    guard let longest = stream.mixer.longestOnset else { return }
    if stream.mixer.speaksSubdivisions, let missed = lookup.lastBeat(atOrBefore: inTime - Nanoseconds(1)) {
      slots.pass(Position(missed.index))
    }
    while spoken.next - nextIndex < SpokenBeats.capacity {
      let beat = lookup.beat(spoken.next)
      let onset = stream.clock.frame(at: beat.instant - projection.latency).snapped
      startSyllables(in: stream, start, before: min(onset.whole, end + Int64(longest)))
      guard onset.whole < end + Int64(longest) else { return }
      let isSilent = projection.isMuted || beat.level == .rest || beat.isSilent
      spoken.append(
        !isSilent && stream.mixer.speaks(beat)
          && stream.mixer.say(
            beat.position + 1, at: beat.level, source: beat.isCountedIn ? .countIn : .words,
            onsetAtFrame: Int(onset.whole - start), fraction: onset.fraction)
      )
    }
  }

  /// Starts the words of the main voice's slots between beats, in beats that are spoken. A slot without a word will click, and so will
  /// one that is too near to a beat.
  private func startSyllables(in stream: AudioStream<Output>, _ start: Int64, before end: Int64) {
    guard lookup.voices > 0, stream.mixer.speaksSubdivisions else { return }
    while let hit = slots.next(of: 0, in: timeline) {
      let onset = stream.clock.frame(at: hit.instant - projection.latency).snapped
      guard onset.whole < end else { return }
      slots.pass(hit.position)
      if projection.isMuted || hit.isSilent { continue }
      guard let syllable = hit.syllable else { continue }
      let (beat, next) = (lookup.beat(hit.position.whole), lookup.beat(hit.position.whole + 1))
      guard stream.mixer.speaks(beat),
        min(hit.instant - beat.instant, next.instant - hit.instant) >= Syllable.shortestDistance,
        stream.mixer.say(
          syllable.rawValue, at: hit.level, onsetAtFrame: Int(onset.whole - start), fraction: onset.fraction)
      else { continue }
      syllables.append(hit.position)
    }
  }

  private func forgetWords() {
    spoken = SpokenBeats()
    slots = VoiceHits()
    syllables = SpokenSlots()
  }

  /// Starts every click of a voice in the period, except those on the main voice's beats.
  private func placeHits(
    of voice: Int, in stream: AudioStream<Output>, _ start: Int64, _ end: Int64, inTime: Instant
  ) {
    if let missed = lookup.lastBeat(atOrBefore: inTime - Nanoseconds(1)) {
      voices[voice].pass(Position(missed.index))
    }
    while let hit = voices[voice].next(of: voice, in: timeline),
      let onset = onset(of: hit.instant, in: stream, start, end)
    {
      voices[voice].pass(hit.position)
      let isBeat = voice == 0 && hit.position.numerator == 0
      if isBeat || projection.isMuted || hit.isSilent || hit.instant < inTime { continue }
      if voice > 0 || !syllables.contains(hit.position) {
        stream.mixer.start(
          hit.level, of: hit.sound, set: hit.set ?? projection.set, gain: hit.gain,
          source: ClickRoutes.Source(hit.level, ofVoice: voice),
          atFrame: Int(onset.whole - start), fraction: onset.fraction)
      }
      observer.placed(hit.level, isCountedIn: false, at: onset)
    }
  }

  /// Where in a period's frames a click for an instant begins; nil if it begins later. A late click begins with the period.
  private func onset(
    of instant: Instant, in stream: AudioStream<Output>, _ start: Int64, _ end: Int64
  ) -> FramePosition? {
    let place = stream.clock.frame(at: instant - projection.latency).snapped
    guard place.whole < end else { return nil }
    return place.whole < start ? FramePosition(whole: start, fraction: 0) : place
  }

  /// A click of a beat before this instant is too late for a period that is heard from `audible` on. If clicks are late only
  /// because the latency has grown by `growth`, the last of them sounds at once.
  private func firstInTime(_ audible: Instant, in stream: AudioStream<Output>, growth: Nanoseconds) -> Instant {
    let isLateStart = isNewSession && TimelineView(timeline).isSteered
    guard stream.before == .sound, !isLateStart else { return audible }
    let first = audible - AudioLoop.tolerance
    guard growth > .zero, let last = lookup.lastBeat(atOrBefore: audible) else { return first }
    return last.instant >= first - growth ? min(first, last.instant) : first
  }

  /// Advances to the first beat whose click can still sound.
  private func skipMissedClicks(before instant: Instant) {
    guard lookup.beat(nextIndex).instant < instant else { return }
    if let next = TimelineView(timeline).firstBeat(atOrAfter: instant) { nextIndex = max(nextIndex, next.index) }
  }
}

/// The hits of a voice that were placed or skipped, and the next one, which most periods look up again.
private struct VoiceHits: BitwiseCopyable {
  private var passed = Position(-1)
  private var next: Hit?
  private var isKnown = false

  mutating func pass(_ position: Position) {
    guard passed < position else { return }
    (passed, isKnown) = (position, false)
  }

  /// After a change of the timeline.
  mutating func forget() { isKnown = false }

  mutating func next(of voice: Int, in timeline: UnsafePointer<Timeline>) -> Hit? {
    if !isKnown { (next, isKnown) = (TimelineView(timeline).hit(of: voice, after: passed), true) }
    return next
  }
}

/// Which of the next beats are spoken: fixed size, for the audio thread.
private struct SpokenBeats: BitwiseCopyable {
  static let capacity: Int64 = 64

  /// The first beat that is undecided.
  private(set) var next: Int64 = 0
  /// One bit for each of the last ``capacity`` decided beats, at the remainder of its number.
  private var bits: UInt64 = 0

  /// Leaves out the undecided beats before this one.
  mutating func skip(to index: Int64) {
    guard next < index else { return }
    (next, bits) = (index, 0)
  }

  mutating func append(_ isSpoken: Bool) {
    let bit: UInt64 = 1 << UInt64(next % SpokenBeats.capacity)
    bits = isSpoken ? bits | bit : bits & ~bit
    next += 1
  }

  func contains(_ index: Int64) -> Bool {
    index < next && bits & (1 << UInt64(index % SpokenBeats.capacity)) != 0
  }
}

/// The last slots between beats that are spoken: fixed size, for the audio thread. A word begins at most 300 ms before its slot, so that
/// at most six are waiting for it.
private struct SpokenSlots: BitwiseCopyable {
  private var slots: (Position, Position, Position, Position, Position, Position, Position, Position) = (
    Position(-1), Position(-1), Position(-1), Position(-1), Position(-1), Position(-1), Position(-1), Position(-1)
  )

  mutating func append(_ slot: Position) {
    slots = (slots.1, slots.2, slots.3, slots.4, slots.5, slots.6, slots.7, slot)
  }

  func contains(_ slot: Position) -> Bool {
    slots.0 == slot || slots.1 == slot || slots.2 == slot || slots.3 == slot || slots.4 == slot || slots.5 == slot
      || slots.6 == slot || slots.7 == slot
  }
}
