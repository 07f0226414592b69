/// The source that the metronome follows.
public struct SourceOptions: Hashable, Sendable {
  /// How late the device reports a message.
  public var latency: Nanoseconds
  /// Whether the source's start, continue and stop also start and stop the beat.
  public var hasTransport: Bool

  public init(latency: Nanoseconds = .zero, hasTransport: Bool = false) {
    (self.latency, self.hasTransport) = (latency, hasTransport)
  }
}

/// What a display shows of the source that the metronome follows.
public enum SourceState: Hashable, Sendable {
  /// An Ableton Link session with this many other peers, at about this tempo.
  case link(Tempo, peers: Int)
  /// Nothing has been received.
  case waiting
  case locking
  /// At about this tempo: updated every two seconds at most. ``Timeline/tempo(at:)`` has the current one.
  case locked(Tempo)
  /// The source has fallen silent. The beat goes on at its last tempo.
  case lost

  /// The kind of the source.
  public var kind: String { if case .link = self { "link" } else { "midi" } }

  public var text: String {
    switch self {
    case .waiting: "waiting for the MIDI clock"
    case .locking: "locking to the MIDI clock"
    case .locked(let tempo): "locked to the MIDI clock at \(tempo)"
    case .lost: "MIDI clock lost, holding its tempo"
    case .link(let tempo, let peers): "in a Link session at \(tempo) with \(peers) \(peers == 1 ? "peer" : "peers")"
    }
  }
}

/// How the beats follow an external source, and which commands it replaces.
struct Source: Sendable {
  /// What a display shows of it.
  var state = SourceState.waiting
  /// Whether the source is a session of equal peers, whose tempo our commands change, too.
  var isShared = false
  /// The newest observation; nil before the first one.
  var observation: BeatObservation?
  var steering = Steering()
  var hasTransport = false
  /// Whether the transport of the session plays.
  var sessionPlays = false
  /// When the session's transport lets the first beat fall; nil: it did not start the beat.
  var startsAt: Instant?
  /// The tempo of the session, in femtoseconds per quarter.
  var sessionPeriod: Int64?
  /// When the tempo of the session last became the set tempo.
  var sessionTempoSetAt: Instant?
  /// The settings whose tempo our hands want for the session, until the session has it.
  var wish: (settings: Settings, at: Instant)?
  /// After this time a wish that was not carried out is given up.
  static let wishTimeout = Nanoseconds.seconds(2)
  /// The source's position, in millionths of a quarter, of one of our beats. Later beats are counted from there.
  var alignment: (beat: Int64, quarter: Int64)?
  /// The played tempo.
  var played: ScoreTempo?
  /// When the shown tempo was last updated.
  var shownAt: Instant?
  /// A tempo that changes all the time must not fill the log.
  static let showingInterval = Nanoseconds.seconds(2)

  /// The tempo of the session in a note value, within the range of tempi; nil: no session is known.
  func sessionTempo(in unit: BeatUnit) -> Tempo? { sessionMilliBPM(in: unit).map { Tempo(clampingMilliBPM: $0) } }

  /// Whether it can lead: it has been heard, and is not lost.
  var isPresent: Bool { observation != nil && state != .lost }

  func sessionMilliBPM(in unit: BeatUnit) -> Int? {
    sessionPeriod.map { Int((60_000_000_000_000_000_000 / Double($0) / unit.quarters).rounded()) }
  }
}

extension Metronome {
  /// How often the beats were resynchronized because the source jumped.
  package var resyncs: Int { source?.steering.resyncs ?? 0 }

  /// Chooses the source to follow; nil: none. The beat goes on at the current tempo.
  public mutating func use(_ options: SourceOptions?) {
    source = options.map { Source(hasTransport: $0.hasTransport) }
    sourceChanged()
  }

  /// Updates what the state shows of the source.
  public mutating func show(_ state: SourceState, now: Instant) {
    asOf = max(asOf, now)
    guard var source else { return }
    let isOtherTempo =
      switch (state, source.state) {
      case (.locked, .locked): true
      case (.link(_, let peers), .link(_, let known)): peers == known
      default: false
      }
    if isOtherTempo, let last = source.shownAt, now - last < Source.showingInterval { return }
    (source.shownAt, source.state) = (now, state)
    self.source = source
    sourceChanged()
  }

