import MetronomeCore
import TestSupport
import Testing

/// The metronome under random input: all commands, taps in and out of time, recalls, and gestures that are undone.
@Suite struct MetronomePropertyTests {
  private static let minute: Int128 = 60_000_000_000_000 * 96

  /// A metronome and a user with random input.
  private struct RandomUser {
    var random: Lehmer
    var metronome: Metronome
    var reader = BeatReader()
    var now = Instant.zero + .seconds(1)
    let lead: Nanoseconds
    let hasRhythms: Bool
    /// The bar line at which the last recall takes effect.
    var barLine = Instant.zero
    /// Until this instant a change that waited for timeline space may still wait for a bar line.
    var unsure = Instant.zero
    /// The interval between taps.
    var tapping = Nanoseconds.milliseconds(500)

    init(seed: UInt64, lead: Nanoseconds, hasRhythms: Bool) {
      self.hasRhythms = hasRhythms
      self.lead = lead
      var random = Lehmer(seed: seed)
      var presets = PresetList()
      for place in 1...5 {
        let signature = Signature(1 + random.below(12), 1 << random.below(6))
        let tempo = Tempo(milliBPM: 20_000 + random.below(300_000))!
        do throws(PresetError) {
          try presets.save(Preset(PresetName("\(place)")!, Music(tempo: tempo, signature: signature)))
        } catch {
          preconditionFailure("five presets must fit: \(error)")
        }
      }
      metronome = Metronome(
        Settings(
          Music(tempo: Tempo(milliBPM: 20_000 + random.below(300_000))!),
          limit: random.below(2) == 0 ? .none : .denominator),
        rules: Rules(countIn: random.below(3), tapRounds: random.below(2) == 0, tapStarts: random.below(2) == 0),
        presets: presets)
      self.random = random
    }

    mutating func command() -> Command {
      if hasRhythms, random.below(12) == 0 {
        return [.nextSubdivision, .previousSubdivision, .nextAccents][random.below(3)]
      }
      return plainCommand()
    }

    private mutating func plainCommand() -> Command {
      switch random.below(26) {
      case 0...1: .togglePlaying
      case 2...3: .start
      case 4: .stop
      case 5: .setTempo(Tempo(milliBPM: 1_000 + random.below(998_001))!)
      case 6: .stepTempo(byMilliBPM: random.below(10_001) - 5_000)
      case 7: .resetTempo
      case 8: .setNumerator(random.below(40))
      case 9: .nextNumerator
      case 10: .previousNumerator
      case 11: .setDenominator(1 << random.below(7))
      case 12: .nextDenominator
      case 13: .previousDenominator
      case 14: .toggleSilence
      case 15: .tellTempo
      case 16: .tellSignature
      case 17: .nextPreset
      case 18: .previousPreset
      case 19: .recallPreset(random.below(8))
      case 20: .storePreset(random.below(8))
      case 21: [.volumeUp, .volumeDown, .setClickSet(.wood), .nextClickSet][random.below(4)]
      default: .tap
      }
    }

    /// Advances the clock, and calls `catchUp` at each deadline.
    mutating func wait(_ time: Nanoseconds) {
      let end = now + time
      while let deadline = metronome.deadline, max(deadline, now) < end {
        now = max(deadline, now)
        reader.read(metronome.timeline, before: now + lead)
        metronome.catchUp(effective: now + lead, now: now)
        #expect(metronome.deadline == nil)
        unsure = nextBarLine.instant
        reader.expectNothingCommittedChanged(metronome.timeline, before: now + lead)
      }
      now = end
      reader.read(metronome.timeline, before: now + lead)
    }

    mutating func press(_ command: Command, _ provisional: Press? = nil) {
      let (before, effective) = (metronome, now + lead)
      metronome.apply(command, pressed: now, provisional: provisional, effective: effective, now: now)
      reader.expectNothingCommittedChanged(metronome.timeline, before: effective)
      if !before.timeline.isPlaying, metronome.timeline.isPlaying { barLine = .zero }
      guard before.timeline.isPlaying, metronome.timeline.isPlaying, metronome.deadline == nil else { return }
      if before.deadline == nil { expectDocumentedEffect(of: command, before) } else { unsure = nextBarLine.instant }
    }

