import TestSupport
import Testing

@testable import MetronomeCore

/// Random scores, played with and without presses.
@Suite struct ScorePropertyTests {
  enum Stepping: CaseIterable { case atDeadlines, oftenToo }

  /// Compares the beats of a session with those of a walk, to the nanosecond or with a tolerance.
  private func compare(_ beats: [Beat], _ walk: ScoreWalk, within tolerance: Int64, _ text: String) {
    for (beat, own) in zip(beats, walk.beats) {
      let difference = (beat.instant - (.zero + own.time.nanoseconds)).count
      #expect(
        difference.magnitude <= tolerance && beat.bar == own.bar && beat.position == own.position
          && beat.isSilent == own.isSilent && beat.gain == own.gain, "\(beat) is not \(own) of:\n\(text)")
      guard difference.magnitude <= tolerance else { return }
    }
  }

  /// The beats have the instants, bars and gaps of an independent walk, and the song ends when it is over, at whatever practice
  /// speed it is entered. A metronome that is stepped more often than at its deadlines plays the same.
  @Test(arguments: Seeds.few(3, of: 400 as UInt64), Stepping.allCases)
  func aSongIsPlayedAsItIsWritten(seed: UInt64, stepping: Stepping) throws {
    var random = Lehmer(seed: seed)
    let text = RandomScore().text(&random)
    let interval: Nanoseconds? = stepping == .oftenToo ? .milliseconds(10) : nil
    var stage = try ScoreStage(text, lead: .milliseconds(Int64(1 + random.below(40))))
    for song in try Score(text: text).songs {
      let speed = [song.scale, 250, 500, 1_500, 2_000][random.below(5)]
      try stage.apply(.stepTempo(byMilliBPM: (speed - song.scale) * 100))
      let start = stage.effective
      var releases: [Instant] = []
      try stage.apply(.start)
      let end = stage.now + (interval == nil ? .seconds(300) : .seconds(3))
      while stage.now < end, stage.beats.count < 80, releases.count < 20, stage.metronome.timeline.isPlaying {
        try stage.play(until: end, every: interval, looking: .seconds(1)) {
          $0.metronome.timeline.isPlaying && $0.beats.count < 80 && $0.metronome.state.score?.isWaiting == false
        }
        if stage.metronome.timeline.isPlaying, stage.metronome.state.score?.isWaiting == true {
          #expect(stage.metronome.deadline == nil)
          releases.append(stage.effective)
          try stage.apply(.togglePlaying)
        }
      }
      let walk = ScoreWalk(
        song, at: speed, from: start, releases: releases, most: 1_000, latest: stage.effective + .seconds(300))
      compare(stage.beats, walk, within: 0, text)
      #expect(stage.beats.count <= walk.beats.count)
      if !stage.metronome.timeline.isPlaying {
        #expect(stage.beats.count == walk.beats.count, "of:\n\(text)")
        if interval == nil { #expect(walk.end?.instantAtOrAfter == stage.now, "of:\n\(text)") }
        continue
      }
      try stage.apply(.stop)
      try stage.apply(.nextSong)
    }
  }

  /// After a change of the practice speed at an instant, the distances from it to all later beats are scaled.
  @Test(arguments: Seeds.few(5, of: 400 as UInt64))
  func theSpeedScalesTheDistances(seed: UInt64) throws {
    var random = Lehmer(seed: seed)
    let text = RandomScore(hasPauses: false, mostSongs: 1).text(&random)
    let song = try Score(text: text).songs[0]
    var stage = try ScoreStage(text)
    var speed = [song.scale, 500, 1_500][random.below(3)]
    try stage.apply(.stepTempo(byMilliBPM: (speed - song.scale) * 100))
    var walk = ScoreWalk(
      song, at: speed, from: stage.effective, releases: [], most: 1_000, latest: Instant.zero + .seconds(10_000_000))
    try stage.apply(.start)
    for _ in 0..<20 where stage.metronome.timeline.isPlaying && stage.beats.count < walk.beats.count {
      // Some changes are at a beat, or a nanosecond beside it.
      let beat = walk.beats[min(stage.beats.count + random.below(20), walk.beats.count - 1)]
      let near = Instant.zero + beat.time.nanoseconds - stage.lead + Nanoseconds(Int64(random.below(3) - 1))
      let aside = Nanoseconds(random.below(2) == 0 ? 0 : Int64(random.below(300_000_000)))
      try stage.play(until: near + aside) { $0.metronome.timeline.isPlaying }
      guard stage.metronome.timeline.isPlaying, stage.beats.count < walk.beats.count else { break }
      let step = [-20_000, 20_000, 100, -100, 1_000_000, -1_000_000, random.below(100_000) - 50_000][random.below(7)]
      try stage.apply(.stepTempo(byMilliBPM: step))
      let new = min(max(speed + step / 100, 10), 4_000)
      #expect(stage.metronome.state.score?.speed == new)
      walk.rescale(from: speed, to: new, at: stage.effective)
      speed = new
    }
    compare(stage.beats, walk, within: 1, text)
    #expect(!stage.beats.isEmpty)
  }

  private static let commands: [Command] = [
    .togglePlaying, .togglePlaying, .start, .stop, .tap, .nextSection, .nextSection, .previousSection, .restartSection,
    .nextSong, .previousSong, .resetTempo, .toggleSilence, .nextNumerator, .nextDenominator, .nextSubdivision,
    .previousSubdivision, .nextAccents, .setTempo(.initial), .tellTempo, .storePreset(1), .storePreset(2),
    .recallPreset(1), .recallPreset(2), .recallPreset(2), .nextPreset, .previousPreset,
  ]

  private static func command(_ random: inout Lehmer) -> Command {
    if random.below(4) == 0 {
      return .stepTempo(byMilliBPM: [random.below(40_000) - 20_000, -1_000_000, 1_000_000][random.below(3)])
    }
    return commands[random.below(commands.count)]
  }

  /// Commands, taps, presses that are undone, and stalls, at random. ``ScoreStage`` checks each step.
  @Test(arguments: Seeds.few(6, of: 1_000 as UInt64)) func pressesKeepWhatIsCommitted(seed: UInt64) throws {
    var random = Lehmer(seed: seed)
    let text = RandomScore().text(&random)
    var stage = try ScoreStage(text, lead: .milliseconds([1, 5, 25, 100, 400][random.below(5)]))
    let stalls = random.below(3) == 0
    var number: UInt64 = 0
    try stage.apply(.start)
    for _ in 0..<60 {
      if !stage.metronome.timeline.isPlaying, random.below(3) > 0 { try stage.apply(.start) }
      let pauses = [0, 1, 300, 2_000, 20_000]
      try stage.play(until: stage.now + Nanoseconds(Int64(random.below(pauses[random.below(5)] * 1_000_000 + 1))))
      if stalls, random.below(10) == 0 {
        try stage.stall(for: .milliseconds(Int64(random.below([500, 5_000, 100_000][random.below(3)]))))
      }
      switch random.below(6) {
      case 0:
        // Several taps.
        let interval = Int64(150 + random.below(1_000))
        for _ in 0..<3 + random.below(4) {
          try stage.apply(.tap, pressed: stage.now - .milliseconds(Int64(random.below(5))))
          try stage.play(until: stage.now + .milliseconds(interval + Int64(random.below(60))))
        }
      case 1, 2:
        number += 1
        let press = Press(.play, at: stage.now, number: number)
        try stage.apply(ScorePropertyTests.command(&random), pressed: stage.now, provisional: press)
        if random.below(3) == 0 {
          try stage.play(until: stage.now + .milliseconds(Int64(random.below(100))))
          try stage.apply(ScorePropertyTests.command(&random))
        }
        try stage.play(until: press.instant + .milliseconds(Int64(random.below(501))))
        try stage.undo(press, for: ScorePropertyTests.command(&random))
      default: try stage.apply(ScorePropertyTests.command(&random))
      }
    }
    #expect(stage.sessions > 0)
  }

  // MARK: Examples that revealed faults

  /// Plays, gives commands at times in milliseconds, and plays on; some commands come after a stall.
  private func played(_ text: String, _ commands: [(time: Int64, command: Command)], until end: Int64) throws
    -> ScoreStage
  {
    var stage = try ScoreStage(text)
    try stage.apply(.start)
    for (time, command) in commands {
      try stage.play(until: .zero + .milliseconds(time))
      try stage.apply(command)
    }
    try stage.play(until: .zero + .milliseconds(end))
    return stage
  }

  @Test func tapsRepeatNoBeat() throws {
    let taps = (1...12).map { (Int64(1_300 * $0), Command.tap) }
    let stage = try played("* 60", taps, until: 20_000)
    #expect(stage.beats.count > 12)
  }

  @Test func aJumpKeepsASlowSpeed() throws {
    let stage = try played(
      "* 1/1 280\n1 120", [(1_000, .stepTempo(byMilliBPM: -1_000_000)), (2_000, .nextSection)], until: 5_000)
    #expect(stage.beats.count == 2)
  }

  @Test func theEndIsReachedAfterAStall() throws {
    var stage = try played("40 60", [], until: 1_000)
    try stage.stall(for: .seconds(300))
    try stage.play(until: stage.now + .seconds(1))
    #expect(!stage.metronome.timeline.isPlaying)
  }

  @Test func aCountInIsContinuedAfterAStall() throws {
    var stage = try played("20 60\n2 240 count=1", [], until: 10_000)
    try stage.stall(for: .milliseconds(70_500))
    try stage.play(until: stage.now + .milliseconds(1_400))
    #expect(stage.beats.suffix(5).map(\.bar) == [-1, 20, 20, 20, 20])
  }

  @Test func aSongMayBeginWithWaitingAfterAnother() throws {
    let text = "song \"a\"\n* 120\nsong \"b\"\npause wait\n{\n1 120\n}"
    let stage = try played(text, [(1_000, .nextSong), (5_000, .togglePlaying)], until: 6_000)
    #expect(stage.metronome.state.score?.song == 1)
    #expect(stage.metronome.timeline.isPlaying)
  }

  @Test func undoingAPressAfterAWaitKeepsPlaying() throws {
    var stage = try played("1 120\npause wait\n4 120", [(5_000, .togglePlaying)], until: 5_000)
    #expect(stage.metronome.state.score?.isWaiting == false)
    stage = try played("1 120\npause wait\n4 120", [], until: 5_000)
    let first = Press(.play, at: stage.now, number: 1)
    try stage.apply(.togglePlaying, pressed: stage.now, provisional: first)
    try stage.play(until: stage.now + .milliseconds(100))
    let second = Press(.faster, at: stage.now, number: 2)
    try stage.apply(.stepTempo(byMilliBPM: 1_000), pressed: stage.now, provisional: second)
    try stage.play(until: stage.now + .milliseconds(100))
    try stage.undo(second, for: .tellTempo)
    #expect(stage.metronome.timeline.isPlaying)
  }
}
