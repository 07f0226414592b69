import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import TestSupport
import Testing

/// Random settings, hands and instants: what another configuration does not concern is as if none had been taken over.
@Suite struct ReloadPropertyTests {
  private static let seeds = Seeds.few(3, of: 10)

  /// Two lives that are the same but for reloads.
  private struct Trial {
    let life: Life
    let plain: Bench
    let changed: Bench
    var random: SeededRandom

    init(seed: UInt64, sound: Bool = true, lead: Lead? = nil, reload: (Bench, Nanoseconds, inout SeededRandom) -> Void)
    {
      life = Life(seed: seed)
      random = SeededRandom(seed: ~seed)
      func bench(_ life: Life) -> Bench {
        Bench(life.settings, sound: sound, script: life.script, lead: lead, gestures: Life.gestures)
      }
      plain = bench(life)
      changed = bench(life)
      for _ in 0..<6 { reload(changed, Nanoseconds(.random(in: 0..<life.length.count, using: &random)), &random) }
      plain.ended(after: life.length)
      changed.ended(after: life.length)
    }
  }

  @Test(arguments: seeds) func whatIsTheSameTouchesNothing(seed: UInt64) {
    let trial = Trial(seed: seed) { bench, time, _ in bench.reload(at: time) }
    #expect(trial.plain.trace.events.count > 50)
    #expect(trial.changed.trace.events == trial.plain.trace.events)
    #expect(trial.changed.simulation.board.lines.calls == trial.plain.simulation.board.lines.calls)
  }

  /// A beginning is long past, rules are for what comes, and other sounds begin where the old ones would have.
  @Test(arguments: seeds) func whatDoesNotConcernTheBeatLeavesIt(seed: UInt64) {
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
    #expect(trial.changed.simulation.board.sound?.openings == 1)
  }

  @Test(arguments: seeds) func otherPulsesLeaveTheBeats(seed: UInt64) {
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

  /// What was lit on the old line is lit on the new one, and all else is as it was.
  @Test(arguments: seeds) func otherLinesShowTheSameBeat(seed: UInt64) {
    let trial = Trial(seed: seed) { bench, time, _ in bench.reload(at: time, BoardChanges(outputs: true)) }
    #expect(trial.changed.levelLines == trial.plain.levelLines)
    #expect(trial.changed.beats.map(\.beat) == trial.plain.beats.map(\.beat))
    #expect(trial.changed.clicks == trial.plain.clicks)
    #expect(trial.changed.simulation.board.lines.calls == trial.plain.simulation.board.lines.calls)
  }

  /// The lights do not notice another card. From when it can be heard each beat has one click, and no click is beside a beat.
  @Test(arguments: seeds) func anotherCardClicksOnTheSameBeats(seed: UInt64) {
    var times: [Nanoseconds] = []
    let trial = Trial(seed: seed, lead: Lead(duration: .milliseconds(24))) { bench, time, random in
      var board = SimulatedBoard.Options()
      board.audio = Misfortune.formats.randomElement(using: &random)!
      times.append(time)
      bench.reload(at: time, board: board, BoardChanges(sound: true))
    }
    let kinds: Set<Bench.Kind> = [.state, .beat, .line]
    #expect(trial.changed.lines(per: Nanoseconds(1), kinds) == trial.plain.lines(per: Nanoseconds(1), kinds))
    #expect(trial.changed.lines(per: Nanoseconds(1), [.incident]) == [])
    #expect(trial.changed.simulation.board.sound?.openings == 7)
    func isQuiet(_ time: Nanoseconds) -> Bool { times.contains { $0 <= time && time < $0 + .milliseconds(70) } }
    // What had been committed before a stop depends on what the card had been given.
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

  /// Without sound, as the lines alone.
  @Test(arguments: seeds) func withoutSoundItIsTheSame(seed: UInt64) {
    let trial = Trial(seed: seed, sound: false) { bench, time, random in
      let isLines = Bool.random(using: &random)
      bench.reload(at: time, BoardChanges(outputs: isLines)) { $0.sounds.volume = isLines ? 0.1 : 0.2 }
    }
    #expect(trial.changed.levelLines == trial.plain.levelLines)
    #expect(trial.changed.lines(per: Nanoseconds(1), [.sound]) == [])
  }
}
