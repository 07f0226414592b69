import MetronomeCore
import Testing

/// The import of Standard MIDI Files: the reader, and the score that is made.
@Suite struct MIDIFileTests {
  private typealias Bytes = MIDIBytes

  private func imported(_ bytes: [UInt8]) throws -> ImportedScore { try MIDIFile(bytes).score() }

  private func imported(_ end: Int, _ events: [MIDIBytes.Event]) throws -> ImportedScore {
    try imported(Bytes.file(end: end, events))
  }

  private func map(_ score: ImportedScore) throws -> SongMap {
    let song = try Score(text: score.text).songs[0]
    return try #require(SongMap(song))
  }

  @Test func fileWithoutMetaEventsHas120BPMAnd44() throws {
    let score = try imported(4 * 1_920, [])
    #expect(score == ImportedScore(text: "4 4/4 120\n", notes: []))
  }

  /// Rounded to 132 BPM, it would end 4.5 ms late.
  @Test func microsecondsAreExact() throws {
    let score = try imported(480 * 10_000, [Bytes.tempo(0, 454_545)])
    #expect(score.text == "2500 4/4 454545us  # 132 BPM\n")
    #expect(try map(score).total.time.nanoseconds.count == 4_545_450_000_000)
  }

  @Test func equalBarsAreOneEntryUnlessAMarkerBeginsOne() throws {
    let score = try imported(
      8 * 1_920,
      [
        Bytes.tempo(0, 600_000), Bytes.tempo(1_920, 600_000), Bytes.marker(0, "Intro"),
        Bytes.marker(3_840, "Verse 1 / é"), Bytes.marker(3_840, "x#\"y"), Bytes.tempo(7_680, 500_000),
      ])
    let text = """
      Intro: 2 4/4 100  # "Intro"
      Verse_1___é: 2 4/4 100  # "Verse 1 / é", "x#"y"
      4 4/4 120

      """
    #expect(score == ImportedScore(text: text, notes: []))
  }

