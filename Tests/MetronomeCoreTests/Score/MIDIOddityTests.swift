import MetronomeCore
import Testing

/// Files with something odd in them, as programs write them and as damage leaves them. They are read, and what is odd has a note.
@Suite struct MIDIOddityTests {
  struct Odd: Sendable, CustomStringConvertible {
    var what: String
    var bytes: [UInt8]
    var text = "2 4/4 100\n"
    var notes: [String]
    var description: String { what }
  }

  private typealias Bytes = MIDIBytes

  private static let endOfTrack: [UInt8] = [0, 0xFF, 0x2F, 0]
  private static let slow = Bytes.track(end: 0, [Bytes.tempo(0, 600_000)])
  /// Eight quarters, to tick 3,840.
  private static let music = Bytes.track(end: 3_840, Bytes.notes(8))

  /// A file of two tracks: a tempo and another event, and eight quarters.
  private static func song(_ events: [Bytes.Event]) -> [UInt8] {
    let end = events.map(\.tick).max() ?? 0
    return Bytes.file([Bytes.track(end: end, [Bytes.tempo(0, 600_000)] + events), music])
  }

  /// A file of one track that ends with the given bytes, 3,840 ticks after its beginning.
  private static func tail(_ bytes: [UInt8], end: [UInt8] = endOfTrack) -> [UInt8] {
    Bytes.file([Array(slow.dropLast(4)) + Bytes.quantity(3_840) + bytes + end])
  }

  /// A file whose first track has another length in its header.
  private static func lengths(_ length: Int, _ first: [UInt8] = slow, _ second: [UInt8] = music) -> [UInt8] {
    Bytes.chunk("MThd", [0, 1, 0, 2, 1, 0xE0]) + Array("MTrk".utf8) + Bytes.big(length, 4) + first
      + Bytes.chunk("MTrk", second)
  }

  @Test(arguments: metres + tempi + chunks + tracks + events)
  func isReadAndReported(odd: Odd) throws {
    let score = try MIDIFile(odd.bytes).score()
    #expect(score.text == odd.text)
    #expect(score.notes == odd.notes)
    _ = try Score(text: score.text)
  }

  private static let metres: [Odd] = [
    Odd(
      what: "a time signature of 2 bytes, as MusE writes it", bytes: song([(0, Bytes.meta(0x58, [3, 2]))]),
      text: "3 3/4 100\n",
      notes: ["bar 1, track 1, byte 30: a time signature has 4 bytes, not 2; it is read as 3/4"]),
    Odd(
      what: "a time signature of 5 bytes", bytes: song([(0, Bytes.meta(0x58, [3, 2, 24, 8, 1]))]),
      text: "3 3/4 100\n",
      notes: ["bar 1, track 1, byte 30: a time signature has 4 bytes, not 5; it is read as 3/4"]),
    Odd(
      what: "a time signature of 1 byte", bytes: song([(0, Bytes.meta(0x58, [3]))]),
      notes: ["bar 1, track 1, byte 30: the time signature of 1 byte is ignored"]),
    Odd(
      what: "a denominator of 2^33", bytes: song([(0, Bytes.meta(0x58, [2, 33, 24, 8]))]),
      notes: ["bar 1, track 1, byte 30: the time signature 2/2^33 is ignored"]),
    Odd(
      what: "a denominator of 256", bytes: song([(1_920, Bytes.meta(0x58, [2, 8, 24, 8]))]),
      notes: ["bar 2, track 1, byte 31: the time signature 2/256 is ignored"]),
    Odd(
      what: "no notes in a bar", bytes: song([(0, Bytes.meta(0x58, [0, 2, 24, 8]))]),
      notes: ["bar 1, track 1, byte 30: the time signature 0/4 is ignored"]),
    Odd(
      what: "33/16", bytes: song([(0, Bytes.meta(0x58, [33, 4, 24, 8]))]), text: "3 11/16 100\n",
      notes: ["bar 1, track 1, byte 30: the time signature 33/16 is 11/16 here, 3 bars for each"]),
    Odd(
      what: "37/32, a prime number", bytes: song([(0, Bytes.meta(0x58, [37, 5, 24, 8]))]), text: "64 1/32 100\n",
      notes: ["bar 1, track 1, byte 30: the time signature 37/32 is 1/32 here, 37 bars for each"]),
    Odd(
      what: "8/64", bytes: song([(0, Bytes.meta(0x58, [8, 6, 24, 8]))]), text: "16 4/32 100\n",
      notes: ["bar 1, track 1, byte 30: the time signature 8/64 is 4/32 here"]),
    Odd(
      what: "5/64", bytes: song([(0, Bytes.meta(0x58, [5, 6, 24, 8]))]), text: "13 5/32 100\n",
      notes: ["bar 1, track 1, byte 30: the time signature 5/64 is 5/32 here, 1 bar for 2"]),
    Odd(
      what: "99/128", bytes: song([(0, Bytes.meta(0x58, [99, 7, 24, 8]))]), text: "6 11/32 100\n",
      notes: ["bar 1, track 1, byte 30: the time signature 99/128 is 11/32 here, 9 bars for 4"]),
    Odd(
      what: "one bar of 3/64", bytes: song([(1_920, Bytes.meta(0x58, [3, 6, 24, 8])), Bytes.signature(2_010, 4, 4)]),
      text: "1 4/4 100\n1 2/32 100,200\n1 4/4 100\n",
      notes: [
        "bar 2, track 1, byte 31: the time signature 3/64 is 3/32 here, 1 bar for 2",
        "bar 2: its length of 90 ticks is not a whole number of 1/32 notes; its last one is shorter here;"
          + " the bar lines after it are exact",
      ]),
  ]

