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
struct Following: Sendable {
  /// Whether the source is a session of equal peers, whose tempo our commands change, too.
  var isShared = false
  /// The newest observation; nil before the first one.
  var observation: BeatObservation?
  var steering = Steering()
  var hasTransport: Bool
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
  /// The played tempo, in femtoseconds per quarter.
  var period: Int64?
  /// When the shown tempo was last updated.
  var shownAt: Instant?
  /// A tempo that changes all the time must not fill the log.
  static let showingInterval = Nanoseconds.seconds(2)

  /// The tempo of the session in a note value, within the range of tempi; nil: no session is known.
  func sessionTempo(in unit: BeatUnit) -> Tempo? { sessionMilliBPM(in: unit).map { Tempo(clampingMilliBPM: $0) } }

  func sessionMilliBPM(in unit: BeatUnit) -> Int? {
    sessionPeriod.map { Int((60_000_000_000_000_000_000 / Double($0) / unit.quarters).rounded()) }
  }
}

extension Metronome {
  /// Whether a present source sets the tempo. A score keeps its own tempo.
  var isFollowing: Bool {
    player == nil && following?.observation != nil && sourceState != .lost
  }

  /// How often the beats were resynchronized because the source jumped.
  package var resyncs: Int { following?.steering.resyncs ?? 0 }

  /// Whether a command is refused, because the source sets the tempo.
  package func isRefusedBySource(_ command: Command) -> Bool {
    guard isFollowing, let following else { return false }
    return switch command {
    case .toggleRamp, .setRamp(.some): true
    case .setTempo, .stepTempo, .resetTempo, .tap: !following.isShared
    default: false
    }
  }

  /// Chooses the source to follow; nil: none. The beat goes on at the current tempo.
  public mutating func use(_ source: SourceOptions?) {
    following = source.map { Following(hasTransport: $0.hasTransport) }
    sourceState = source.map { _ in .waiting }
  }

  /// Updates what the state shows of the source.
  public mutating func show(_ state: FollowState, now: Instant) {
    asOf = max(asOf, now)
    guard let following else { return }
    switch (state, sourceState) {
    case (.waiting, _): sourceState = .waiting
    case (.locking, _): sourceState = .locking
    case (.locked(let milliBPM), let shown):
      if case .locked = shown, let last = following.shownAt, now - last < Following.showingInterval { break }
      self.following?.shownAt = now
      sourceState = .locked(Tempo(clampingMilliBPM: milliBPM))
    case (.lost, _): sourceState = .lost
    }
  }

  /// Steers the beats to a source. `effective` is the first instant that no output has committed.
  public mutating func follow(_ observation: BeatObservation, effective: Instant, now: Instant) {
    (asOf, lead) = (max(asOf, now), effective - now)
    guard var following else { return }
    let wasPlaying = following.observation?.isPlaying ?? false
    let hasJumped = following.observation.map { $0.epoch != observation.epoch } ?? false
    following.observation = observation
    // The source counts from elsewhere. Steering places the beats there if the source plays, else they keep their places.
    if hasJumped { following.alignment = nil }
    self.following = following
    guard player == nil else { return }
    if following.hasTransport, observation.isPlaying != wasPlaying {
      if observation.isPlaying, !timeline.isPlaying { startWithSource(at: effective, isLate: true, now: now) }
      if !observation.isPlaying, timeline.isPlaying { stop() }
    }
    if timeline.isPlaying { steer(effective: effective, now: now) }
  }

  /// The source has stopped. Its clocks may go on.
  public mutating func sourceStopped(now: Instant) {
    asOf = max(asOf, now)
    following?.observation?.isPlaying = false
    if following?.hasTransport == true, player == nil, timeline.isPlaying { stop() }
  }

  /// Steers the next beat that can still move.
  mutating func steer(effective: Instant, now: Instant) {
    guard var following, let observation = following.observation else { return }
    let index = timeline.nextBeat(atOrAfter: effective)
    let planned = timeline.knownBeat(index)
    let old = timeline.lastBar
    // A change of the bar begins with a beat, or with a bar line.
    let isChanging = old != settings.bar && (!awaitsBarLine || planned.position == 0)
    let bar = isChanging ? settings.bar : old
    let length = old.metre.beatInMicroquarters
    let alignment = following.alignment ?? self.alignment(of: planned, observation, length)
    let quarter = alignment.quarter + (index - alignment.beat) * length
    following.alignment = (index, quarter)
    let last = timeline.beat(index - 1)?.instant
    let step = following.steering.steer(
      observation, planned: PlannedBeat(instant: planned.instant, quarter: quarter, before: last), length: length)
    self.following = following
    // The bar lines of a session depend on the length of the bar.
    if following.isShared, old.metre != bar.metre {
      return begin(bar, with: planned, at: quarter, step, observation, effective: effective, now: now)
    }
    switch step {
    case .keep:
      guard isChanging || !timeline.isSteered else { return }
      play(from: planned, at: planned.instant, period: observation.period, bar, effective, now: now)
    case .bend(let instant, let period):
      play(from: planned, at: max(instant, effective), period: period, bar, effective, now: now)
    case .place(let wanted, let instant, let period) where observation.isPlaying:
      let place = Metronome.place(of: wanted.floorDivided(by: length), in: bar)
      play(from: planned, at: max(instant, effective), period: period, bar, effective, place, now: now)
      self.following?.alignment = (index, wanted)
    case .place(let wanted, let instant, let period):
      // The bar goes on: the position of a stopped source means nothing.
      play(from: planned, at: max(instant, effective), period: period, bar, effective, now: now)
      self.following?.alignment = (index, wanted)
    }
  }