  @Test func markerIsAtTheNearestBarLine() throws {
    let cue: MIDIBytes.Event = (1_920, Bytes.meta(0x07, Array("cue".utf8)))
    let score = try imported(
      3 * 1_920, [cue, Bytes.marker(1_919, "b"), Bytes.marker(3_860, "c"), Bytes.marker(5_760, "end")])
    #expect(score.text == "1 4/4 120\nb: 1 4/4 120  # \"b\", \"cue\"\nc: 1 4/4 120  # \"c\"\n")
    #expect(
      score.notes == [
        "the marker \"b\" is within bar 1; its label is at the beginning of bar 2",
        "the marker \"c\" is within bar 3; its label is at the beginning of bar 3",
        "the marker \"end\" is at the end, where no bar begins; it is left out",
      ])
  }

  private static let longName = String(repeating: "\u{202E}", count: 50)
  private static let shownLongName = "song \"" + String(repeating: "U+202E", count: 50).prefix(200) + "\"\n"

  @Test(arguments: [
    ("Blue", "song \"Blue\"\n"), (" \"A\" # 1\u{0} ", "song \"'A' # 1\"\n"), ("", ""), ("\u{301}e", "song \"_e\"\n"),
    ("a\u{202E}", "song \"aU+202E\"\n"), (longName, shownLongName),
  ])
  func nameOfTheFirstTrackIsTheSongs(name: String, head: String) throws {
    let first = Bytes.track(end: 1_920, [(0, Bytes.meta(0x03, Array(name.utf8)))])
    let second = Bytes.track(end: 0, [(0, Bytes.meta(0x03, Array("Bass".utf8)))])
    let score = try imported(Bytes.file([first, second]))
    #expect(score.text == head + "1 4/4 120\n")
    #expect(try Score(text: score.text).songs.count == 1)
  }

  @Test func textThatIsNotUTF8IsLatin1() throws {
    let score = try imported(1_920, [(0, Bytes.meta(0x06, [0x63, 0xE9]))])
    #expect(score.text == "cé: 1 4/4 120  # \"cé\"\n")
  }

  /// Running status, system exclusive messages, unknown chunks, and a tempo in the second track.
  @Test func otherMessagesAreSkipped() throws {
    let notes: [UInt8] = [
      0, 0x90, 60, 100, 10, 60, 0, 0, 0xC0, 5, 0, 7, 0, 0xF0, 3, 1, 2, 0xF7, 0, 0xF7, 1, 0xF8, 0, 0xE0, 0, 64,
      0, 0xFF, 0x7F, 2, 1, 2, 0x8E, 0x76, 0x40, 0x41, 0, 0xFF, 0x2F, 0, 99, 99,
    ]
    let second = Bytes.track(end: 480, [Bytes.tempo(0, 700_000), Bytes.signature(0, 3, 4)])
    let file =
      Bytes.chunk("MThd", [0, 1, 0, 2, 1, 0xE0, 1, 2, 3]) + Bytes.chunk("XFIH", [1, 2]) + Bytes.chunk("MTrk", notes)
      + Bytes.chunk("MTrk", second)
    // 10 + 0x0776 ticks: 1,920.
    #expect(try MIDIFile(file).end == 10 + 0x776)
    #expect(try imported(file).text == "2 3/4 700000us  # 85.714 BPM\n")
  }

  private static let tempoChanges: [([MIDIBytes.Event], String)] = [
    // Between bars, at a beat, within a beat: in the notes of the signature, or in shorter ones.
    ([MIDIBytes.tempo(1_920, 400_000)], "1 4/4 120\n1 4/4 150\n"),
    (
      [MIDIBytes.tempo(960, 400_000), MIDIBytes.tempo(1_440, 500_000)],
      "1 4/4 120,120,150,120\n1 4/4 120\n"
    ),
    (
      [MIDIBytes.tempo(720, 400_000)],
      "1 8/8 120,120,120" + String(repeating: ",150", count: 5) + " X.x.x.x.\n1 4/4 150\n"
    ),
    (
      [MIDIBytes.signature(0, 6, 8, clocks: 36), MIDIBytes.tempo(120, 400_000)],
      "1 12/16 120" + String(repeating: ",150", count: 11) + " X.x.x.Y.x.x.\n2 3+3/8 150\n"
    ),
    // The last tempo of a tick counts, and one without an effect is ignored, whatever it is.
    ([MIDIBytes.tempo(0, 7), MIDIBytes.tempo(0, 400_000), MIDIBytes.tempo(3_840, 1)], "2 4/4 150\n"),
  ]

  @Test(arguments: tempoChanges)
  func tempoChange(events: [MIDIBytes.Event], text: String) throws {
    #expect(try imported(3_840, events) == ImportedScore(text: text, notes: []))
  }

  private static let metreChanges: [([MIDIBytes.Event], String)] = [
    ([MIDIBytes.signature(1_920, 3, 4)], "1 4/4 120\n2 3/4 120\n"),
    // The bar before is cut short: in its own notes, or in shorter ones.
    ([MIDIBytes.signature(960, 3, 4)], "1 2/4 120\n2 3/4 120\n"),
    ([MIDIBytes.signature(1_200, 3, 4)], "1 5/8 120 X.x.x\n2 3/4 120\n"),
    (
      [MIDIBytes.signature(0, 7, 8), MIDIBytes.signature(60, 2, 1), MIDIBytes.tempo(0, 600_000)],
      "1 1/32 100 X\n1 2/1 100\n"
    ),
    ([MIDIBytes.signature(0, 9, 8, clocks: 36), MIDIBytes.signature(960, 3, 4)], "1 3+1/8 120\n2 3/4 120\n"),
    ([MIDIBytes.signature(0, 4, 4, clocks: 48)], "2 2+2/4 120\n"),
    ([MIDIBytes.signature(0, 12, 8, clocks: 36)], "2 3+3+3+3/8 120\n"),
    // 24 clocks, clocks that do not divide the bar, and one click in a bar.
    ([MIDIBytes.signature(0, 6, 8)], "3 6/8 120\n"),
    ([MIDIBytes.signature(0, 7, 8, clocks: 36)], "3 7/8 120\n"),
    ([MIDIBytes.signature(0, 3, 4, clocks: 72)], "3 3/4 120\n"),
    // A repeated one changes nothing, and one at the end does not begin a bar.
    ([MIDIBytes.signature(1_920, 4, 4), MIDIBytes.signature(3_840, 3, 4)], "2 4/4 120\n"),
  ]

  @Test(arguments: metreChanges)
  func metreChange(events: [MIDIBytes.Event], text: String) throws {
    #expect(try imported(3_840, events) == ImportedScore(text: text, notes: []))
  }

  /// 32 notes of 1/32 of which the first lasts 30 ticks at each tempo, or is 1 µs too long for that.
  @Test(arguments: [(400_000, 450_000, "exact"), (400_001, 450_001, "0.063 µs late")])
  func changeWithinAShortNoteHasTheMeanTempo(tempo: Int, mean: Int, end: String) throws {
    let score = try imported(1_920, [Bytes.tempo(30, tempo)])
    let list = ["\(mean)us"] + Array(repeating: tempo == 400_000 ? "150" : "\(tempo)us", count: 31)
    #expect(score.text == "1 32/32 \(list.joined(separator: ",")) X.......x.......x.......x.......\n")
    #expect(
      score.notes == [
        "bar 1: the tempo changes within a 1/32 note, which has the mean tempo here; the bar lines after it are \(end)"
      ])
  }

  /// 9/4 has at most 18 notes of 1/8, and 4,260 ticks are 17.75 of them.
  @Test func lastNoteOfAnUnevenBarHasTheRestOfItsDuration() throws {
    let score = try imported(6_000, [Bytes.signature(0, 9, 4), Bytes.signature(4_260, 3, 4)])
    let list = Array(repeating: "120", count: 17) + ["160"]
    #expect(score.text == "1 18/8 \(list.joined(separator: ",")) X.x.x.x.x.x.x.x.x.\n2 3/4 120\n")
    #expect(
      score.notes == [
        "bar 1: its length of 4260 ticks is not a whole number of 1/8 notes; its last one is shorter here;"
          + " the bar lines after it are exact"
      ])
  }

  /// At 999 BPM a shorter note has no tempo.
  @Test func lastNoteIsLongerIfItCannotBeShorter() throws {
    let score = try imported(3_359, [Bytes.tempo(0, 60_061), Bytes.signature(1_919, 3, 4)])
    let list = Array(repeating: "60061us", count: 30) + ["119121us"]
    let bar = "1 31/32 \(list.joined(separator: ",")) X.......x.......x.......x......\n"
    #expect(score.text == bar + "1 3/4 60061us  # 998.984 BPM\n")
    #expect(
      score.notes == [
        "bar 1: its length of 1919 ticks is not a whole number of 1/32 notes; its last one is longer here;"
          + " the bar lines after it are 0.002 µs late"
      ])
  }

  /// A rest of three ticks is joined to the bar before it, and at the beginning to the bar after it.
  @Test func shortRestIsJoinedToABar() throws {
    let late = try imported(3_363, [Bytes.signature(1_923, 3, 4)])
    #expect(late.text.hasSuffix(",525000us X.......x.......x.......x.......\n1 3/4 120\n"))
    #expect(barLines(try map(late)) == [0, 2_003_125_000, 3_503_125_000])
    let early = try imported(2_880, [Bytes.signature(0, 5, 8), Bytes.signature(3, 3, 4)])
    #expect(barLines(try map(early)) == [0, 1_503_125_000, 3_003_125_000])
    #expect(late.notes.count == 1 && early.notes.count == 1)
  }

  @Test func timeSignatureThatChangesNothingHasANote() throws {
    let quarters: MIDIBytes.Event = (0, Bytes.meta(0x58, [3, 2, 24, 16]))
    let score = try imported(2_880, [quarters, Bytes.signature(480, 3, 4), Bytes.signature(1_440, 3, 4)])
    #expect(score.text == "2 3/4 120\n")
    #expect(
      score.notes == [
        "bar 1, track 1, byte 23: the time signature has 16 1/32 notes in a quarter; 8 are assumed",
        "bar 1, track 1, byte 32: the time signature 3/4 is repeated within a bar; no bar begins here",
      ])
  }

  @Test func commentHasAtMostFourMarkers() throws {
    let score = try imported(1_920, "abcdef".map { Bytes.marker(0, String($0)) })
    #expect(score.text == "a: 1 4/4 120  # \"a\", \"b\", \"c\", \"d\"\n")
  }

  @Test func notesAreLimited() throws {
    let score = try imported(480 * 800, (0..<200).map { Bytes.tempo($0 * 1_920 + 1, 500_001 + $0) })
    #expect(score.notes.count == 51)
    #expect(score.notes.last == "150 more notes are not listed")
  }

  private static let again = "; export the song again as a MIDI file"

  private static let refused: [([UInt8], String)] = [
    ([], "byte 0: expected \"MThd\", with which a MIDI file begins, found an empty file" + again),
    (Array("RIFF----WAVEfmt ".utf8), "byte 0: expected \"MThd\", with which a MIDI file begins" + again),
    (Array("MThd\0\0\0\u{6}\0\u{1}\0\u{1}".utf8), "byte 12: expected a header of 14 bytes, found 12" + again),
    (
      MIDIBytes.file(format: 2, [[], []]),
      "byte 8: expected format 0 or 1, found 2: its tracks are independent songs; save the song in format 1"
    ),
    (
      MIDIBytes.file(division: 0xE728, [[]]),
      "byte 12: expected a division in ticks per quarter, found SMPTE frames, which have no beats; save it with ticks per"
        + " quarter"
    ),
    (
      MIDIBytes.file(division: 0, [[]]),
      "byte 12: expected a number of ticks per quarter, found 0; save it with 480 ticks per quarter"
    ),
    (MIDIBytes.file([]), "byte 14: expected a track, which begins with \"MTrk\", found none" + again),
    (
      MIDIBytes.file([]) + MIDIBytes.chunk("XFIH", [1, 2]) + Array("MTr".utf8),
      "byte 24: expected a track, which begins with \"MTrk\", found none" + again
    ),
    (
      MIDIBytes.file([
        Array(repeatElement(MIDIBytes.quantity(1) + MIDIBytes.tempo(0, 500_000).bytes, count: 100_001).joined())
      ]),
      "byte 700023: expected at most 100000 tempi, time signatures and markers, found more; thin out the tempi"
    ),
  ]

  @Test(arguments: refused)
  func refusalNamesTheByteAndTheCure(bytes: [UInt8], message: String) {
    #expect {
      _ = try MIDIFile(bytes)
    } throws: { error in
      "\(error)" == message
    }
  }

  /// Sixteen of the longest distances are less than 2³² ticks: with one tick in a quarter, 68 years.
  @Test func theLongestFileIsOneEntry() throws {
    let far: [UInt8] = [0xFF, 0xFF, 0xFF, 0x7F, 0xC0, 0]
    let long = (0..<16).flatMap { _ in far }
    #expect(try imported(Bytes.file(division: 1, [long])).text == "1073741820 4/4 120\n")
    let longer = try imported(Bytes.file(division: 1, [long + far]))
    #expect(longer.text == "1073741820 4/4 120\n")
    #expect(
      longer.notes == [
        "bar 1073741821, track 1, byte 118: expected an event within 4294967295 ticks, found one at 4563402735;"
          + " the rest of the track is ignored"
      ])
  }
}
