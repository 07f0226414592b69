@testable import MetronomeCore

/// The beats of a song as it is played without a press, walked part by part. It uses neither a timeline nor ``SongMap``.
struct ScoreWalk {
  struct Beat: Hashable {
    var time: FineTime
    var bar: Int64
    var position: Int
    var isSilent: Bool
    var gain: Float
  }

  private(set) var beats: [Beat] = []
  /// When the song ends; nil: it waits, or has more beats.
  private(set) var end: FineTime?

  private let song: Song
  /// The practice speed. Seconds of steps and limits are those at the song's own.
  private let speed: Int
  private let most: Int
  private let latest: FineTime
  /// When the musician goes on after each pause that waits.
  private var releases: ArraySlice<Instant>
  private var time: FineTime
  private var bars: Int64 = 0
  private var number: Int64 = 0
  private var isDone = false

  /// Walks until the end, a pause that waits without a release, `most` beats, or a time after the last beat.
  init(_ song: Song, at speed: Int, from start: Instant, releases: [Instant], most: Int, latest: Instant) {
    self.song = song
    self.speed = speed
    self.most = most
    self.latest = FineTime(latest - .zero)
    self.releases = releases[...]
    time = FineTime(start - .zero)
    var previous: Section?
    walk(song.parts, &previous)
    if !isDone { end = time }
  }

  /// `previous` is the section that is written before.
  private mutating func walk(_ parts: [Song.Part], _ previous: inout Section?) {
    for part in parts where !isDone {
      switch part {
      case .section(let section):
        play(section)
        previous = section
      case .pause(let pause): wait(pause, after: previous)
      case .block(let block):
        let before = previous
        var turn: Int64 = 0
        while !isDone, block.count.map({ turn < $0 }) ?? true {
          previous = before
          walk(block.parts, &previous)
          turn += 1
        }
      }
    }
  }

  private mutating func wait(_ pause: Song.Pause, after section: Section?) {
    switch pause.length {
    case .time(let length): time = time + FineTime(length)
    case .beats(let count):
      let length: FineTime
      if let section {
        let map = SectionMap(section, scale: song.scale)
        let last = TempoCurve(section.tempo.last, section.bar.metre, scale: song.scale)
        length =
          map.beats.map { map.time(at: Position(whole: $0 + count)) - map.time(at: Position(whole: $0)) }
          ?? last.time(at: Position(whole: count))
      } else {
        length = FineTime(.milliseconds(500 * count)).scaled(by: 1_000, over: song.scale)
      }
      time = time + scaled(length)
    case .wait:
      guard !beats.isEmpty else { return }
      guard let release = releases.popFirst() else { return isDone = true }
      time = FineTime(release - .zero)
    }
    if time > latest { isDone = true }
  }

  private func scaled(_ time: FineTime) -> FineTime { time.scaled(by: song.scale, over: speed) }

  private mutating func play(_ section: Section) {
    let map = SectionMap(section, scale: song.scale)
    let beatsInBar = map.beatsInBar
    let gain = Float(section.volume) / 1_000_000
    let countIn = max(section.countIn, beats.isEmpty ? song.countIn : 0)
    if countIn > 0 {
      let curve = TempoCurve(section.tempo.first, section.bar.metre, scale: song.scale)
      for beat in 0..<countIn * beatsInBar {
        add(
          time + scaled(curve.time(at: Position(whole: Int64(beat)))), bar: beat / beatsInBar - countIn,
          beat % beatsInBar,
          isSilent: false, gain)
      }
      time = time + scaled(curve.time(at: Position(whole: Int64(countIn * beatsInBar))))
    }
    var beat: Int64 = 0
    while !isDone, beat < map.beats ?? .max {
      let bar = beat / Int64(beatsInBar)
      add(
        time + scaled(map.time(at: Position(whole: beat))), bar: Int(bars + bar), Int(beat) % beatsInBar,
        isSilent: ScoreWalk.silences(section.filter, bar: bar, beat: beat, number: number + beat), gain)
      beat += 1
    }
    time = time + scaled(map.time(at: Position(whole: beat)))
    number += beat
    bars += beat / Int64(beatsInBar)
  }

  private mutating func add(_ time: FineTime, bar: Int, _ position: Int, isSilent: Bool, _ gain: Float) {
    guard !isDone else { return }
    beats.append(Beat(time: time, bar: Int64(bar), position: position, isSilent: isSilent, gain: gain))
    isDone = beats.count >= most || time > latest
  }

  /// What follows an instant comes at another practice speed.
  mutating func rescale(from old: Int, to new: Int, at instant: Instant) {
    let pivot = FineTime(instant - .zero)
    for index in beats.indices where beats[index].time >= pivot {
      beats[index].time = pivot + (beats[index].time - pivot).scaled(by: old, over: new)
    }
  }

  /// The definition of gaps and drops, with fractions.
  private static func silences(_ filter: SilenceFilter, bar: Int64, beat: Int64, number: Int64) -> Bool {
    let (sounding, silent) = (Int64(filter.sounding), Int64(filter.silent))
    if silent > 0, (filter.countsBeats ? beat : bar) % (sounding + silent) >= sounding { return true }
    var state = filter.seed
    var random: UInt64 = 0
    for _ in 0...number {
      // SplitMix64, number by number.
      state &+= 0x9E37_79B9_7F4A_7C15
      random = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
      random = (random ^ random >> 27) &* 0x94D0_49BB_1331_11EB
      random ^= random >> 31
    }
    // random / 2⁶⁴ < percent / 100 · min(1, bar / growth)
    let growth = Int128(filter.dropGrowth)
    let (grown, length) = growth == 0 ? (1, 1) : (min(Int128(bar), growth), growth)
    return Int128(random) * 100 * length < (Int128(filter.dropPercent) * grown) << 64
  }
}