  private static let tempi: [Odd] = [
    Odd(
      what: "a tempo of 0", bytes: song([Bytes.tempo(1_920, 0)]),
      notes: ["bar 2, track 1, byte 31: a tempo of 0 µs per quarter is ignored"]),
    Odd(
      what: "a tempo of 0 after another one at its tick", bytes: song([Bytes.tempo(0, 0)]),
      notes: ["bar 1, track 1, byte 30: a tempo of 0 µs per quarter is ignored"]),
    Odd(
      what: "a tempo above 999 BPM", bytes: song([Bytes.tempo(1_920, 50_000)]),
      text: "1 4/4 100\n1 4/4 60061us  # 998.984 BPM\n",
      notes: ["bar 2, track 1, byte 31: a tempo of 50000 µs per quarter is 60061 µs (999 BPM) here"]),
    Odd(
      what: "a tempo of 2 bytes", bytes: song([(0, Bytes.meta(0x51, [7, 0xA1]))]),
      notes: ["bar 1, track 1, byte 30: a tempo has 3 bytes, not 2; it is ignored"]),
    Odd(
      what: "a tempo of 4 bytes", bytes: song([(0, Bytes.meta(0x51, [7, 0xA1, 0x20, 0]))]), text: "2 4/4 120\n",
      notes: ["bar 1, track 1, byte 30: a tempo has 3 bytes, not 4; it is read as 500000 µs per quarter"]),
    Odd(
      what: "tempi long after the last note",
      bytes: song((2..<900).map { Bytes.tempo($0 * 1_920 + 7, 600_000 + $0) } + [Bytes.signature(9_000, 3, 4)]),
      notes: [
        "bar 2: the song ends here, after its last note; the file goes on to tick 1726087, with 899 changes of tempo or"
          + " metre, which are left out"
      ]),
    Odd(
      what: "a tempo in the same track long after the last note",
      bytes: Bytes.file(end: 99_000, [Bytes.tempo(0, 600_000), Bytes.tempo(98_000, 700_000)] + Bytes.notes(8)),
      notes: [
        "bar 2: the song ends here, after its last note; the file goes on to tick 99000, with 1 change of tempo or metre,"
          + " which is left out"
      ]),
    Odd(
      what: "a tempo in the bar of the last note, after it", bytes: song([Bytes.tempo(3_720, 300_000)]),
      text: "1 4/4 100\n1 16/16 \(String(repeating: "100,", count: 15))200 X...x...x...x...\n", notes: []
    ),
    Odd(
      what: "silence after the last note", bytes: Bytes.file(end: 7_680, [Bytes.tempo(0, 600_000)] + Bytes.notes(8)),
      text: "4 4/4 100\n", notes: []),
    Odd(
      what: "an empty track that is longer than the music",
      bytes: Bytes.file([Bytes.track(end: 99_000, [Bytes.tempo(0, 600_000)]), music]), notes: []),
  ]

  private static let plain = song([])

