/// How a loaded score, or the ramp of the trainer, changes what commands do.
extension Metronome {
  /// Replaces the loaded score; nil: a start plays the settings. While playing, the new score waits for the stop.
  public mutating func load(_ setList: SetList?) {
    let new = setList.map { ScorePlayer($0) }
    if timeline.isPlaying {
      waiting = .some(new)
      history?.value.before.waiting = waiting
    } else {
      (player, history, taps) = (new, nil, nil)
      player?.filter = settings.trainer.filter
      settings.trainer.activeRamp = nil
    }
  }

  /// Chooses where a loaded score begins, if the place belongs to it.
  public mutating func select(_ place: SavedPlace) { player?.select(place) }

  /// Whether a score waits for the musician.
  func isWaiting(at instant: Instant) -> Bool { timeline.isPlaying && player?.isWaiting(at: instant) == true }

  /// The commands that go to another section or song.
  private static let moves: Set<Command> = [
    .nextSection, .nextNumerator, .previousSection, .nextDenominator, .nextSong, .nextAccents, .previousSong,
    .previousSubdivision,
  ]

  /// Carries out a command while a score is loaded. Those for signature and rhythm, which the score fixes, move through it.
  mutating func carryOutInScore(_ order: Order) -> Reply? {
    let (effective, now) = (order.effective, order.now)
    guard var player else { return nil }
    // The trainer's ramp has one section.
    if settings.trainer.isRamping, Metronome.moves.contains(order.command) { return .refused }
    let isWaiting = isWaiting(at: effective)
    defer { if order.command != .tap { taps = nil } }
    switch order.command {
    case .togglePlaying, .start:
      if isWaiting {
        player.move(.next, in: &timeline, from: effective, now: now)
      } else if timeline.isPlaying {
        if order.command == .togglePlaying { stop() }
        return nil
      } else {
        guard start(&player, at: effective, now: now) else { return .refused }
      }
    case .stop:
      stop()
      return nil
    case .stepTempo(let step): player.change(speed: player.speed + step / 100, in: &timeline, from: effective, now: now)
    case .resetTempo: player.change(speed: player.songSpeed, in: &timeline, from: effective, now: now)
    case .nextSection, .nextNumerator: player.move(.next, in: &timeline, from: effective, now: now)
    case .previousSection, .nextDenominator: player.move(.previous, in: &timeline, from: effective, now: now)
    case .restartSection, .nextSubdivision: player.move(.again, in: &timeline, from: effective, now: now)
    case .nextSong, .nextAccents: player.move(bySongs: 1, in: &timeline, from: effective, now: now)
    case .previousSong, .previousSubdivision: player.move(bySongs: -1, in: &timeline, from: effective, now: now)
    case .nextPreset, .previousPreset, .recallPreset:
      guard let number = placeToRecall(order.command), let saved = presets[place: number]?.place else {
        return .refused
      }
      (recalled, recalls) = (number, recalls + 1)
      player.recall(saved, in: &timeline, from: effective, now: now)
    case .storePreset(let number):
      guard let saved = player.savedPlace(at: asOf) else { return .refused }
      return store(at: number, saved)
    case .tellTempo: return .tempo(timeline.tempo(at: now) ?? player.status(at: now).tempo)
    case .tellSignature: return .signature(player.status(at: now).bar.metre.signature)
    case .nextGap, .toggleDrop, .setGap, .setDrop:
      settings = settings.after(order.command, homeTempo: rules.homeTempo)
      player.use(settings.trainer.filter, in: &timeline, from: effective, now: now)
    case .toggleTimer, .setTimer:
      settings = settings.after(order.command, homeTempo: rules.homeTempo)
      return setTimer(from: now)
    case .toggleRamp: return toggleRamp(effective: effective, now: now)
    case .setRamp(let ramp): return play(ramp, effective: effective, now: now)
    case .tap:
      var run = taps ?? TapTempo()
      let estimate = run.add(order.pressed)
      taps = run
      guard let tapped = estimate?.instant(ofBeat: 0) else { return nil }
      if let delta = timeline.distance(fromBeatTo: tapped) {
        player.shift(by: delta, in: &timeline, from: effective, now: now)
      } else if !timeline.isPlaying, rules.tapStarts {
        _ = start(&player, at: effective, now: now)
      }
    default: return .refused
    }
    self.player = player
    return nil
  }

