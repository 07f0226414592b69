import MetronomeCore
import TestSupport
import Testing

/// The instants of bar lines and of changes of tempo in imported scores, against ones that are computed otherwise.
@Suite struct MIDIInstantTests {
  /// A random file, and its bar lines: from the ticks of one bar after another, in fractions.
  private struct RandomSong {
    let division: Int
    var tempi = [(tick: Int, tempo: Int)]()
    /// In 1/32 of a whole note.
    var lines = [0]
    var events: [MIDIBytes.Event] = []
    var end = 0

    private static let signatures = [
      (4, 4), (3, 4), (2, 4), (6, 8), (7, 8), (5, 8), (2, 2), (9, 16), (5, 16), (12, 32), (3, 8), (1, 1), (1, 4),
    ]

    /// A bar has at most 32 notes of 1/32. If `isExact`, the tempo and the metre change only at such notes.
    init(_ random: inout Lehmer, isExact: Bool) {
      division = [8, 24, 96, 480, 960, 32_760][random.below(6)]
      let thirtySecond = division / 8
      var signature = (4, 4)
      for _ in 0...random.below(6) {
        signature = RandomSong.signatures.filter { $0 != signature }[random.below(RandomSong.signatures.count - 1)]
        events.append(MIDIBytes.signature(lines[lines.count - 1] * thirtySecond, signature.0, signature.1))
        let length = signature.0 * 32 / signature.1
        for _ in 0...random.below(6) { lines.append(lines[lines.count - 1] + length) }
        if random.below(2) == 0 { lines[lines.count - 1] -= random.below(length) }
      }
      // The last bar is whole.
      let length = signature.0 * 32 / signature.1
      lines[lines.count - 1] = lines[lines.count - 2] + length
      end = lines[lines.count - 1] * thirtySecond
      let grid = isExact ? thirtySecond : 1
      for _ in 0..<random.below(20) {
        tempi.append((random.below(end / grid) * grid, 60_061 + random.below(1_000_000)))
      }
      // Of the events of a tick the last one counts.
      var last: [Int: Int] = [:]
      for change in tempi { last[change.tick] = change.tempo }
      events += tempi.map { MIDIBytes.tempo($0.tick, $0.tempo) }
      tempi = last.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    var bytes: [UInt8] { MIDIBytes.file(division: division, end: end, events) }

    /// In ns, rounded down.
    func instant(_ tick: Int) -> Int64 {
      var (sum, before, tempo) = (0, 0, 500_000)
      for change in tempi where change.tick < tick {
        sum += (change.tick - before) * tempo
        (before, tempo) = (change.tick, change.tempo)
      }
      return Int64((sum + (tick - before) * tempo) * 1_000 / division)
    }

    var instants: [Int64] { lines.map { instant($0 * division / 8) } }
  }

  private func map(_ text: String) throws -> SongMap {
    let song = try Score(text: text).songs[0]
    return try #require(SongMap(song))
  }

  @Test(arguments: 0..<60)
  func changesOfShortNotesAreExact(seed: Int) throws {
    var random = Lehmer(seed: UInt64(seed))
    let song = RandomSong(&random, isExact: true)
    let score = try MIDIFile(song.bytes).score()
    #expect(score.notes == [])
    let map = try map(score.text)
    #expect(barLines(map) == song.instants)
    for change in song.tempi {
      #expect(hasChange(map, at: song.instant(change.tick), to: Int64(change.tempo)), "no tempo \(change)")
    }
  }

  /// A tempo is in BPM where it is one exactly; otherwise a comment says it.
  @Test(arguments: [
    (500_000, "120"), (468_750, "128"), (640_000, "93.75"), (480_769, "480769us  # 124.8 BPM"),
    (454_545, "454545us  # 132 BPM"), (16_777_215, "16777215us  # 3.576 BPM"),
  ])
  func tempoIsInBPMWhereItIsOne(tempo: Int, text: String) throws {
    let score = try MIDIFile(MIDIBytes.file(division: 480, end: 1_920 * 3, [MIDIBytes.tempo(0, tempo)])).score()
    #expect(score.text == "3 4/4 \(text)\n" && score.notes == [])
  }

  /// The notes of the score are 1/32, so that a bar line is off by at most 62.5 ns.
  @Test(arguments: 0..<60)
  func changesAtAnyTickMoveBarLinesByASixteenthOfAMicrosecond(seed: Int) throws {
    var random = Lehmer(seed: UInt64(seed))
    let song = RandomSong(&random, isExact: false)
    let score = try MIDIFile(song.bytes).score()
    let (lines, instants) = (barLines(try map(score.text)), song.instants)
    #expect(lines.count == instants.count)
    for (line, instant) in zip(lines, instants) { #expect((-63...63).contains(line - instant)) }
    if score.notes.isEmpty { #expect(lines == instants) }
  }
}
