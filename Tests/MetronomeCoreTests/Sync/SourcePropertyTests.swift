import TestSupport
import Testing

@testable import MetronomeCore

/// The metronome with a clock that changes its tempo, stutters, is lost and comes back, while hands give commands and undo them.
@Suite struct SourcePropertyTests {
  private struct Life {
    var random: Lehmer
    var metronome: Metronome
    var reader = BeatReader()
    var now = Instant.zero + .seconds(1)
    let lead: Nanoseconds
    /// The clock: its position at an instant, in millionths of a quarter, and femtoseconds per quarter.
    private var clock = (quarter: Int64(0), at: Instant.zero, period: Int64(500_000_000_000_000))
    private var (epoch, changes) = (1, 0)
    private var presses: UInt64 = 0

    init(seed: UInt64) throws {
      random = Lehmer(seed: seed)
      var presets = PresetList()
      for place in 1...4 {
        let name = try #require(PresetName("\(place)"))
        try presets.save(Preset(name, Life.music(&random)))
      }
      lead = .milliseconds([1, 20, 60, 400][random.below(4)])
      let rules = Rules(countIn: random.below(3), tapRounds: random.below(2) == 0, tapStarts: true)
      metronome = Metronome(Settings(Life.music(&random)), rules: rules, presets: presets)
      metronome.use(SourceOptions(hasTransport: random.below(2) == 0))
    }

    private static func music(_ random: inout Lehmer) -> Music {
      let signature = Signature(1 + random.below(12), over: 1 << random.below(5), limit: .none)!
      let texts = ["", "", "sub=2", "sub=3", "sub=4 swing=58%"]
      let rhythm = try? Rhythm(text: texts[random.below(texts.count)], for: Metre(signature))
      return Music(
        tempo: Tempo(milliBPM: 10_000 + random.below(400_000))!, signature: signature, rhythm: rhythm ?? Rhythm())
    }

    private mutating func change(_ change: (inout Metronome, Instant) -> Void) {
      change(&metronome, now + lead)
      reader.expectNothingCommittedChanged(metronome.timeline, before: now + lead)
    }

    /// Advances the clock, and calls `catchUp` at each deadline.
    mutating func wait(_ time: Nanoseconds) {
      let end = now + time
      while let deadline = metronome.deadline, max(deadline, now) < end {
        // A change that waits for the bar line of a session can be made only once its beat can move.
        now = max(deadline, now + Nanoseconds(1))
        reader.read(metronome.timeline, before: now + lead)
        change { [now] in $0.catchUp(effective: $1, now: now) }
      }
      now = max(now, end)
      reader.read(metronome.timeline, before: now + lead)
    }

    private mutating func apply(_ command: Command, _ press: Press? = nil) {
      change { [now] in $0.apply(command, pressed: now, provisional: press, effective: $1, now: now) }
    }

    /// A command, or a press that is undone.
    mutating func command() {
      let presses = presses + 1
      self.presses = presses
      let press = random.below(5) == 0 ? Press(.play, at: now, number: presses) : nil
      apply(anyCommand(), press)
      guard let press else { return }
      wait(.milliseconds(Int64(random.below(400))))
      let next: Command = [.tellTempo, .nextNumerator, .nextGap][random.below(3)]
      change { [now] in $0.undo(press, for: next, effective: $1, now: now) }
    }

    private mutating func anyCommand() -> Command {
      switch random.below(16) {
      case 0...2: .start
      case 3: random.below(3) == 0 ? .togglePlaying : .start
      case 4: .setTempo(Tempo(milliBPM: 10_000 + random.below(900_000))!)
      case 5...6: .stepTempo(byMilliBPM: random.below(40_001) - 20_000)
      case 7: .setNumerator(1 + random.below(12))
      case 8: .setDenominator(1 << random.below(5))
      case 9: [.nextSubdivision, .nextAccents][random.below(2)]
      case 10...12: .recallPreset(1 + random.below(4))
      case 13: [.nextGap, .toggleDrop][random.below(2)]
      default: .tap
      }
    }

    /// Some clocks, and what can happen to them. Their source never says that it plays, so that no beat jumps within its bar.
    mutating func clocks() {
      clock = (position, now, clock.period)
      switch random.below(8) {
      case 0:
        clock.period = Int64(60_000_000_000_000_000 / (20 + random.below(400)))
        changes += 1
      case 1...3: clock.period = clock.period / 1_000 * Int64(980 + random.below(41))
      case 4: epoch += 1
      case 5:
        let now = now
        change { metronome, _ in metronome.sourceStopped(now: now) }
      case 6:
        let now = now
        change { metronome, _ in metronome.show(.lost, now: now) }
      default: break
      }
      clock.period = min(max(clock.period, 61_000_000_000_000), 6_000_000_000_000_000)
      for _ in 0..<(1 + random.below(12)) {
        let observation = BeatObservation(
          epoch: epoch, changes: changes, quarter: position,
          instant: now + Nanoseconds(Int64(random.below(2_000_000)) - 1_000_000), period: clock.period,
          isPlaying: false)
        change { [now] in $0.follow(observation, effective: $1, soonest: $1, now: now) }
        if random.below(4) == 0 { change { [now] metronome, _ in metronome.show(.locked(.initial), now: now) } }
        wait(Nanoseconds(clock.period / 24_000_000))
      }
    }

    private var position: Int64 {
      clock.quarter + Int64(Int128((now - clock.at).count) * 1_000_000_000_000 / Int128(clock.period))
    }
  }

  /// No command and no message of the source traps, changes a beat that the outputs have committed, or leaves a beat or a bar out.
  @Test(arguments: Seeds.few(30, of: 3_000 as UInt64))
  func beatsStayConsecutive(seed: UInt64) throws {
    var life = try Life(seed: seed)
    for _ in 0..<80 {
      if life.random.below(2) == 0 { life.command() } else { life.clocks() }
      life.wait(.milliseconds(Int64(life.random.below([30, 300, 1_500][life.random.below(3)]))))
    }
  }
}