  /// Starts a score with its count-in; false if nothing in it sounds.
  private mutating func start(_ player: inout ScorePlayer, at firstBeat: Instant, now: Instant) -> Bool {
    guard let started = player.start(session: sessions &+ 1, at: firstBeat, now: now) else { return false }
    sessions &+= 1
    begin(started)
    return true
  }

  mutating func toggleRamp(effective: Instant, now: Instant) -> Reply? {
    let trainer = settings.trainer
    guard trainer.isRamping || trainer.ramp != nil else { return .refused }
    return play(trainer.isRamping ? nil : trainer.ramp, effective: effective, now: now)
  }

  /// Plays a ramp from its beginning; nil: returns from the ramp to the settings, at the tempo that was reached. While playing,
  /// the change begins with the next beat.
  mutating func play(_ ramp: TempoSteps?, effective: Instant, now: Instant) -> Reply? {
    guard ramp != nil || settings.trainer.isRamping else { return nil }
    let song = ramp.flatMap { Trainer.song($0, Bar(settings.bar.metre, settings.bar.rhythm)) }
    guard player == nil || settings.trainer.isRamping, ramp == nil || song != nil else { return .refused }
    if settings.trainer.isRamping, let reached = timeline.tempo(at: now) { settings.tempo = reached }
    settings.trainer.ramp = ramp ?? settings.trainer.ramp
    settings.trainer.activeRamp = ramp
    (awaitsBarLine, taps) = (false, nil)
    player = song.map { ScorePlayer($0) }
    player?.filter = settings.trainer.filter
    guard timeline.isPlaying else { return nil }
    let next = timeline.knownBeat(timeline.nextBeat(atOrAfter: effective))
    if let started = player?.start(session: sessions &+ 1, at: next.instant, now: now) {
      sessions &+= 1
      timeline = started
    } else {
      following?.played = nil
      changeSteered(from: effective, now: now)
    }
    return nil
  }

  mutating func setTimer(from now: Instant) -> Reply? {
    guard settings.trainer.isTimed else { return nil }
    guard settings.trainer.timer != nil else {
      settings.trainer.isTimed = false
      return .refused
    }
    timedFrom = timeline.isPlaying ? .command(now) : nil
    return .stored
  }

  mutating func continueScore(effective: Instant, now: Instant) {
    guard timeline.isPlaying else { return }
    if player?.hasEnded(at: now) == true {
      finishSong()
    } else {
      player?.catchUp(&boxedTimeline.value, from: effective, now: now)
      player?.fill(&boxedTimeline.value, from: effective, now: now)
    }
  }

  mutating func finishSong() {
    player?.finish()
    stop()
  }

  /// Undoes a press. If it has already changed a committed beat, only the speed is restored, and only within the same song.
  mutating func returnToScore(
    from without: Metronome, _ played: ScorePlayer, effective: Instant, now: Instant
  ) {
    let last = effective - Nanoseconds(1)
    guard let returned = player else { return }
    player = played
    if timeline.session == without.timeline.session,
      timeline.lastBeat(atOrBefore: last) == without.timeline.lastBeat(atOrBefore: last)
    {
      if player?.follow(returned, in: &boxedTimeline.value, from: effective, now: now) == true { return }
      (player, timeline) = (returned, without.timeline)
    } else if played.song == returned.song {
      player?.change(speed: returned.speed, in: &boxedTimeline.value, from: effective, now: now)
    }
  }
}
