import Foundation
import MetronomeCore
import TestSupport
import Testing

/// Staircases of tempi in MIDI files that become changes of tempo, and others that do not.
@Suite struct MIDIRampTests {
  private typealias Bytes = MIDIBytes

  /// The times of a change of tempo, from its definition, in minutes after its beginning.
  struct Change: Sendable, CustomStringConvertible {
    var sign: String
    var first: Double
    var last: Double
    var description: String { "\(Int(first))\(sign)\(Int(last))" }

    func time(_ beat: Double, of beats: Double) -> Double {
      let share = beat / beats
      return switch sign {
      // The tempo is linear in beats: the integral of 1 / tempo.
      case "-": beats / (last - first) * log(1 + (last - first) / first * share)
      // The tempo is linear in time: the square root of a linear function of the beats.
      case ">": beat / ((first + (first * first + (last * last - first * first) * share).squareRoot()) / 2)
      // The duration of a beat is linear in beats.
      default: beat / first + (1 / last - 1 / first) * beat * share / 2
      }
    }

    func tempo(_ beat: Double, of beats: Double) -> Double {
      let share = beat / beats
      return switch sign {
      case "-": first + (last - first) * share
      case ">": (first * first + (last * last - first * first) * share).squareRoot()
      default: 1 / (1 / first + (1 / last - 1 / first) * share)
      }
    }

    /// Steps of this many ticks, each with its mean tempo, or with that of its beginning.
    func steps(from start: Int, beats: Int, every ticks: Int, isMean: Bool) -> [(tick: Int, tempo: Int)] {
      stride(from: 0, to: beats * 480, by: ticks).map { tick in
        let (from, to) = (Double(tick) / 480, Double(min(tick + ticks, beats * 480)) / 480)
        let mean = (time(to, of: Double(beats)) - time(from, of: Double(beats))) / (to - from)
        let minutes = isMean ? mean : 1 / tempo(from, of: Double(beats))
        return (start + tick, Int((minutes * 60_000_000).rounded()))
      }
    }
  }

  private static let changes = [
    ("-", 120, 80), (">", 120, 60), ("~", 120, 60), ("-", 60, 120), (">", 80, 120), ("~", 90, 150),
  ]
  .map { Change(sign: $0, first: $1, last: $2) }
  private static let lengths = [480, 240, 30]

  private func imported(_ steps: [(tick: Int, tempo: Int)], end: Int, _ others: [Bytes.Event] = []) throws
    -> ImportedScore
  {
    try MIDIFile(Bytes.file(end: end, others + steps.map { Bytes.tempo($0.tick, $0.tempo) })).score()
  }

  /// The times of the quarters of a score, in ns.
  private func quarters(_ score: ImportedScore) throws -> [Double] {
    let song = try Score(text: score.text).songs[0]
    let map = try #require(SongMap(song))
    var times: [Double] = []
    var next = map.first
    while let own = next {
      if case .section(let section) = own.part {
        let beats = SectionMap(section)
        times += (0..<(beats.beats ?? 0)).map {
          Double((own.start.time + beats.time(at: Position($0))).nanoseconds.count)
        }
      }
      next = map.next(after: own)
    }
    return times + [Double(map.total.time.nanoseconds.count)]
  }

  /// The times of the quarters of a file, in ns.
  private func quarters(_ steps: [(tick: Int, tempo: Int)], end: Int) -> [Double] {
    stride(from: 0, through: end, by: 480).map { tick in
      var (sum, before, tempo) = (0, 0, 500_000)
      for step in steps where step.tick < tick {
        sum += (step.tick - before) * tempo
        (before, tempo) = (step.tick, step.tempo)
      }
      return Double(sum + (tick - before) * tempo) * 1_000 / 480
    }
  }

  /// In the order of the file: two bars, four bars with the change, and two bars.
  @Test(arguments: changes, lengths)
  func meanTempiAreTheChangeItself(change: Change, ticks: Int) throws {
    let steps =
      [(0, Int(60_000_000 / change.first))] + change.steps(from: 3_840, beats: 16, every: ticks, isMean: true)
      + [(11_520, Int(60_000_000 / change.last))]
    let score = try imported(steps, end: 15_360)
    let lines = score.text.split(separator: "\n").map { $0.split(separator: "#")[0] }
    #expect(lines.count == 3 && lines[1] == "4 4/4 \(change)", "\(score.text)")
    #expect(score.notes.count == 1)
    let first = 8 * 60_000_000_000 / change.first
    for (beat, time) in try quarters(score).enumerated() where (8...24).contains(beat) {
      let wanted = first + change.time(Double(beat - 8), of: 16) * 60_000_000_000
      #expect(abs(time - wanted) < 10_000, "beat \(beat)")
    }
  }