  private static let chunks: [Odd] = [
    Odd(
      what: "RIFF around the file",
      bytes: Array("RIFF\u{1}\0\0\0RMIDdata\u{1}\0\0\0".utf8) + plain,
      notes: ["byte 0: 20 bytes ahead of the MIDI file, such as the head of a RIFF file, are ignored"]),
    Odd(
      what: "RIFF with a chunk after the file",
      bytes: Array("RIFF\u{1}\0\0\0RMIDdata\u{1}\0\0\0".utf8) + plain + Array("LIST\u{4}\0\0\0INFO".utf8),
      notes: [
        "byte 0: 20 bytes ahead of the MIDI file, such as the head of a RIFF file, are ignored",
        "byte \(plain.count + 20): 12 bytes at the end are ignored",
      ]),
    Odd(
      what: "a line feed at the end", bytes: plain + [10],
      notes: ["byte \(plain.count): 1 byte at the end is ignored"]),
    Odd(
      what: "a second file at the end", bytes: plain + song([Bytes.signature(0, 3, 4)]),
      notes: ["byte \(plain.count): a second MIDI file begins here; it is ignored"]),
    Odd(
      what: "fewer tracks than announced", bytes: Bytes.chunk("MThd", [0, 1, 0, 3, 1, 0xE0]) + plain.dropFirst(14),
      notes: ["byte 10: the header announces 3 tracks; the file has 2"]),
    Odd(
      what: "more tracks than announced", bytes: Bytes.chunk("MThd", [0, 0, 0, 1, 1, 0xE0]) + plain.dropFirst(14),
      notes: ["byte 10: the header announces 1 track; the file has 2"]),
    Odd(
      what: "no tracks announced", bytes: Bytes.chunk("MThd", [0, 1, 0, 0, 1, 0xE0]) + plain.dropFirst(14),
      notes: ["byte 10: the header announces 0 tracks; the file has 2"]),
    Odd(
      what: "a vendor's chunk that is announced as a track",
      bytes: Bytes.chunk("MThd", [0, 1, 0, 3, 1, 0xE0]) + Bytes.chunk("XFIH", [1, 2]) + plain.dropFirst(14),
      notes: ["byte 10: the header announces 3 tracks; the file has 2"]),
    Odd(
      what: "a header of more than 6 bytes",
      bytes: Bytes.chunk("MThd", [0, 1, 0, 2, 1, 0xE0, 1, 2, 3]) + plain.dropFirst(14),
      notes: []),
    Odd(
      what: "a wrong length of the header", bytes: Array("MThd\0\0\0\0".utf8) + plain.dropFirst(8),
      notes: ["byte 4: the header has 6 bytes, not 0"]),
    Odd(
      what: "format 2 with one track", bytes: Bytes.file(format: 2, [Array(slow.dropLast(4)) + music]),
      notes: ["byte 8: format 2 is read as format 1"]),
    Odd(
      what: "format 7", bytes: Bytes.file(format: 7, [slow, music]), notes: ["byte 8: format 7 is read as format 1"]),
    Odd(
      what: "a chunk with a length beyond the file",
      bytes: plain.prefix(14) + Array("junk\u{7F}\u{7F}\u{7F}\u{7F}".utf8) + plain.dropFirst(14),
      notes: ["byte 14: 8 bytes between the tracks are ignored"]),
  ]

  private static let cut = Array(music.dropLast(6))

  private static let tracks: [Odd] = [
    Odd(
      what: "a track that is longer than its length", bytes: lengths(3),
      notes: ["bar 1, track 1, byte 18: the track has 11 bytes, not 3"]),
    Odd(
      what: "a track without a length", bytes: lengths(0),
      notes: ["bar 1, track 1, byte 18: the track has 11 bytes, not 0"]),
    Odd(
      what: "a track that is shorter than its length", bytes: lengths(14),
      notes: ["bar 1, track 1, byte 18: the track has 11 bytes, not 14"]),
    Odd(
      what: "a track whose length is that of the file", bytes: lengths(19 + music.count),
      notes: ["bar 1, track 1, byte 18: the track has 11 bytes, not \(19 + music.count)"]),
    Odd(
      what: "the highest length", bytes: lengths(0xFFFF_FFFF),
      notes: ["bar 1, track 1, byte 18: the track has 11 bytes, not 4294967295"]),
    Odd(
      what: "bytes after the end of the track", bytes: Bytes.file([slow + [0, 0xFF, 0x51, 3, 1, 2, 3], music]),
      notes: ["bar 1, track 1, byte 33: 7 bytes after the end of the track are ignored"]),
    Odd(
      what: "no end of track", bytes: Bytes.file([Array(slow.dropLast(4)), music]),
      notes: ["bar 1, track 1, byte 29: the track has no end of track; it is read up to here"]),
    Odd(
      what: "no end of track and a wrong length", bytes: lengths(1, Array(slow.dropLast(4))),
      notes: [
        "bar 1, track 1, byte 18: the track has 7 bytes, not 1",
        "bar 1, track 1, byte 29: the track has no end of track; it is read up to here",
      ]),
    Odd(
      what: "a track that has lost its last bytes", bytes: lengths(11, Array(slow.dropLast(2))),
      notes: [
        "bar 1, track 1, byte 31: expected the type of a meta event, but the track ends; the rest of the track is ignored"
      ]),
    Odd(
      what: "an empty track", bytes: Bytes.file([[], slow, music]),
      notes: ["bar 1, track 1, byte 22: the track has no end of track; it is read up to here"]),
    Odd(
      what: "a file that lacks its last byte", bytes: Array(plain.dropLast()),
      notes: [
        "bar 3, track 2, byte \(plain.count - 1): expected the length of a meta event, but the track ends;"
          + " the rest of the track is ignored"
      ]),
    Odd(
      what: "a file that is cut within a note", bytes: Array(plain.dropLast(7)),
      notes: [
        "bar 2, track 2, byte \(plain.count - 7): expected a data byte, but the track ends;"
          + " the rest of the track is ignored"
      ]),
  ]