  /// Steers the beats to a source. `effective` is the first instant that no output has committed, `soonest` the first that no line
  /// has: a source may start the first beat there, and a card then clicks as soon as it can.
  public mutating func follow(_ observation: BeatObservation, effective: Instant, soonest: Instant, now: Instant) {
    (asOf, leadTime) = (max(asOf, now), effective - now)
    guard var source else { return }
    let last = source.observation
    let hasJumped = last.map { $0.epoch != observation.epoch } ?? false
    source.observation = observation
    // The source counts from elsewhere. Steering places the beats there if the source plays, else they keep their places.
    if hasJumped { source.alignment = nil }
    self.source = source
    sourceChanged()
    guard leader.player == nil else { return }
    if source.hasTransport {
      // An announced start whose clock comes at another time begins anew, unless its beat has been shown.
      let isAhead = timeline.oldestIndex.map { timeline.knownBeat($0).instant >= soonest } ?? false
      if observation.isPlaying, last?.starts != observation.starts || hasJumped && isAhead {
        return startWithSource(from: observation.quarter, at: soonest, now: now)
      } else if !observation.isPlaying, last?.isPlaying == true, timeline.isPlaying {
        stop()
      }
    }
    if timeline.isPlaying { steer(effective: effective, now: now) }
  }

  /// The source has stopped. Its clocks may go on.
  public mutating func sourceStopped(now: Instant) {
    asOf = max(asOf, now)
    source?.observation?.isPlaying = false
    if source?.hasTransport == true, leader.player == nil, timeline.isPlaying { stop() }
  }

  /// Steers the next beat that can still move.
  mutating func steer(effective: Instant, now: Instant) {
    guard var source, let observation = source.observation else { return }
    let index = timeline.nextBeat(atOrAfter: effective)
    let next = timeline.knownBeat(index)
    let old = timeline.lastBar
    // A change of the bar begins with a beat, or with a bar line.
    let isChanging = old != settings.bar && (!awaitsBarLine || next.position == 0)
    let bar = isChanging ? settings.bar : old
    let length = old.metre.beatInMicroquarters
    let quarter =
      source.alignment.map { $0.quarter + (index - $0.beat) * length } ?? quarter(of: next, observation, length)
    var step = source.steering.steer(
      observation, planned: next.instant, quarter: quarter, before: timeline.beat(index - 1)?.instant, length: length,
      effective: effective)
    if source.isShared, old.metre != bar.metre {
      // The bar lines of a session depend on the length of the bar.
      let (length, quarter) = (bar.metre.beatInMicroquarters, step.quarter)
      step.quarter = -(-quarter).floorDivided(by: length) * length
      step.instant = step.instant + (observation.instant(of: step.quarter) - observation.instant(of: quarter))
      (step.isKept, step.isPlaced) = (false, true)
    }
    source.alignment = (index, step.quarter)
    if step.isKept, !isChanging, timeline.isSteered { return self.source = source }
    let beat = step.quarter.floorDivided(by: (step.isPlaced ? bar : old).metre.beatInMicroquarters)
    // A longer bar must not continue the one that ends here.
    let begun = isChanging && awaitsBarLine ? (next.bar, 0) : nil
    let steered = timeline.steered(
      from: index, at: max(step.instant, effective), playing: observation.tempo, in: bar, set: settings.tempo,
      place: step.isPlaced ? Metronome.place(of: beat, in: bar) : begun, effective: effective, now: now)
    // Without room in the timeline, the next observation tries again, as if there had been no step.
    guard let steered else { return }
    timeline = steered
    source.played = observation.tempo
    self.source = source
    if bar == settings.bar { awaitsBarLine = false }
  }