    private mutating func expectDocumentedEffect(of command: Command, _ before: Metronome) {
      switch command {
      case .nextPreset, .previousPreset, .recallPreset: expectBarLine(before)
      case .setTempo, .stepTempo, .resetTempo, .setNumerator, .nextNumerator, .previousNumerator, .setDenominator,
        .nextDenominator, .previousDenominator, .nextSubdivision, .previousSubdivision, .nextAccents, .setSignature,
        .setUnit, .setRhythm:
        guard unsure < now + lead else { return }
        if barLine < now + lead { expectPhaseKept(before) } else { expectUnchanged(before, upTo: barLine) }
      case .toggleSilence, .volumeUp, .volumeDown, .tellTempo, .tellSignature, .storePreset, .start,
        .nextSection, .previousSection, .restartSection, .nextSong, .previousSong,
        .nextGap, .toggleDrop, .toggleRamp, .toggleTimer, .setRamp, .setTimer, .setGap, .setDrop, .setVolume,
        .setClickSet,
        .nextClickSet, .pair, .forgetPhones:
        #expect(metronome.timeline == before.timeline)
      case .togglePlaying, .stop, .tap: break
      }
    }

    private var nextBarLine: Beat {
      var beat = metronome.timeline.firstBeat(atOrAfter: now + lead)!
      while beat.position > 0 { beat = metronome.timeline.knownBeat(beat.index + 1) }
      return beat
    }

    private mutating func expectBarLine(_ before: Metronome) {
      // Recalling the preset that is already playing changes nothing.
      guard metronome.timeline != before.timeline else { return }
      let (timeline, line) = (metronome.timeline, nextBarLine)
      expectUnchanged(before, upTo: line.instant)
      let beats = Int64(metronome.settings.bar.metre.beatsInBar)
      for number in 0..<(2 * beats) {
        let beat = timeline.knownBeat(line.index + number)
        let time = Int128(number) * MetronomePropertyTests.minute / metronome.settings.divisor
        #expect(Int128((beat.instant - line.instant).count) == time)
        #expect(beat.bar == line.bar + number / beats && beat.position == Int(number % beats))
      }
      barLine = line.instant
    }

    private func expectUnchanged(_ before: Metronome, upTo instant: Instant) {
      let end = before.timeline.lastBeat(atOrBefore: instant)!.index
      for index in max(metronome.timeline.oldestIndex!, end - 20)...end {
        var beat = metronome.timeline.beat(index)
        let old = before.timeline.beat(index)
        // The beat of the change already has its level.
        if index == end, let level = old?.level { beat?.level = level }
        #expect(beat == old)
      }
    }

    /// The remaining fraction of the beat is unchanged, except for rounding by up to 1 ns before the change and 1 ns at the
    /// change.
    private func expectPhaseKept(_ before: Metronome) {
      let effective = now + lead
      let (old, new) = (
        before.timeline.firstBeat(atOrAfter: effective)!, metronome.timeline.firstBeat(atOrAfter: effective)!
      )
      #expect(old.index == new.index)
      guard old.index > 0 else { return }
      let left = Int128((old.instant - effective).count) * before.settings.divisor
      let error = Int128((new.instant - effective).count) * metronome.settings.divisor - left
      #expect(error.magnitude <= before.settings.divisor + metronome.settings.divisor)
    }

    /// A press, followed by a gesture that undoes it unless another command comes between.
    mutating func pressAndUndo() {
      let (press, next) = (Press(.play, at: now, number: 1), command())
      self.press(command(), press)
      let (session, wasPlaying) = (metronome.timeline.session, metronome.timeline.isPlaying)
      wait(.milliseconds(Int64(random.below(600))))
      let effective = now + lead
      metronome.undo(press, for: next, effective: effective, now: now)
      // The press may have been a recall, whose bar line is undone with it.
      if metronome.timeline.isPlaying { (unsure, barLine) = (nextBarLine.instant, .zero) }
      reader.expectNothingCommittedChanged(metronome.timeline, before: effective)
      if wasPlaying == metronome.timeline.isPlaying, wasPlaying {
        #expect(metronome.timeline.session == session)
      }
      self.press(next)
    }

