import BoardSimulation
import MetronomeCore
import MetronomeEngine
import Testing

/// The behaviour that was carried over from Raytronome, as recorded by its tests: a table of commands and seconds, and the
/// complete output.
@Suite struct RaytronomeTests {
  /// Performs commands at whole seconds, and runs for five more seconds.
  private func after(_ commands: [(Int64, Command)], settings: Settings = Settings(limit: .denominator)) -> Bench {
    let bench = Bench(settings)
    for (second, command) in commands {
      bench.simulation.run(until: .zero + .seconds(second))
      bench.simulation.perform(command)
    }
    return bench.ended(after: .seconds((commands.last?.0 ?? 0) + 5))
  }

  @Test func initialStateIsStoppedAt120InFourFour() {
    expect(after([]).lines(per: .seconds(1)), "0 stopped 120 BPM 4/4")
    let settings = Metronome().settings
    #expect((settings.signature.numerator, settings.signature.denominator) == (4, 4))
  }

  @Test func playButtonTogglesPlaying() {
    var script = Script()
    for second in [10, 20, 30] as [Int64] { script.press(.play, at: .seconds(second)) }
    expect(
      Bench(script: script).ended(after: .seconds(35)).lines(per: .seconds(1)),
      """
      0 stopped 120 BPM 4/4
      10 playing 120 BPM 4/4
      20 stopped 120 BPM 4/4
      30 playing 120 BPM 4/4
      """)
  }

  @Test func denominatorStepsAndWraps() {
    expect(
      after([(5, .nextDenominator), (10, .nextDenominator), (15, .nextDenominator), (20, .nextDenominator)])
        .lines(per: .seconds(1)),
      """
      0 stopped 120 BPM 4/4
      5 stopped 120 BPM 4/8
      10 stopped 120 BPM 4/16
      15 stopped 120 BPM 4/32
      20 stopped 120 BPM 4/4
      """)
  }

  @Test func numeratorStepsUpToTheDenominator() {
    expect(
      after([(5, .nextNumerator), (10, .nextNumerator), (15, .nextNumerator), (20, .nextNumerator)])
        .lines(per: .seconds(1)),
      """
      0 stopped 120 BPM 4/4
      5 stopped 120 BPM 1/4
      10 stopped 120 BPM 2/4
      15 stopped 120 BPM 3/4
      20 stopped 120 BPM 4/4
      """)
  }

  @Test func numeratorNeverExceedsTheDenominatorWithTheLimit() {
    let settings = Settings(Music(signature: Signature(24, over: 32, limit: .denominator)!), limit: .denominator)
    expect(
      after([(5, .setDenominator(16)), (10, .setDenominator(8)), (15, .setDenominator(4))], settings: settings)
        .lines(per: .seconds(1)),
      """
      0 stopped 120 BPM 24/32
      5 stopped 120 BPM 16/16
      10 stopped 120 BPM 8/8
      15 stopped 120 BPM 4/4
      """)
  }

  @Test func signatureFollowsTheCommands() {
    expect(
      after([
        (5, .setNumerator(3)), (10, .setNumerator(1)), (15, .setDenominator(8)), (20, .setNumerator(5)),
        (25, .setNumerator(7)), (30, .setDenominator(16)), (35, .setNumerator(12)), (40, .setDenominator(32)),
        (45, .setNumerator(24)), (50, .setNumerator(32)),
      ]).lines(per: .seconds(1)),
      """
      0 stopped 120 BPM 4/4
      5 stopped 120 BPM 3/4
      10 stopped 120 BPM 1/4
      15 stopped 120 BPM 1/8
      20 stopped 120 BPM 5/8
      25 stopped 120 BPM 7/8
      30 stopped 120 BPM 7/16
      35 stopped 120 BPM 12/16
      40 stopped 120 BPM 12/32
      45 stopped 120 BPM 24/32
      50 stopped 120 BPM 32/32
      """)
  }

  @Test func unchangedStateIsNotReportedAgain() {
    expect(
      after([(5, .setNumerator(4)), (10, .setDenominator(4)), (15, .setTempo(.initial)), (20, .stop)])
        .lines(per: .seconds(1)),
      "0 stopped 120 BPM 4/4")
  }

