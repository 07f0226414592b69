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