  /// Changes to a bar of another metre, whose bar lines are those of the session. `quarter` is the position of the planned beat.
  private mutating func begin(
    _ bar: Bar, with planned: Beat, at quarter: Int64, _ step: SteeringStep, _ observation: BeatObservation,
    effective: Instant, now: Instant
  ) {
    var (quarter, instant) = (quarter, planned.instant)
    switch step {
    case .keep: break
    case .bend(let bent, _): instant = bent
    case .place(let wanted, let placed, _): (quarter, instant) = (wanted, placed)
    }
    let length = bar.metre.beatInMicroquarters
    let beat = -(-quarter).floorDivided(by: length)
    instant = instant + (observation.instant(of: beat * length) - observation.instant(of: quarter))
    play(
      from: planned, at: max(instant, effective), period: observation.period, bar, effective,
      Metronome.place(of: beat, in: bar), now: now)
    following?.alignment = (planned.index, beat * length)
  }

  /// Starts playback with the source's tempo, and with its next beat if it plays.
  ///
  /// With `isLate`, a beat that has just passed is played at once: the message that starts the source is followed by its first
  /// clock within milliseconds, which is less than the outputs need. With `start`, nothing is played before this instant.
  mutating func startWithSource(at effective: Instant, isLate: Bool, from start: Instant? = nil, now: Instant) {
    guard let observation = following?.observation else { return }
    let bar = settings.bar
    let length = bar.metre.beatInMicroquarters
    following?.alignment = nil
    following?.steering.restart()
    following?.period = observation.period
    let tempo = ScoreTempo(clampingFemtosecondsPerQuarter: observation.period)
    var started = Timeline(
      session: newSession(), firstBeat: effective, tempo: settings.tempo, bar: bar,
      countIn: observation.isPlaying ? 0 : rules.countIn)
    defer { begin(started) }
    guard observation.isPlaying else {
      started =
        started.steered(
          from: 0, at: effective, playing: tempo, in: bar, set: settings.tempo, effective: effective, now: now)
        ?? started
      return
    }
    // Positions are rounded, so that a bar line may seem to be just before the start.
    let start = start.flatMap { $0 > effective ? $0 : nil }
    let earliest = observation.quarter(at: start ?? effective) - (isLate || start != nil ? length / 4 : 0)
    let beat = -(-earliest).floorDivided(by: length)
    let instant = observation.instant(of: beat * length)
    started =
      started.steered(
        from: 0, at: max(instant, effective), playing: tempo, in: bar, set: settings.tempo,
        place: Metronome.place(of: beat, in: bar), effective: effective, now: now) ?? started
    if instant < effective {
      let next = observation.instant(of: (beat + 1) * length)
      started =
        started.steered(from: 1, at: next, playing: tempo, in: bar, set: settings.tempo, effective: effective, now: now)
        ?? started
    }
    following?.alignment = (0, beat * length)
  }

  /// Changes the bar, or the tempo, of beats at the tempo of a source that is no longer there.
  mutating func changeSteered(from effective: Instant, now: Instant) {
    let index = awaitsBarLine ? timeline.nextBarLine(atOrAfter: effective) : timeline.nextBeat(atOrAfter: effective)
    let planned = timeline.knownBeat(index)
    let own = timeline.lastSegment.tempo == settings.tempo ? following?.period : nil
    let tempo =
      own.map { ScoreTempo(clampingFemtosecondsPerQuarter: $0) } ?? ScoreTempo(settings.tempo, in: settings.bar.metre)
    let changed = timeline.steered(
      from: index, at: planned.instant, playing: tempo, in: settings.bar, set: settings.tempo, effective: effective,
      now: now)
    timeline = changed ?? timeline
    following?.alignment = nil
  }

  /// The bar and the position in it of a beat of the source.
  private static func place(of beat: Int64, in bar: Bar) -> (bar: Int64, position: Int) {
    let beats = Int64(bar.metre.beatsInBar)
    let number = beat.floorDivided(by: beats)
    return (number, Int(beat - number * beats))
  }

  /// The source's position of a beat that was not steered yet. A playing source has beats where its position is a whole number of
  /// beats. The position of a stopped source means nothing: the beat keeps its phase.
  private func alignment(
    of beat: Beat, _ observation: BeatObservation, _ length: Int64
  ) -> (beat: Int64, quarter: Int64) {
    let quarter = observation.quarter(at: beat.instant)
    guard observation.isPlaying else { return (beat.index, quarter) }
    return (beat.index, (quarter + length / 2).floorDivided(by: length) * length)
  }

  /// Plays a source's tempo from a beat on. Without room in the timeline, the next observation tries again.
  private mutating func play(
    from beat: Beat, at instant: Instant, period: Int64, _ bar: Bar, _ effective: Instant,
    _ place: (bar: Int64, position: Int)? = nil, now: Instant
  ) {
    let steered = timeline.steered(
      from: beat.index, at: instant, playing: ScoreTempo(clampingFemtosecondsPerQuarter: period), in: bar,
      set: settings.tempo, place: place, effective: effective, now: now)
    guard let steered else { return }
    timeline = steered
    following?.period = period
    if bar == settings.bar { awaitsBarLine = false }
  }
}