  @Test func tempoFollowsTheCommands() {
    expect(
      after([(10, 75), (15, 90), (20, 180), (25, 60)].map { ($0, .setTempo(Tempo(bpm: $1)!)) })
        .lines(per: .seconds(1)),
      """
      0 stopped 120 BPM 4/4
      10 stopped 75 BPM 4/4
      15 stopped 90 BPM 4/4
      20 stopped 180 BPM 4/4
      25 stopped 60 BPM 4/4
      """)
  }

  @Test func tempoFollowsTheCommandsWhilePlaying() {
    expect(
      after([(5, .start), (10, .setTempo(Tempo(milliBPM: 92_500)!)), (15, .stop)]).lines(per: .seconds(1)),
      """
      0 stopped 120 BPM 4/4
      5 playing 120 BPM 4/4
      10 playing 92.5 BPM 4/4
      15 stopped 92.5 BPM 4/4
      """)
  }

  /// In the recordings the first beat is one interval after the start; here it is one lead after it.
  private func beats(_ denominator: Int, interval: Nanoseconds, count: Int, per unit: Nanoseconds) -> [String] {
    let bench = Bench(Settings(Music(signature: Signature(4, over: denominator, limit: .denominator)!)))
    bench.simulation.perform(.start)
    let lead = bench.simulation.engine.lead.current.duration
    bench.ended(after: lead + interval * Int64(count))
    return bench.beats.map { time, beat in
      "\((time - lead + interval).count / unit.count) \(beat.level.word) \(beat.parity)"
    }
  }

  @Test func quartersMatchTheRecording() {
    expect(
      beats(4, interval: .milliseconds(500), count: 8, per: .milliseconds(100)),
      """
      5 first even
      10 regular odd
      15 regular even
      20 regular odd
      25 first even
      30 regular odd
      35 regular even
      40 regular odd
      """)
  }

  @Test func thirtySecondNotesMatchTheRecording() {
    expect(
      beats(32, interval: .microseconds(62_500), count: 8, per: .milliseconds(10)),
      """
      6 first even
      12 regular odd
      18 regular even
      25 regular odd
      31 first even
      37 regular odd
      43 regular even
      50 regular odd
      """)
  }

  @Test func pendulumSwitchesOnOddBeatsAndOffOnEvenBeats() {
    var script = Script()
    script.press(.play, at: .seconds(1))
    expect(
      Bench(script: script).ended(after: .milliseconds(3_400)).lines(per: .milliseconds(1), [.beat, .line])
        .filter { $0.contains("pendulum") || $0.contains("even") || $0.contains("odd") },
      """
      1001 first even
      1501 pendulum on
      1501 regular odd
      2001 pendulum off
      2001 regular even
      2501 pendulum on
      2501 regular odd
      3001 pendulum off
      3001 first even
      """)
  }

  @Test func allOutputsShowTheBeatsOfABar() {
    var script = Script()
    script.press(.play, at: .seconds(1))
    script.press(.play, at: .milliseconds(2_100))
    expect(
      Bench(audio: true, script: script).ended(after: .seconds(3))
        .lines(per: .milliseconds(1), [.state, .beat, .line, .click]),
      """
      0 stopped 120 BPM 4/4
      1000 playing 120 BPM 4/4
      1024 light on
      1024 buzzer on
      1024 first even
      1024 first click 49152
      1064 buzzer off
      1124 light off
      1524 light on
      1524 pendulum on
      1524 buzzer on
      1524 regular odd
      1524 regular click 73152
      1544 buzzer off
      1574 light off
      2024 light on
      2024 pendulum off
      2024 buzzer on
      2024 regular even
      2024 regular click 97152
      2044 buzzer off
      2074 light off
      2100 stopped 120 BPM 4/4
      """)
  }

  @Test func numeratorMayExceedTheDenominatorWithoutTheLimit() {
    expect(
      after(
        [(5, .nextNumerator), (10, .setDenominator(8)), (15, .setNumerator(12)), (20, .setDenominator(2))],
        settings: Settings()
      )
      .lines(per: .seconds(1)),
      """
      0 stopped 120 BPM 4/4
      5 stopped 120 BPM 5/4
      10 stopped 120 BPM 5/8
      15 stopped 120 BPM 12/8
      20 stopped 120 BPM 12/2
      """)
  }
}