    /// Taps in time with human errors, or out of time.
    mutating func tapAlong() {
      tapping = .milliseconds(Int64(30 + random.below(1_500)))
      for _ in 0..<(2 + random.below(12)) {
        press(.tap)
        wait(tapping + .microseconds(Int64(random.below(40_000))))
      }
    }

    /// More changes than the timeline has space for, followed by taps.
    mutating func fillTimeline() {
      press(.start)
      press(.setDenominator(32))
      press(.setTempo(Tempo(bpm: 999)!))
      wait(lead)
      for _ in 0..<20 {
        press(.stepTempo(byMilliBPM: random.below(2) == 0 ? -1_000 : 1_001))
        wait(.milliseconds(8))
      }
      if random.below(2) == 0 { press(.recallPreset(1)) }
      for _ in 0..<random.below(5) {
        press(.tap)
        wait(.milliseconds(60))
      }
    }

    /// Stops, and undoes the stop. The beats must be unchanged.
    mutating func stopAndUndo() {
      guard metronome.timeline.isPlaying else { return }
      let (press, before) = (Press(.play, at: now, number: 1), metronome)
      self.press(.togglePlaying, press)
      wait(Nanoseconds(1 + Int64(random.below(5_000_000_000))))
      metronome.undo(press, for: .toggleSilence, effective: now + lead, now: now)
      if before.deadline != nil { unsure = nextBarLine.instant }
      let first = before.timeline.firstBeat(atOrAfter: now + lead)!.index
      #expect(metronome.timeline.session != before.timeline.session)
      if before.deadline == nil {
        #expect(metronome.timeline.oldestIndex == first)
        #expect(metronome.timeline.beat(first - 1) == nil)
        for index in first...first + 100 {
          #expect(metronome.timeline.beat(index) == before.timeline.beat(index))
        }
      }
      #expect(metronome.settings == before.settings)
    }
  }

  private static let cases = Seeds.few(
    61, of: (0..<100).flatMap { seed -> [(UInt64, Int64)] in [(seed, 1), (seed, 24), (seed, 400)] })

  @Test(arguments: cases) func beatsStayConsecutiveUnderRandomCommands(seed: UInt64, lead: Int64) {
    expectConsecutiveBeats(seed, lead, hasRhythms: false)
  }

  private static let rhythmCases = Seeds.few(
    30, of: (0..<100).flatMap { seed -> [(UInt64, Int64)] in [(seed, 1), (seed, 24), (seed, 400)] })

  @Test(arguments: rhythmCases) func rhythmsKeepBeatsConsecutive(seed: UInt64, lead: Int64) {
    expectConsecutiveBeats(seed, lead, hasRhythms: true)
  }

  private func expectConsecutiveBeats(_ seed: UInt64, _ lead: Int64, hasRhythms: Bool) {
    var user = RandomUser(seed: seed, lead: .milliseconds(lead), hasRhythms: hasRhythms)
    for _ in 0..<150 {
      switch user.random.below(12) {
      case 0: user.tapAlong()
      case 1: user.stopAndUndo()
      case 2...3: user.pressAndUndo()
      case 4 where seed % 4 == 0: user.fillTimeline()
      default: user.press(user.command())
      }
      let most = [3_000_000, 30_000_000, 700_000_000, 4_000_000_000][user.random.below(4)]
      user.wait(Nanoseconds(1 + Int64(user.random.below(most))))
    }
  }
}

extension Settings {
  /// A beat lasts 96 minutes, in nanoseconds and thousandths, over this.
  fileprivate var divisor: Int128 {
    let counted = Int128((unit.isDotted ? 3 : 1) * 96 / unit.denominator)
    return Int128(tempo.milliBPM) * counted * 96 / Int128(bar.metre.notesInBeat * 96 / signature.denominator)
  }
}
