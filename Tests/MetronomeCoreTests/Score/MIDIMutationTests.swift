import MetronomeCore
import TestSupport
import Testing

/// Well-formed MIDI files with random damage: each is refused, or becomes a score that is right and has its tempi.
@Suite struct MIDIMutationTests {
  private typealias Bytes = MIDIBytes

  private static let song: [UInt8] = {
    let head = Bytes.track(
      end: 9_600,
      [
        (0, Bytes.meta(0x03, Array("Damaged".utf8))), Bytes.signature(0, 4, 4), Bytes.tempo(0, 600_000),
        Bytes.marker(1_920, "Verse"), Bytes.tempo(1_920, 500_000), Bytes.signature(3_840, 7, 8),
        (3_840, [0xF0, 4, 0x7E, 0x7F, 9, 0xF7]), Bytes.tempo(5_520, 250_000), Bytes.signature(7_200, 3, 4, clocks: 72),
      ])
    let port: Bytes.Event = (0, Bytes.meta(0x21, [0]))
    return Bytes.file([head, Bytes.track(end: 9_600, [port] + Bytes.notes(18)), Bytes.track(end: 0, [(0, [0xC1, 5])])])
  }()

  private static let single = Bytes.file(
    format: 0, division: 96,
    [
      Bytes.track(
        end: 3_900,
        [Bytes.signature(0, 6, 8, clocks: 36), Bytes.tempo(288, 454_545), Bytes.tempo(300, 400_000)] + Bytes.notes(8))
    ])

  /// Changes, inserts, removes, copies or cuts off bytes, one to four times.
  private static func damaged(_ file: [UInt8], _ random: inout Lehmer) -> [UInt8] {
    var bytes = file
    for _ in 0...random.below(4) {
      guard bytes.count > 8 else { break }
      let (place, length) = (random.below(bytes.count), 1 + random.below(8))
      let end = min(place + length, bytes.count)
      switch random.below(7) {
      case 0: bytes[place] ^= 1 << UInt8(random.below(8))
      case 1: bytes[place] = UInt8(random.below(256))
      case 2: bytes.insert(contentsOf: (0..<length).map { _ in UInt8(random.below(256)) }, at: place)
      case 3: bytes.removeSubrange(place..<end)
      case 4: bytes.insert(contentsOf: bytes[place..<end], at: random.below(bytes.count))
      case 5: bytes.removeLast(min(bytes.count - 8, random.below(40)))
      default:
        // Values at which readers break.
        for index in place..<end { bytes[index] = [0, 0x7F, 0x80, 0xFF, 0x51, 0x58, 0x2F][random.below(7)] }
      }
    }
    return bytes
  }

  /// The changes of the tempo before the end of the music, with their instants in ns, rounded down.
  private func changes(_ file: MIDIFile) -> [(instant: Int64, tempo: Int64)] {
    var changes: [(instant: Int64, tempo: Int64)] = []
    var (sum, tick, tempo) = (Int128(0), Int64(0), Int64(500_000))
    for (index, event) in file.tempi.enumerated() where event.tick < max(file.end, 1) {
      if index + 1 < file.tempi.count, file.tempi[index + 1].tick == event.tick { continue }
      let next = max(event.microsecondsPerQuarter, 60_061)
      sum += Int128(event.tick - tick) * Int128(tempo)
      tick = event.tick
      if next != tempo { changes.append((Int64(sum * 1_000 / Int128(file.ticksPerQuarter)), next)) }
      tempo = next
    }
    return changes
  }

  @Test(arguments: [song, single])
  func damagedFilesAreRefusedOrBecomeScores(file: [UInt8]) throws {
    var (read, exact) = (0, 0)
    let count = Seeds.count(few: 200, full: 1_500)
    for seed in 0..<count {
      var random = Lehmer(seed: UInt64(seed))
      let bytes = MIDIMutationTests.damaged(file, &random)
      guard let file = try? MIDIFile(bytes) else { continue }
      read += 1
      let score = file.score()
      let songs = try Score(text: score.text).songs
      let map = try #require(songs.count == 1 ? SongMap(songs[0]) : nil, "seed \(seed): \(score.text)")
      #expect(score.notes.count <= 51 && score.notes.allSatisfy { !$0.contains { $0.isNewline } }, "seed \(seed)")
      // A bar whose length or tempi do not fit notes has mean tempi.
      guard !score.notes.contains(where: { $0.contains("the bar lines after it are") }) else { continue }
      exact += 1
      for change in changes(file) {
        #expect(hasChange(map, at: change.instant, to: change.tempo), "seed \(seed): no tempo \(change)")
      }
    }
    // Most damage costs only what it hits.
    #expect(read * 4 >= count * 3 && exact * 10 >= count * 5, "\(read) read, \(exact) exact, of \(count)")
  }
}
