import BoardSimulation
import MetronomeCore
import MetronomeEngine

/// Checks by independent arithmetic which bars and beats are silent: those of the trainer's gap, or those of the score.
///
/// ``ClickChecker`` and ``LineChecker`` check that they are silent.
final class SilenceChecker: Checker {
  /// Consecutive bars that are all silent, or that all sound.
  private struct Run {
    var isSilent: Bool
    var bars: Int
    /// Whether the run was seen from its first bar on.
    var isWhole: Bool
  }

  private var state: MetronomeState?
  private var session: UInt32?
  private var last: Beat?
  /// Whether the settings have not changed for at least a bar.
  private var isSettled = false
  private var run: Run?
  /// When the gap and the drop of the trainer last changed.
  private var practiceChange = Instant.never
  /// The score of the session; nil: it has none.
  private var places: ScorePlaces?

  override func see(_ event: TraceEvent) {
    switch event.what {
    case .state(let state):
      if state.trainer != self.state?.trainer { practiceChange = scene.now }
      self.state = state
      reset()
    case .beat(let beat): see(beat)
    case .line, .click, .hit, .button, .skipped, .missed, .underrun, .fault, .audio, .display, .ended, .began, .midi,
      .lostClocks:
      break
    }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    if changes.hasOtherBeats { reset() }
    follow(scene.timeline, of: scene.options.score)
  }

  /// A start that is noticed with a reload was before it.
  override func reconfigured() { follow(scene.simulation.engine.control.timeline, of: scene.oldOptions.score) }

  private func follow(_ timeline: Timeline, of score: SetList?) {
    guard timeline.session != session else { return }
    session = timeline.session
    last = nil
    // A score that is loaded during playback waits for the stop. A session that continues after an undone stop has the old score.
    guard timeline.isPlaying, timeline.first == 0 else { return }
    places = score.map(ScorePlaces.init)
  }

  override func switched(isOn: Bool) {
    (session, last) = (nil, nil)
    reset()
  }

  private func reset() { (isSettled, run) = (false, nil) }

  private func see(_ beat: Beat) {
    defer { last = beat }
    guard let state, state.isPlaying, session == scene.timeline.session else { return reset() }
    if beat.bar < 0 {
      if beat.isSilent { scene.breach(.silencesKept, "beat \(beat.index) of the count-in is silent") }
    } else if state.score != nil {
      checkScore(beat, state)
    } else if let last, last.index + 1 == beat.index {
      isSettled = isSettled || hasSettled(last)
      if isSettled { checkTrainer(beat, state) }
    } else {
      reset()
    }
  }

  // MARK: The gap of the trainer

  /// Whether all announced changes are in effect after a beat: see ``StretchChecker``.
  private func hasSettled(_ last: Beat) -> Bool {
    let effect = scene.inEffect + .seconds(1)
    guard last.instant > effect, let end = scene.timeline.lastBeat(atOrBefore: effect) else { return false }
    return last.bar > end.bar + 1
  }

  private func checkTrainer(_ beat: Beat, _ state: MetronomeState) {
    // Dropped beats are checked in scores.
    guard !state.trainer.contains("drop") else { return }
    guard let gap = state.gap else {
      if beat.isSilent { scene.breach(.silencesKept, "beat \(beat.index) is silent without a gap") }
      return
    }
    guard beat.position == 0 else {
      if let run, run.isSilent != beat.isSilent {
        scene.breach(.silencesKept, "beat \(beat.index) is \(beat.sound), but the bar is not")
      }
      return
    }
    guard var run, run.isSilent == beat.isSilent else {
      if let run, run.isWhole { check(run, gap, isOver: true) }
      self.run = Run(isSilent: beat.isSilent, bars: 1, isWhole: self.run != nil)
      return
    }
    run.bars += 1
    check(run, gap, isOver: false)
    self.run = run
  }

  private func check(_ run: Run, _ gap: (sounding: Int, silent: Int), isOver: Bool) {
    let bars = run.isSilent ? gap.silent : gap.sounding
    guard isOver ? run.bars != bars : run.bars > bars else { return }
    scene.breach(
      .silencesKept,
      "\(run.bars) bars are \(run.isSilent ? "silent" : "not silent") in a gap of \(gap.sounding)/\(gap.silent)")
  }

  // MARK: The gaps and dropped beats of a score