  /// Starts playback with the source's tempo. If the source plays, the first beat is its first one from a position on; nil: from
  /// `effective` on. A beat that has just passed is played at once, if that is at least 0.6 beats before the next one.
  mutating func startWithSource(from position: Int64? = nil, at effective: Instant, now: Instant) {
    guard let observation = source?.observation else { return }
    let bar = settings.bar
    let length = bar.metre.beatInMicroquarters
    source?.steering.restart(with: observation)
    source?.alignment = nil
    source?.played = observation.tempo
    var started = Timeline(
      session: newSession(), firstBeat: effective, tempo: settings.tempo, bar: bar,
      countIn: observation.isPlaying ? 0 : rules.countIn)
    func steer(_ index: Int64, at instant: Instant, place: (bar: Int64, position: Int)? = nil) {
      let steered = started.steered(
        from: index, at: instant, playing: observation.tempo, in: bar, set: settings.tempo, place: place,
        effective: effective, now: now)
      started = steered ?? started
    }
    if observation.isPlaying {
      let reached = observation.quarter(at: effective)
      let first = position.map { max($0, reached - length * 2 / 5) } ?? reached
      let beat = -(-first).floorDivided(by: length)
      let instant = observation.instant(of: beat * length)
      steer(0, at: max(instant, effective), place: Metronome.place(of: beat, in: bar))
      if instant < effective { steer(1, at: observation.instant(of: (beat + 1) * length)) }
      source?.alignment = (0, beat * length)
    } else {
      steer(0, at: effective)
    }
    begin(started)
  }

  /// Changes the bar, or the tempo, of beats at the tempo of a source that is no longer there.
  mutating func changeSteered(from effective: Instant, now: Instant) {
    let index = awaitsBarLine ? timeline.nextBarLine(atOrAfter: effective) : timeline.nextBeat(atOrAfter: effective)
    let planned = timeline.knownBeat(index)
    let own = timeline.lastSegment.tempo == settings.tempo ? source?.played : nil
    let changed = timeline.steered(
      from: index, at: planned.instant, playing: own, in: settings.bar, set: settings.tempo,
      place: awaitsBarLine ? (planned.bar, 0) : nil, effective: effective, now: now)
    timeline = changed ?? timeline
    source?.alignment = nil
  }

  /// The bar and the position in it of a beat of the source.
  private static func place(of beat: Int64, in bar: Bar) -> (bar: Int64, position: Int) {
    let beats = Int64(bar.metre.beatsInBar)
    let number = beat.floorDivided(by: beats)
    return (number, Int(beat - number * beats))
  }

  /// The source's position of a beat that was not steered yet. A playing source has beats where its position is a whole number of
  /// beats. The position of a stopped source means nothing: the beat keeps its phase.
  private func quarter(of beat: Beat, _ observation: BeatObservation, _ length: Int64) -> Int64 {
    let quarter = observation.quarter(at: beat.instant)
    return observation.isPlaying ? (quarter + length / 2).floorDivided(by: length) * length : quarter
  }
}

/// Start and stop of a session that shares them.
package struct SharedTransport: Hashable, Sendable {
  package var isPlaying: Bool
  /// When the session started, or will start at a bar line; nil: now.
  package var changesAt: Instant?

  package init(isPlaying: Bool, changesAt: Instant? = nil) {
    (self.isPlaying, self.changesAt) = (isPlaying, changesAt)
  }
}

/// How the metronome takes part in an Ableton Link session.
extension Metronome {
  /// Whether the beats follow a session of equal peers.
  var isInSession: Bool { leader.isSource && source?.isShared == true }

  /// Follows an Ableton Link session, or leaves it if there are no other peers. The beat goes on at its last tempo then.
  ///
  /// The positions of the observation must be valid also while the session's transport is stopped: its `isPlaying` must be true.
  /// Must not be called while another source is in use. `effective` is the first instant that no output has committed.
  package mutating func followLink(
    _ observation: BeatObservation, peers: Int, transport: SharedTransport? = nil, effective: Instant, now: Instant
  ) {
    (asOf, leadTime) = (max(asOf, now), effective - now)
    guard peers > 0 else { return leaveLink(now: now) }
    precondition(source?.isShared ?? true, "two sources cannot set the tempo")
    // The first beat that is steered gets the session's place in the bar.
    source = source ?? Source(isShared: true, steering: Steering(epoch: observation.epoch - 1, hasClocks: false))
    let milliBPM = Int((60_000_000_000_000_000_000 / Double(observation.period) / 100).rounded()) * 100
    show(.link(Tempo(clampingMilliBPM: milliBPM), peers: peers), now: now)
    source?.sessionPeriod = observation.period
    setSessionTempo(now: now)
    follow(observation, effective: effective, soonest: effective, now: now)
    if let transport { follow(transport, effective: effective, now: now) }
  }

