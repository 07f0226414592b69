/// How a loaded score, or the ramp of the trainer, changes what commands do.
extension Metronome {
  /// Replaces the loaded score; nil: a start plays the settings. While playing, the new score waits for the stop.
  public mutating func load(_ setList: SetList?) {
    let next = setList.map { Leader.score(ScorePlayer($0)) } ?? .hands
    if timeline.isPlaying {
      successor = next
      history?.value.before.successor = next
    } else {
      handOver(to: next)
      (history, taps) = (nil, nil)
    }
  }

  /// Chooses where a loaded score begins, if the place belongs to it.
  public mutating func select(_ place: SavedPlace) { leader.player?.select(place) }

  /// Whether a score waits for the musician.
  func isWaiting(at instant: Instant) -> Bool { timeline.isPlaying && leader.player?.isWaiting(at: instant) == true }

  /// The commands that go to another section or song.
  private static let moves: Set<Command> = [
    .nextSection, .nextNumerator, .previousSection, .nextDenominator, .nextSong, .nextAccents, .previousSong,
    .previousSubdivision,
  ]

  /// Carries out a command while a score is loaded. Those for signature and rhythm, which the score fixes, move through it.
  mutating func carryOutInScore(_ order: Order) -> Reply? {
    let (effective, now) = (order.effective, order.now)
    guard var player = leader.player else { return nil }
    // The trainer's ramp has one section.
    if leader.ramp != nil, Metronome.moves.contains(order.command) { return .refused(.inRamp) }
    let isWaiting = isWaiting(at: effective)
    var reply: Reply?
    defer { if order.command != .tap { taps = nil } }
    switch order.command {
    case .togglePlaying, .start:
      if isWaiting {
        player.move(.next, in: &timeline, from: effective, now: now)
      } else if timeline.isPlaying {
        if order.command == .togglePlaying { stop() }
        return nil
      } else {
        guard start(&player, at: effective, now: now) else { return .refused(.nothingSounds) }
      }
    case .stop:
      stop()
      return nil
    case .stepTempo(let step): player.change(speed: player.speed + step / 100, in: &timeline, from: effective, now: now)
    case .resetTempo: player.change(speed: player.songSpeed, in: &timeline, from: effective, now: now)
    case .nextSection, .nextNumerator: player.move(.next, in: &timeline, from: effective, now: now)
    case .previousSection, .nextDenominator: player.move(.previous, in: &timeline, from: effective, now: now)
    case .restartSection, .nextSubdivision: player.move(.again, in: &timeline, from: effective, now: now)
    case .nextSong, .nextAccents, .previousSong, .previousSubdivision:
      let isNext = [.nextSong, .nextAccents].contains(order.command)
      player.move(bySongs: isNext ? 1 : -1, in: &timeline, from: effective, now: now)
      // While stopped, nothing else would say that the song has changed.
      if !timeline.isPlaying { reply = .number(player.song + 1) }
    case .nextPreset, .previousPreset, .recallPreset:
      guard let number = placeToRecall(order.command), let saved = presets[place: number]?.place else {
        return .refused(refusalOfRecall(order.command))
      }
      settings.set = presets[place: number]?.rhythm.set ?? settings.set
      (recalled, recalls) = (number, recalls + 1)
      player.recall(saved, in: &timeline, from: effective, now: now)
    case .storePreset(let number):
      guard let saved = player.savedPlace(at: asOf) else {
        return .refused(leader.ramp == nil ? .scoreHasNoName : .inRamp)
      }
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
    case .setTempo: return .refused(leader.ramp == nil ? .scoreHasTempo : .inRamp)
    default: return .refused(leader.ramp == nil ? .scoreHasBars : .inRamp)
    }
    leader.player = player
    return reply
  }

  /// Starts a score with its count-in; false if nothing in it sounds.
  private mutating func start(_ player: inout ScorePlayer, at firstBeat: Instant, now: Instant) -> Bool {
    guard let started = player.start(session: sessions &+ 1, at: firstBeat, now: now) else { return false }
    sessions &+= 1
    begin(started)
    return true
  }

  mutating func toggleRamp(effective: Instant, now: Instant) -> Reply? {
    switch leader {
    case .score: return .refused(.rampInScore)
    case .ramp: return play(nil, effective: effective, now: now)
    case .hands, .source:
      guard let ramp = settings.trainer.ramp else { return .refused(.noRamp) }
      return play(ramp, effective: effective, now: now)
    }
  }

  /// Plays a ramp from its beginning; nil: returns from the ramp to the settings, at the tempo that was reached. While playing,
  /// the change begins with the next beat.
  mutating func play(_ ramp: TempoSteps?, effective: Instant, now: Instant) -> Reply? {
    guard ramp != nil || leader.ramp != nil else { return nil }
    if case .score = leader { return .refused(.rampInScore) }
    let song = ramp.flatMap { Trainer.song($0, Bar(settings.bar.metre, settings.bar.rhythm)) }
    guard ramp == nil || song != nil else { return .refused(.rampOutsideRange(settings.unit)) }
    if leader.ramp != nil, let reached = timeline.tempo(at: now) { settings.tempo = reached }
    settings.trainer.ramp = ramp ?? settings.trainer.ramp
    (awaitsBarLine, taps) = (false, nil)
    if let ramp, let song { handOver(to: .ramp(ScorePlayer(song), ramp)) } else { handOver(to: .hands) }
    guard timeline.isPlaying else { return nil }
    let next = timeline.knownBeat(timeline.nextBeat(atOrAfter: effective))
    if let started = leader.player?.start(session: sessions &+ 1, at: next.instant, now: now) {
      sessions &+= 1
      timeline = started
    } else {
      source?.played = nil
      changeSteered(from: effective, now: now)
    }
    return nil
  }

  mutating func setTimer(from now: Instant) -> Reply? {
    guard settings.trainer.isTimed else { return nil }
    guard settings.trainer.timer != nil else {
      settings.trainer.isTimed = false
      return .refused(.noTimer)
    }
    timedFrom = timeline.isPlaying ? .command(now) : nil
    return .stored
  }

  mutating func continueScore(effective: Instant, now: Instant) {
    guard timeline.isPlaying else { return }
    if leader.player?.hasEnded(at: now) == true {
      finishSong()
    } else {
      leader.player?.catchUp(&boxedTimeline.value, from: effective, now: now)
      leader.player?.fill(&boxedTimeline.value, from: effective, now: now)
    }
  }

  mutating func finishSong() {
    leader.player?.finish()
    stop()
  }

  /// Undoes a press. If it has already changed a committed beat, only the speed is restored, and only within the same song.
  mutating func returnToScore(
    from without: Metronome, _ played: ScorePlayer, effective: Instant, now: Instant
  ) {
    guard let returned = leader.player else { return }
    leader.player = played
    if timeline.session == without.timeline.session, timeline.hasBeats(of: without.timeline, before: effective) {
      if leader.player?.follow(returned, in: &boxedTimeline.value, from: effective, now: now) == true { return }
      (leader.player, timeline) = (returned, without.timeline)
    } else if played.song == returned.song {
      leader.player?.change(speed: returned.speed, in: &boxedTimeline.value, from: effective, now: now)
    }
  }
}