  private static func rest(_ byte: Int, _ text: String, bar: Int = 2) -> [String] {
    ["bar \(bar), track 1, byte \(byte): \(text); the rest of the track is ignored"]
  }

  private static func strays(_ byte: Int, _ count: String = "1 byte of this track has") -> [String] {
    ["bar 3, track 1, byte \(byte): \(count) no place in a file, and no effect"]
  }

  private static let events: [Odd] = [
    Odd(
      what: "running status across meta events and system messages",
      bytes: tail([0x90, 60, 64, 0, 0xFF, 1, 1, 65, 0, 60, 0, 0, 0xF0, 2, 1, 0xF7, 0, 62, 0]),
      notes: []),
    Odd(
      what: "a velocity above 127", bytes: tail([0x90, 60, 200, 0, 60, 255]),
      notes: strays(33, "2 bytes of this track have")),
    Odd(
      what: "messages of a cable", bytes: tail([0xF8, 0, 0xFE, 0, 0xF1, 1, 0, 0xF2, 1, 2, 0, 0xF3, 1, 0, 0xF6]),
      notes: strays(31, "6 bytes of this track have")),
    Odd(
      what: "a system exclusive message in parts", bytes: tail([0xF0, 2, 1, 2, 0, 0xF7, 2, 3, 0xF7]), notes: []),
    Odd(
      what: "a system exclusive message without its length", bytes: tail([0xF0, 0x43, 0x10, 0x4C, 0xF7]),
      notes: strays(31)),
    Odd(
      what: "a system exclusive message without an end", bytes: tail([0xF0, 0x43, 0x10, 0x4C]),
      text: "1 4/4 100\n",
      notes: rest(32, "expected a system exclusive message that ends within its track, found 67 bytes")),
    Odd(
      what: "a meta event beyond its track", bytes: tail([0xFF, 1, 0x7F, 65]), text: "1 4/4 100\n",
      notes: rest(33, "expected a meta event that ends within its track, found 127 bytes")),
    Odd(
      what: "a data byte without a status", bytes: tail([60, 64]), text: "1 4/4 100\n",
      notes: rest(31, "expected a status byte from 128 to 255, found 60, and no status before it")),
    Odd(
      what: "a time of 6 bytes", bytes: tail([0xC0, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 0xC0, 1]), notes: []),
    Odd(
      what: "a time of more than 32 bits", bytes: tail([0xC0, 1, 0x90, 0x80, 0x80, 0x80, 0, 0xC0, 1]),
      notes: rest(33, "expected the time to the next event, found a number above 2^32", bar: 3)),
    Odd(
      what: "key signatures, ports and channels of odd lengths",
      bytes: song([
        (0, Bytes.meta(0x59, [])), (0, Bytes.meta(0x59, [9])), (0, Bytes.meta(0x20, [1, 2])), (0, Bytes.meta(0x21, [])),
      ]),
      notes: []),
    Odd(
      what: "broken UTF-8", bytes: song([(0, Bytes.meta(0x06, [0xC3])), (0, Bytes.meta(0x03, [0xFF, 0xFE]))]),
      text: "song \"ÿþ\"\nÃ: 2 4/4 100  # \"Ã\"\n", notes: []),
  ]
}