  /// The ramp takes as long as the staircase. What follows begins where the file has it.
  @Test(arguments: changes, lengths)
  func tempiOfTheBeginningsAreARampOfTheSameLength(change: Change, ticks: Int) throws {
    let steps =
      [(0, 500_000)] + change.steps(from: 3_840, beats: 24, every: ticks, isMean: false)
      + [(15_360, Int(60_000_000 / change.last))]
    let score = try imported(steps, end: 19_200)
    #expect(score.text.split(separator: "\n").count == 3, "\(score.text)")
    for (beat, (time, file)) in zip(try quarters(score), quarters(steps, end: 19_200)).enumerated() {
      #expect(abs(time - file) <= (beat < 32 ? 5_000_000 : 1_000_000), "beat \(beat): \(time - file) ns")
    }
  }

  /// Twenty slowing parts in turn: each ends where the file has its end.
  @Test func distancesDoNotAddUp() throws {
    let slower = Change(sign: "-", first: 120, last: 100)
    let steps = (0..<20).flatMap { slower.steps(from: $0 * 3_840, beats: 8, every: 240, isMean: false) }
    let score = try imported(steps, end: 20 * 3_840)
    #expect(score.text.split(separator: "\n").count == 20)
    for (beat, (time, file)) in zip(try quarters(score), quarters(steps, end: 20 * 3_840)).enumerated() {
      #expect(abs(time - file) <= (beat % 8 == 0 ? 1_000_000 : 5_000_000), "beat \(beat): \(time - file) ns")
    }
  }

  @Test func aMarkerDividesARamp() throws {
    let steps = Change(sign: "-", first: 120, last: 80).steps(from: 0, beats: 16, every: 120, isMean: true)
    let score = try imported(steps, end: 7_680, [Bytes.marker(3_840, "B")])
    #expect(score.text == "2 4/4 120-100\nB: 2 4/4 100-80  # \"B\"\n")
    #expect(
      score.notes.first.map {
        $0.hasPrefix("bars 1 to 2: 32 tempi are the change 120-100 here; its beats are within 0")
      } == true,
      "\(score.notes)")
  }

  /// The bar in which it begins keeps its tempi.
  @Test func rampBeginsAtABarLine() throws {
    let change = Change(sign: "-", first: 120, last: 100)
    let score = try imported(
      [(0, 500_000)] + change.steps(from: 2_880, beats: 10, every: 480, isMean: true), end: 7_680)
    let lines = score.text.split(separator: "\n")
    #expect(lines.count == 3 && lines[1].hasPrefix("1 4/4 120,120,") && lines[2] == "2 4/4 116-100", "\(score.text)")
  }

  @Test func rampIsInTheBeatsOfItsMetre() throws {
    let steps = Change(sign: "-", first: 120, last: 90).steps(from: 0, beats: 9, every: 240, isMean: true)
    #expect(try imported(steps, end: 4_320, [Bytes.signature(0, 6, 8)]).text == "3 6/8 120-90\n")
    #expect(try imported(steps, end: 4_320, [Bytes.signature(0, 3, 4)]).text == "3 3/4 120-90\n")
  }

  /// The tempo of each beat of a player, up to 3 % from 120 BPM.
  @Test(arguments: Seeds.few(20, of: 200)) func noiseIsNoRamp(seed: UInt64) throws {
    var random = Lehmer(seed: seed)
    let steps = (0..<256).map { (tick: $0 * 480, tempo: 485_000 + random.below(30_000)) }
    let score = try imported(steps, end: 256 * 480)
    #expect(score.notes == [])
    #expect(zip(try quarters(score), quarters(steps, end: 256 * 480)).allSatisfy { abs($0 - $1) < 2 })
  }

  /// Tempi in one direction that lie on no curve.
  @Test func unevenStepsAreNoRamp() throws {
    let tempi = [500_000, 501_000, 540_000, 541_000, 580_000, 581_000, 620_000, 621_000]
    let score = try imported(tempi.enumerated().map { ($0.offset * 480, $0.element) }, end: 3_840)
    #expect(score.notes == [] && score.text.split(separator: "\n").count == 2)
  }

  /// Sections at other tempi, and an exercise that goes up with each bar.
  @Test(arguments: [
    ([100, 110, 120], 8), ([100, 80], 4), ([100, 104, 108, 112, 116, 120], 4), ([100, 104, 108, 112, 116], 1),
  ])
  func temposOfSectionsAreKept(bpm: [Int], bars: Int) throws {
    let steps = bpm.enumerated().map {
      (tick: $0.offset * bars * 1_920, tempo: Int((60_000_000 / Double($0.element)).rounded()))
    }
    let score = try imported(steps, end: bpm.count * bars * 1_920)
    #expect(score.notes == [] && score.text.split(separator: "\n").count == bpm.count)
  }

  @Test func threeTempiInABarAreNoRamp() throws {
    let score = try imported([(0, 500_000), (480, 520_000), (960, 540_000)], end: 1_440, [Bytes.signature(0, 3, 4)])
    #expect(score.notes == [] && score.text.contains(","))
  }
}