  private func checkScore(_ beat: Beat, _ state: MetronomeState) {
    guard let places, !places.isIncomplete, beat.bar < places.end, !state.trainer.contains("ramp"),
      let beats = scene.timeline.bar(ofBeat: beat.index)?.metre.beatsInBar
    else { return }
    let isPractising = !state.trainer.isEmpty || scene.now < practiceChange + scene.lead.duration + .seconds(2)
    let matches = places.all.contains { place in
      guard place.contains(bar: beat.bar), place.section.bar.metre.beatsInBar == beats else { return false }
      if place.section.filter.isEmpty, isPractising { return true }
      return place.isSilent(bar: beat.bar, position: beat.position) == beat.isSilent
    }
    guard !matches else { return }
    scene.breach(
      .silencesKept, "beat \(beat.index), bar \(beat.bar), place \(beat.position) of the score is \(beat.sound)")
  }
}

/// The sections of all songs of a score, as they are played one after another. A bar of a song may be in several of them: what
/// follows a part without an end is counted as if that part had no bars.
private struct ScorePlaces {
  struct Place {
    var section: Section
    /// The bar and the beat of the song at which it begins.
    var bar: Int64
    var beat: Int64
    /// nil: without an end.
    var bars: Int64?

    func contains(bar: Int64) -> Bool { bar >= self.bar && bars.map { bar < self.bar + $0 } ?? true }

    /// The definition of gaps and drops, with fractions.
    func isSilent(bar: Int64, position: Int) -> Bool {
      let filter = section.filter
      let (bar, position) = (bar - self.bar, Int64(position))
      let beat = bar * Int64(section.bar.metre.beatsInBar) + position
      let (sounding, silent) = (Int64(filter.sounding), Int64(filter.silent))
      if silent > 0, (filter.countsBeats ? beat : bar) % (sounding + silent) >= sounding { return true }
      // SplitMix64.
      var random = filter.seed &+ UInt64(self.beat + beat + 1) &* 0x9E37_79B9_7F4A_7C15
      random = (random ^ random >> 30) &* 0xBF58_476D_1CE4_E5B9
      random = (random ^ random >> 27) &* 0x94D0_49BB_1331_11EB
      random ^= random >> 31
      // random / 2⁶⁴ < percent / 100 · min(1, bar / growth)
      let growth = Int128(filter.dropGrowth)
      let (grown, length) = growth == 0 ? (1, 1) : (min(Int128(bar), growth), growth)
      return Int128(random) * 100 * length < (Int128(filter.dropPercent) * grown) << 64
    }
  }

  /// The maximum number of listed sections.
  private static let most = 1_000
  /// How many repetitions of a block without an end are listed.
  private static let mostTurns: Int64 = 100

  private(set) var all: [Place] = []
  /// Whether places are missing: some lengths depend on the practice speed, or there are too many.
  private(set) var isIncomplete = false
  /// The first bar that is not listed, because only ``mostTurns`` repetitions of a block without an end are.
  private(set) var end = Int64.max

  init(_ score: SetList) {
    for song in score.songs {
      var (bar, beat) = (Int64(0), Int64(0))
      add(song.parts, &bar, &beat)
    }
  }

  private mutating func add(_ parts: [Song.Part], _ bar: inout Int64, _ beat: inout Int64) {
    for part in parts where !isIncomplete {
      switch part {
      case .section(let section): add(section, &bar, &beat)
      case .pause: break
      case .block(let block):
        let begin = (bar, beat)
        let turns = block.count ?? ScorePlaces.mostTurns
        for _ in 0..<turns where !isIncomplete {
          let turn = bar
          add(block.parts, &bar, &beat)
          if bar == turn { break }
        }
        if block.count == nil {
          if bar > begin.0 { end = min(end, bar) }
          (bar, beat) = begin
        }
      }
    }
  }

  private mutating func add(_ section: Section, _ bar: inout Int64, _ beat: inout Int64) {
    var bars = section.bars
    if case .steps(let steps) = section.tempo, steps.end == .stop { isIncomplete = true }
    switch section.limit {
    case .time: isIncomplete = true
    case .bars(let limit): bars = min(bars ?? limit, limit)
    case nil: break
    }
    if all.count == ScorePlaces.most { isIncomplete = true }
    guard !isIncomplete else { return }
    all.append(Place(section: section, bar: bar, beat: beat, bars: bars))
    bar += bars ?? 0
    beat += (bars ?? 0) * Int64(section.bar.metre.beatsInBar)
  }
}

extension MetronomeState {
  /// The bars that sound and the bars that are silent.
  fileprivate var gap: (sounding: Int, silent: Int)? {
    let words = trainer.split(separator: " ").map { $0.prefix { $0 != "," } }
    guard let place = words.firstIndex(of: "gap"), place + 1 < words.count else { return nil }
    let numbers = words[place + 1].split(separator: "/").compactMap { Int($0) }
    return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
  }
}

extension Beat {
  fileprivate var sound: String { isSilent ? "silent" : "not silent" }
}
