import Testing

@testable import MetronomeCore

/// The closed forms of tempo changes, to the nanosecond.
@Suite struct TempoCurveTests {
  struct Point: Sendable {
    var shape: TempoCurve.Shape
    var from: String
    var to: String
    var beats: Int64
    var denominator: Int
    var scale: Int
    var position: Position
    var nanoseconds: Int64

    init(
      _ shape: TempoCurve.Shape, _ from: String, _ to: String, _ beats: Int64, over denominator: Int, scale: Int,
      at parts: Int64, over unit: Int64, _ nanoseconds: Int64
    ) {
      (self.shape, self.from, self.to, self.beats) = (shape, from, to, beats)
      (self.denominator, self.scale, self.nanoseconds) = (denominator, scale, nanoseconds)
      position = Position(parts, over: unit)
    }
  }

  /// Millionths of a BPM, or microseconds per quarter.
  private static func tempo(_ text: String) -> ScoreTempo? {
    text.hasSuffix("us")
      ? Int64(text.dropLast(2)).flatMap { ScoreTempo(microsecondsPerQuarter: $0) }
      : Int64(text).flatMap { ScoreTempo(microBPM: $0) }
  }

  private func curve(
    _ shape: TempoCurve.Shape, _ from: String, _ to: String, beats: Int64, over denominator: Int = 4, scale: Int = 1_000
  ) throws -> TempoCurve {
    let metre = Metre(try #require(Signature(4, over: denominator, limit: .none)))
    let first = try #require(Self.tempo(from))
    let last = try #require(Self.tempo(to))
    return try #require(TempoCurve(shape, from: first, to: last, beats: beats, metre, scale: scale))
  }

  /// Computed from the definitions of the shapes with fractions and with decimals of 90 digits, in Python.
  static let points = [
    Point(
      .linearInTime, "942077000", "942078000", 727_267, over: 1, scale: 2_219, at: 1_559_297, over: 7,
      25_573_977_055_554),
    Point(.linearInBeats, "57000000", "354000000", 2, over: 32, scale: 1_000, at: 3, over: 3, 64_767_412),
    Point(.linearInPeriod, "351767697", "51000000", 2, over: 8, scale: 1_000, at: 4, over: 2, 673_518_849),
    Point(
      .linearInTime, "789245901", "839443000", 1_696_078, over: 4, scale: 3_636, at: 796_879, over: 7, 2_374_958_752_231
    ),
    Point(.linearInBeats, "1356360us", "1314148us", 16, over: 32, scale: 1_627, at: 18, over: 2, 929_492_117),
    Point(
      .linearInPeriod, "236000000", "665191000", 2_105_695, over: 32, scale: 1_000, at: 3_950_830, over: 2,
      43_778_406_940_976),
    Point(.linearInTime, "749619549", "941703000", 176, over: 32, scale: 1_000, at: 126, over: 3, 406_640_563),
    Point(.linearInBeats, "449819000", "449820000", 16, over: 4, scale: 850, at: 24, over: 7, 538_031_406),
    Point(.linearInPeriod, "457823000", "226927765", 2, over: 8, scale: 1_000, at: 2, over: 7, 20_082_821),
    Point(.linearInTime, "2007495us", "1050129us", 968, over: 2, scale: 1_000, at: 2_740, over: 7, 1_288_221_934_764),
    Point(.linearInBeats, "330000000", "25262153", 16, over: 4, scale: 850, at: 77, over: 7, 3_733_983_213),
    Point(.linearInPeriod, "204000000", "627062057", 2, over: 1, scale: 2_944, at: 23, over: 12, 518_320_328),
    Point(
      .linearInTime, "180000000", "191000000", 1_363_051, over: 16, scale: 2_080, at: 3_158_063, over: 3,
      41_196_371_354_748),
    Point(.linearInBeats, "382000000", "365000000", 2, over: 32, scale: 1_000, at: 2, over: 3, 13_187_058),
    Point(.linearInPeriod, "2175102us", "523781us", 2, over: 8, scale: 3_669, at: 3, over: 2, 318_041_010),
    Point(.linearInTime, "168000000", "578155000", 8, over: 16, scale: 1_000, at: 35, over: 7, 235_661_315),
    Point(.linearInBeats, "154093000", "369562000", 8, over: 32, scale: 850, at: 10, over: 3, 150_397_883),
    Point(.linearInPeriod, "354000000", "692533903", 890, over: 32, scale: 1_000, at: 272, over: 1, 5_332_247_765),
    Point(.linearInTime, "338000000", "111000000", 8, over: 1, scale: 1_000, at: 45, over: 7, 5_958_844_703),
    Point(.linearInBeats, "891941us", "2261341us", 16, over: 2, scale: 1_000, at: 16, over: 1, 43_848_128_878),
    Point(.linearInPeriod, "140414417", "906891270", 2, over: 1, scale: 1_000, at: 3, over: 7, 666_192_488),
    Point(.linearInTime, "375000000", "375001000", 447, over: 4, scale: 948, at: 226, over: 7, 5_449_065_177),
    Point(
      .linearInBeats, "812446712", "85980000", 1_484_641, over: 1, scale: 1_000, at: 9_277_677, over: 7,
      785_123_686_082_693),
    Point(.linearInPeriod, "616593230", "979828827", 16, over: 8, scale: 850, at: 82, over: 7, 579_535_582),
    Point(.linearInTime, "191152us", "276378us", 16, over: 4, scale: 1_000, at: 3, over: 1, 588_208_957),
    Point(.linearInBeats, "410630585", "52000000", 276, over: 2, scale: 850, at: 1_180, over: 12, 40_498_799_589),
    Point(.linearInPeriod, "302781000", "507875489", 8, over: 32, scale: 850, at: 7, over: 1, 167_951_206),
    Point(.linearInTime, "330000000", "78538000", 2, over: 16, scale: 850, at: 21, over: 12, 132_010_947),
    Point(
      .linearInBeats, "63000000", "63001000", 575_696, over: 4, scale: 850, at: 40_433, over: 2, 22_651_534_303_188),
    Point(.linearInPeriod, "2023230us", "490188us", 2, over: 2, scale: 1_000, at: 7, over: 7, 3_279_939_000),
    Point(.linearInTime, "145000000", "40000000", 16, over: 4, scale: 850, at: 24, over: 2, 7_517_691_069),
    Point(
      .linearInBeats, "616640205", "70000000", 1_547_863, over: 1, scale: 1_000, at: 8_191_262, over: 12,
      336_959_828_051_758),
    Point(
      .linearInPeriod, "921256000", "218000000", 3_888_726, over: 4, scale: 1_000, at: 821_653, over: 1,
      71_750_597_343_003),
    Point(
      .linearInTime, "771698000", "31826000", 1_865_316, over: 32, scale: 850, at: 1_323_680, over: 2, 8_391_415_936_479
    ),
    Point(.linearInBeats, "2496127us", "1080569us", 854, over: 1, scale: 850, at: 390, over: 2, 2_003_911_151_805),
    Point(.linearInPeriod, "903295000", "903296000", 16, over: 8, scale: 1_000, at: 24, over: 7, 113_868_814),
  ]

  @Test(arguments: points) func timeIsExact(point: Point) throws {
    let curve = try curve(
      point.shape, point.from, point.to, beats: point.beats, over: point.denominator, scale: point.scale)
    let time = curve.time(at: point.position)
    #expect(time.nanoseconds.count == point.nanoseconds)
    #expect(curve.firstBeat(atOrAfter: time) == point.position.whole + (point.position.numerator == 0 ? 0 : 1))
  }

  @Test func eightBeatsFrom60To120() throws {
    let expected: [(TempoCurve.Shape, [Int64])] = [
      (
        .linearInBeats,
        [
          942_264_285, 1_785_148_410, 2_547_629_848, 3_243_720_864, 3_884_062_526, 4_476_926_303, 5_028_869_275,
          5_545_177_444,
        ]
      ),
      (
        .linearInTime,
        [
          920_554_346, 1_722_003_496, 2_441_269_193, 3_099_407_093, 3_709_773_310, 4_281_470_067, 4_821_030_807,
          5_333_333_333,
        ]
      ),
      (
        .linearInPeriod,
        [
          968_750_000, 1_875_000_000, 2_718_750_000, 3_500_000_000, 4_218_750_000, 4_875_000_000, 5_468_750_000,
          6_000_000_000,
        ]
      ),
    ]
    for (shape, times) in expected {
      let curve = try curve(shape, "60000000", "120000000", beats: 8)
      #expect((1...8).map { curve.time(at: Position(Int64($0))).nanoseconds.count } == times)
    }
  }

  /// A plain logarithm is 72 ns wrong here, and the length divided by a logarithmic mean 417 ns.
  @Test func smallChangeInAnHourIsExact() throws {
    let curve = try curve(.linearInBeats, "120000000", "120001000", beats: 14_400)
    #expect(curve.time(at: Position(7_200)).nanoseconds.count == 3_599_992_500_020)
  }

  @Test(arguments: [TempoCurve.Shape.linearInTime, .linearInBeats, .linearInPeriod])
  func tempoIsConstantBeforeAndAfterTheChange(shape: TempoCurve.Shape) throws {
    let curve = try curve(shape, "60000000", "120000000", beats: 8)
    let end = curve.time(at: Position(8))
    #expect((curve.time(at: Position(10)) - end).nanoseconds == .seconds(1))
    #expect(curve.time(at: Position(-2)).nanoseconds == .seconds(-2))
    #expect(curve.firstBeat(atOrAfter: end + FineTime(.milliseconds(999))) == 10)
    #expect(curve.firstBeat(atOrAfter: FineTime(.seconds(-1))) == 0)
  }

  @Test func changeOfTempoThatIsNoneIsConstant() throws {
    let curve = try curve(.linearInBeats, "97000000", "97000000", beats: 16)
    #expect(curve.shape == .constant)
    let tempo = try #require(ScoreTempo(microBPM: 97_000_000))
    #expect(curve == TempoCurve(tempo, Metre(.initial)))
  }

  @Test func lengthsAndTempiAreLimited() throws {
    let metre = Metre(.initial)
    let slow = try #require(ScoreTempo(microBPM: 60_000_000))
    let fast = try #require(ScoreTempo(microBPM: 120_000_001))
    let microseconds = try #require(ScoreTempo(microsecondsPerQuarter: 454_545))
    #expect(TempoCurve(.linearInTime, from: slow, to: fast, beats: 0, metre) == nil)
    #expect(TempoCurve(.linearInTime, from: slow, to: fast, beats: TempoCurve.longest + 1, metre) == nil)
    #expect(TempoCurve(.linearInTime, from: slow, to: fast, beats: TempoCurve.longest, metre) != nil)
    #expect(TempoCurve(.linearInTime, from: fast, to: microseconds, beats: 8, metre) == nil)
    #expect(TempoCurve(.linearInTime, from: slow, to: microseconds, beats: 8, metre) != nil)
    #expect(ScoreTempo(microBPM: 999_999) == nil && ScoreTempo(microBPM: 999_000_001) == nil)
    #expect(ScoreTempo(microsecondsPerQuarter: 60_060) == nil && ScoreTempo(microsecondsPerQuarter: 60_000_001) == nil)
  }

  /// 454,545 µs per quarter is not 132 BPM: after an hour and a quarter the difference is 4.5 ms.
  @Test func microsecondsOfMIDIFilesAreExact() throws {
    let curve = TempoCurve(try #require(ScoreTempo(microsecondsPerQuarter: 454_545)), Metre(.initial))
    #expect(curve.time(at: Position(10_000)).nanoseconds.count == 4_545_450_000_000)
  }

  @Test func rootOfASquareIsExact() {
    for root in [UInt128(1), 3, 1 << 64, 0xFFFF_FFFF_FFFF_FFFF_FFFF, UInt128.max >> 2] {
      #expect(WideProduct(root, root).squareRoot == root)
      let (next, isTooLarge) = root.addingReportingOverflow(1)
      // root · (root + 1) is less than (root + 1)².
      #expect(isTooLarge || WideProduct(root, next).squareRoot == root)
    }
    #expect(WideProduct(0, 1).squareRoot == 0)
  }
}