  /// Starts and stops with the session. Joining a session that is stopped does not stop the beat.
  private mutating func follow(_ transport: SharedTransport, effective: Instant, now: Instant) {
    guard transport.isPlaying != source?.sessionPlays else { return }
    source?.sessionPlays = transport.isPlaying
    // A score ignores the session, also later.
    guard leader.player == nil else { return }
    if transport.isPlaying, !timeline.isPlaying {
      source?.startsAt = transport.changesAt
      // Positions are rounded, so that a bar line may seem to be just before the start. A beat that has just passed is played.
      guard let observation = source?.observation else { return }
      let start = max(effective, transport.changesAt ?? effective)
      let late = settings.bar.metre.beatInMicroquarters / 4
      startWithSource(from: observation.quarter(at: start) - late, at: effective, now: now)
    } else if !transport.isPlaying, timeline.isPlaying {
      stop()
    }
  }

  package mutating func leaveLink(now: Instant) {
    asOf = max(asOf, now)
    guard let source, source.isShared else { return }
    if let tempo = source.sessionTempo(in: settings.unit) { settings.tempo = tempo }
    // Nobody else plays any more: a start that was announced does not happen.
    if let start = source.startsAt, start > now, timeline.isPlaying { stop() }
    self.source = nil
    sourceChanged()
  }

  /// The tempo of the session becomes the set tempo, unless our hands have just asked for another one.
  private mutating func setSessionTempo(now: Instant) {
    guard var source, let tempo = source.sessionTempo(in: settings.unit) else { return }
    defer { self.source = source }
    if let wish = source.wish {
      let isFulfilled = source.sessionTempo(in: wish.settings.unit) == wish.settings.tempo
      guard isFulfilled || now - wish.at >= Source.wishTimeout else { return }
      source.wish = nil
    }
    guard settings.tempo != tempo else { return }
    if let last = source.sessionTempoSetAt, now - last < Source.showingInterval { return }
    source.sessionTempoSetAt = now
    settings.tempo = tempo
    // Undoing a press must not restore the old tempo.
    history?.value.before.settings.tempo = tempo
    taps = nil
  }

  /// The tempo that our hands want for the session, in thousandths of a quarter per minute, with the number of the wish; nil: none.
  package var tempoWish: (number: Int, milliQuarters: Int)? {
    source?.wish.map { (wishes, $0.settings.milliQuartersPerMinute) }
  }

  /// Asks the session for the set tempo, if it has another one.
  mutating func wishForTempo(now: Instant) {
    guard isInSession, let source else { return }
    let wish = source.wish?.settings
    let isKnown =
      wish.map { $0.tempo == settings.tempo && $0.unit == settings.unit }
      ?? (source.sessionTempo(in: settings.unit) == settings.tempo)
    guard !isKnown else { return }
    self.source?.wish = (settings, now)
    wishes += 1
  }

  /// The tempi of a Link session, in thousandths of a quarter per minute.
  package static let sessionTempi = 20_000...999_000

  /// Whether the tempo of the session is outside 1 to 999 BPM in the beat unit. A step from there would change it by far more.
  var isSessionOutsideUnit: Bool {
    guard isInSession, let milliBPM = source?.sessionMilliBPM(in: settings.unit) else { return false }
    return source?.wish == nil && Tempo(milliBPM: milliBPM) == nil
  }

  /// Whether the session cannot have the set tempo.
  var isOutsideSession: Bool { isInSession && !Metronome.sessionTempi.contains(settings.milliQuartersPerMinute) }

  /// When a change that waits for the bar line of a session can be made: as soon as the bar line is the next beat that is not
  /// committed. nil: none waits, or the next report of the session must make it.
  var sessionBarLine: Instant? {
    guard awaitsBarLine, isInSession, timeline.isSteered,
      let beat = timeline.beat(timeline.nextBarLine(atOrAfter: asOf + leadTime) - 1)
    else { return nil }
    let instant = beat.instant - leadTime + Nanoseconds(1)
    return instant > asOf ? instant : nil
  }

  /// The settings after a command that changes the tempo of a shared session. It steps from the tempo of the session.
  func sharedSettings(after command: Command) -> Settings? {
    guard isInSession, let source, case .stepTempo = command else { return nil }
    var played = settings
    if source.wish == nil { played.tempo = source.sessionTempo(in: settings.unit) ?? settings.tempo }
    return played.after(command, homeTempo: rules.homeTempo)
  }
}
