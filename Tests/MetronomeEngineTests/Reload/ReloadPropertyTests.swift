import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import TestSupport
import Testing

/// Reloads at random times, with random settings and presses. A reload affects only the options that it changes.
@Suite struct ReloadPropertyTests {
  private static let seeds = Seeds.few(3, of: 10)

  /// Two simulations that differ only in reloads.
  private struct Trial {
    let run: RandomRun
    let plain: Bench
    let changed: Bench
    var random: SeededRandom

    init(seed: UInt64, audio: Bool = true, lead: Lead? = nil, reload: (Bench, Nanoseconds, inout SeededRandom) -> Void)
    {
      run = RandomRun(seed: seed)
      random = SeededRandom(seed: ~seed)
      func bench(_ run: RandomRun) -> Bench {
        Bench(run.settings, audio: audio, script: run.script, lead: lead, gestures: RandomRun.gestures)
      }
      plain = bench(run)
      changed = bench(run)
      for _ in 0..<6 { reload(changed, Nanoseconds(.random(in: 0..<run.length.count, using: &random)), &random) }
      plain.ended(after: run.length)
      changed.ended(after: run.length)
    }
  }

  @Test(arguments: seeds) func reloadWithoutChangesHasNoEffect(seed: UInt64) {
    let trial = Trial(seed: seed) { bench, time, _ in bench.reload(at: time) }
    #expect(trial.plain.trace.events.count > 50)
    #expect(trial.changed.trace.events == trial.plain.trace.events)
    #expect(trial.changed.simulation.board.lines.calls == trial.plain.simulation.board.lines.calls)
  }

  /// Unrelated options do not affect the beat: start options and these rules do not affect running beats, and new sounds start
  /// at the times of the old sounds.
  @Test(arguments: seeds) func unrelatedOptionsDoNotAffectTheBeat(seed: UInt64) {
    let trial = Trial(seed: seed) { bench, time, random in
      let volume = Double.random(in: 0...1, using: &random)
      let gain = Double.random(in: -6...6, using: &random)
      bench.reload(at: time) { options in
        options.restores.toggle()
        options.rules.tapRounds.toggle()
        options.rules.homeTempo = Tempo(milliBPM: 77_000)!
        options.sounds.volume = volume
        options.sounds.gainDB = gain
      }
    }
    #expect(trial.changed.music == trial.plain.music)
    #expect(trial.changed.simulation.board.lines.calls == trial.plain.simulation.board.lines.calls)
    #expect(trial.changed.simulation.board.audio?.openings == 1)
  }

  @Test(arguments: seeds) func pulseChangesDoNotMoveTheBeats(seed: UInt64) {
    let trial = Trial(seed: seed) { bench, time, random in
      let widths = (0..<6).map { _ in Pulse.atMost(Nanoseconds(.random(in: 1...200_000_000, using: &random))) }
      bench.reload(at: time) { options in
        options.pattern.light = PerLevel(strong: widths[0], weak: widths[1])
        options.pattern.pendulum = PerLevel(strong: widths[2], weak: .wholeBeat)
        options.pattern.buzzer = PerLevel(strong: widths[4], weak: widths[5])
      }
    }
    #expect(trial.changed.beats.map(\.beat) == trial.plain.beats.map(\.beat))
    #expect(trial.changed.rises(of: .light) == trial.plain.rises(of: .light))
    #expect(trial.changed.rises(of: .buzzer) == trial.plain.rises(of: .buzzer))
    #expect(trial.changed.clicks == trial.plain.clicks)
    #expect(trial.changed.finalLevels == .inactive)
  }

  /// Line changes keep the beat. An output that was on stays on with its new line, and nothing else changes.
  @Test(arguments: seeds) func lineChangesKeepTheBeat(seed: UInt64) {
    let trial = Trial(seed: seed) { bench, time, _ in bench.reload(at: time, BoardChanges(outputs: true)) }
    #expect(trial.changed.levelLines == trial.plain.levelLines)
    #expect(trial.changed.beats.map(\.beat) == trial.plain.beats.map(\.beat))
    #expect(trial.changed.clicks == trial.plain.clicks)
    #expect(trial.changed.simulation.board.lines.calls == trial.plain.simulation.board.lines.calls)
  }

  /// A new card clicks on the same beats, and does not affect the lights. As soon as the card is audible each beat has one
  /// click, and every click is on a beat.
  @Test(arguments: seeds) func newCardClicksOnTheSameBeats(seed: UInt64) {
    var times: [Nanoseconds] = []
    let trial = Trial(seed: seed, lead: Lead(duration: .milliseconds(24))) { bench, time, random in
      var board = SimulatedBoard.Options()
      board.audio = FaultSequence.formats.randomElement(using: &random)!
      times.append(time)
      bench.reload(at: time, board: board, BoardChanges(audio: true))
    }
    let kinds: Set<Bench.Kind> = [.state, .beat, .line]
    #expect(trial.changed.lines(per: Nanoseconds(1), kinds) == trial.plain.lines(per: Nanoseconds(1), kinds))
    #expect(trial.changed.lines(per: Nanoseconds(1), [.incident]) == [])
    #expect(trial.changed.simulation.board.audio?.openings == 7)
    func isQuiet(_ time: Nanoseconds) -> Bool { times.contains { $0 <= time && time < $0 + .milliseconds(70) } }
    // The clicks committed before a stop depend on the card's buffer.
    let beats = trial.plain.beats.map(\.time)
    let changed = trial.changed.clicks
    for click in trial.plain.clicks
    where !isQuiet(click) && beats.contains(where: { abs((click - $0).count) <= 40_000 }) {
      #expect(changed.filter { abs(($0 - click).count) <= 40_000 }.count == 1, "no click at \(click.count), or two")
    }
    for click in changed {
      let isPlain = trial.plain.clicks.contains { abs(($0 - click).count) <= 40_000 }
      #expect(isPlain, "a click at \(click.count)")
    }
  }

  /// A reload without a sound card does not affect the lines.
  @Test(arguments: seeds) func reloadWithoutSoundDoesNotAffectTheLines(seed: UInt64) {
    let trial = Trial(seed: seed, audio: false) { bench, time, random in
      let isLines = Bool.random(using: &random)
      bench.reload(at: time, BoardChanges(outputs: isLines)) { $0.sounds.volume = isLines ? 0.1 : 0.2 }
    }
    #expect(trial.changed.levelLines == trial.plain.levelLines)
    #expect(trial.changed.lines(per: Nanoseconds(1), [.audio]) == [])
  }
}
