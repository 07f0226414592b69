/// The text of a score. A klick tempo map is a valid score with the same meaning, if its tempi, signatures and volumes are
/// within the limits of this program.
///
///     file    = { [ line ] [ "#" comment ] }
///     line    = head | entry | voice | pause | block
///     head    = "song" string { "count=" bars | "scale=" percent "%" | "beat=" note | "set=" name }
///     block   = "{" [ count ] | "}"
///     entry   = [ label ":" ] bars [ signature ] [ note "=" ] tempo [ pattern ] [ volume ] { option }
///     bars    = number | "*"                              without an end
///     tempo   = N | N "-" N | N ">" N | N "~" N | N { "," N } | N ("+" | "-") N "/" number unit ".." N [ "!" end ] | "="
///     note    = what the tempo counts, such as "1/8" or "3/8"
///     N       = BPM with at most six decimals | number "us"     microseconds per quarter
///     unit    = "bar" | "beat" | "s"                      end = "stay" | "stop" | "again" | "reverse"
///     voice   = "&" …                                     as in the text of a rhythm; it belongs to the entry before
///     pause   = [ label ":" ] "pause" ( seconds "s" | number "beat" | "wait" )
///     option  = "sub=" | "swing=" | "set="                as in the text of a rhythm
///             | "count=" bars | "vol=" volume | "limit=" number ("bar" | "s") | "say"
///             | "mute=" number "/" number ("bar" | "beat") | "drop=" percent "%" [ ":" number "bar" ] | "seed=" number
extension Score {
  /// Parses a score. Throws at the first error.
  public init(text: some StringProtocol) throws(NotationError) {
    var parser = ScoreParser()
    var number = 0
    for line in String(text).utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      try parser.read(
        ScoreLine(Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line), number))
    }
    songs = try parser.finish()
  }
}

private struct ScoreParser {
  /// An entry whose voices may still follow.
  private struct Entry {
    var line: Int
    /// The words of its rhythm, padded with blanks to their columns; then the lines of its voices.
    var rhythm: String
    var metre: Metre
    var section: Section
  }

  private struct Open {
    var line: Int
    var count: Int64?
    var parts: [Song.Part] = []
  }

  private var songs: [Song] = []
  private var open: [Open] = [Open(line: 0, count: 1)]
  private var entry: Entry?
  /// The tempo at the end of the entry before.
  private var tempo: ScoreTempo?
  /// What a tempo of this song counts if its entry does not say it.
  private var unit = BeatUnit.quarter
  /// The set of clicks of this song's entries that do not have one.
  private var set: Voice.Sound?
  /// The line in which the current song begins; nil between songs.
  private var songLine: Int?
  /// The bars of all entries so far, keyed by metre and rhythm.
  private var bars: [[String]: SharedBar] = [:]
  private var signatures: [Substring: Signature] = [:]

  mutating func read(_ line: ScoreLine) throws(NotationError) {
    var line = line
    guard let first = line.words.first else {
      // The lines of the voices are counted from the entry's line.
      entry?.rhythm += "\n"
      return
    }
    if first.text.first == "&" {
      guard entry != nil else { throw line.error(first, "a voice belongs to the entry in the line before it") }
      entry?.rhythm += "\n" + line.text.prefix { $0 != "#" }
      return
    }
    try finishEntry()
    if first.text == "song" { return try readHead(line) }
    if first.text.first == "{" { return try openBlock(line) }
    if first.text == "}" { return try closeBlock(line) }
    begin(line)
    let label = line.nextLabel()
    guard label?.unicodeScalars.count ?? 0 <= Score.longestName else {
      throw line.error(first, "a label has at most \(Score.longestName) characters")
    }
    if line.words.first?.text == "pause" {
      try readPause(label, line)
    } else {
      try readEntry(label, line)
    }
  }

  mutating func finish() throws(NotationError) -> [Song] {
    try finishEntry()
    try finishSong()
    guard !songs.isEmpty else {
      throw NotationError(line: 1, column: 1, text: "the score has no entries, such as 8 120")
    }
    return songs
  }

  private mutating func readHead(_ line: ScoreLine) throws(NotationError) {
    if songLine != nil { try finishSong() }
    var song = Song()
    let words = line.words
    let name = words.dropFirst().first
    guard let name, name.text.first == "\"", name.text.count > 1, name.text.last == "\"" else {
      let straight = name?.text.first?.isTypographicQuote == true ? "straight " : ""
      throw line.error(
        name ?? words[0], "a song has a name in \(straight)quotation marks, such as song \"Blue\"")
    }
    song.name = String(name.text.dropFirst().dropLast())
    guard song.name.unicodeScalars.count <= Score.longestName else {
      throw line.error(name, "the name of a song has at most \(Score.longestName) characters")
    }
    (unit, set) = (.quarter, nil)
    for word in words.dropFirst(2) {
      if word.option.key == "beat" {
        guard let own = BeatUnit(text: word.option.value) else {
          throw line.error(
            word, "beat= is the note that the tempi of the song count, such as beat=1/8 or dotted beat=3/8")
        }
        unit = own
      } else if word.option.key == "set" {
        guard let own = Voice.Sound(set: word.option.value) else {
          throw line.error(word, "unknown set \(quoted(word.text)); the sets are \(Voice.Sound.setNames)")
        }
        set = own
      } else {
        try song.readOption(word, of: line)
      }
    }
    songs.append(song)
    songLine = line.number
    tempo = nil
  }

  private mutating func openBlock(_ line: ScoreLine) throws(NotationError) {
    begin(line)
    guard open.count <= Score.deepestNesting else {
      throw line.error(line.words[0], "blocks are nested at most \(Score.deepestNesting) deep")
    }
    var line = line
    line.dropCharacter()
    var count: Int64?
    if let word = line.next() {
      count = try line.whole(
        word, word.text, 1...1_000_000_000,
        "a block is repeated 1 to 1000000000 times, such as {3"
          + (word.text.utf8.allSatisfy { (48...57).contains($0) } ? "" : "; its entries are in the lines after {"))
    }
    if let word = line.next() {
      throw line.error(word, "nothing follows the number of repetitions; the entries are in the lines after it")
    }
    open.append(Open(line: line.number, count: count))
  }

  private mutating func closeBlock(_ line: ScoreLine) throws(NotationError) {
    let words = line.words
    guard words.count == 1 else { throw line.error(words[1], "nothing follows }") }
    guard open.count > 1, let block = open.popLast() else { throw line.error(words[0], "no block is open here") }
    guard !block.parts.isEmpty else { throw line.error(words[0], "the block of line \(block.line) is empty") }
    open[open.count - 1].parts.append(.block(Song.Block(count: block.count, parts: block.parts)))
  }

  private mutating func readPause(_ label: String?, _ line: ScoreLine) throws(NotationError) {
    let form =
      "a pause lasts at least 0.001 s, a number of beats, or until you go on: pause 2.5s, pause 4beat, pause wait"
    let words = Array(line.words)
    guard words.count == 2 else { throw line.error(words.count > 2 ? words[2] : words[0], form) }
    let length: Song.Pause.Length
    let text = words[1].text
    if text == "wait" {
      length = .wait
    } else if text.hasSuffix("beat"), let beats = Int64(digits: text.dropLast(4), atMost: 6), beats > 0 {
      length = .beats(beats)
    } else if text.hasSuffix("s"), let time = Nanoseconds(text: text.dropLast()), time >= Song.Pause.shortest {
      length = .time(time)
    } else {
      throw line.error(words[1], form)
    }
    open[open.count - 1].parts.append(.pause(Song.Pause(label: label, length)))
  }

  private mutating func readEntry(_ label: String?, _ line: ScoreLine) throws(NotationError) {
    var line = line
    for word in line.words { if let advice = ScoreAdvice.forWord(word.text) { throw line.error(word, advice) } }
    guard let first = line.next() else {
      throw NotationError(
        line: line.number, column: line.text.unicodeScalars.count + 1,
        text: "an entry follows a label, such as verse: 8 120")
    }
    if first.text != "*", Int64(first.text) == nil,
      first.text.has(":") || line.words.contains(where: { $0.text.has(":") && !$0.text.has("=") })
    {
      throw line.error(first, "a label is one word of letters, digits, - and _, such as my_verse:")
    }
    let isLabel =
      Int64(first.text) == nil && first.text.unicodeScalars.allSatisfy(\.isInLabels)
      && line.words.first.flatMap { Int64($0.text) } != nil
    let hint = isLabel ? "; a colon follows a label, such as \(first.text):" : ""
    let bars: Int64? =
      first.text == "*"
      ? nil
      : try line.whole(
        first, first.text, 1...1_000_000_000_000, "an entry begins with its number of bars from 1 to 10^12, or *" + hint
      )
    let signature = try readSignature(&line)
    guard var word = line.next() else {
      throw line.error(first, "a tempo follows the number of bars, such as 8 120")
    }
    let metre = Metre(signature, unit: try readUnit(&word, of: line))
    let own: SectionTempo
    do { own = try SectionTempo.read(word.text, bars: bars, metre, before: tempo) } catch {
      throw line.error(word, error.text)
    }
    tempo = own.last
    var section = Section(label: label, bars: bars, Bar(metre), own)
    var rhythm: [ScoreLine.Word] = []
    var keys: Set<Substring> = []
    for (index, word) in line.words.enumerated() {
      if let volume = word.text.decimal(places: 6), index <= 1 {
        guard volume <= Section.highestVolume else {
          throw line.error(word, "a volume is from 0 to 10; a change of tempo has no spaces, as in 120-140")
        }
        section.volume = volume
      } else if word.text.has("=") {
        let key = word.option.key
        guard keys.insert(key).inserted else { throw line.error(word, "\(key)= is given twice; write it once") }
        if ["sub", "swing", "set"].contains(key) {
          rhythm.append(word)
        } else {
          try section.readOption(word, of: line)
        }
      } else if word.text == "say" {
        section.speaks = true
      } else if index == 0 {
        rhythm.append(word)
      } else {
        throw line.error(word, "\(quoted(word.text)) is not an option; the pattern and the volume follow the tempo")
      }
    }
    entry = Entry(line: line.number, rhythm: ScoreLine.text(of: rhythm), metre: metre, section: section)
  }

  /// The signature at the beginning of the words, or 4/4.
  private mutating func readSignature(_ line: inout ScoreLine) throws(NotationError) -> Signature {
    guard let word = line.words.first, word.isSignature else { return .initial }
    guard let signature = signatures[word.text] ?? Signature(text: word.text) else {
      throw line.error(
        word,
        "invalid signature; write one such as 7/8 or 2+2+3/8, with up to \(Signature.highestNumerator) notes and "
          + "a denominator of 1, 2, 4, 8, 16 or 32"
      )
    }
    signatures[word.text] = signature
    _ = line.next()
    return signature
  }

  /// What a tempo counts, which is removed from its word: `3/8=63` is 63.
  private func readUnit(_ word: inout ScoreLine.Word, of line: ScoreLine) throws(NotationError) -> BeatUnit {
    let note = word.option.key
    if BeatUnit(text: word.text) != nil, line.words.first?.text.first == "=" {
      throw line.error(word, "write the note and its tempo without spaces, such as \(note)=63")
    }
    guard word.text.has("="), !note.isEmpty else { return unit }
    guard let own = BeatUnit(text: note) else {
      throw line.error(
        word,
        "\(quoted(note)) is not what a tempo counts; write a note such as 1/8 or dotted 3/8 before =, as in 3/8=63")
    }
    word = word.suffix(from: word.text.index(after: note.endIndex))
    return own
  }

  /// Begins a song without a head at its first part.
  private mutating func begin(_ line: ScoreLine) {
    guard songLine == nil else { return }
    songs.append(Song())
    songLine = line.number
  }

  private mutating func finishEntry() throws(NotationError) {
    guard let entry else { return }
    self.entry = nil
    let key = [entry.metre.signature.description, entry.metre.unit.description, entry.rhythm, set?.name ?? ""]
    var section = entry.section
    if let bar = bars[key] {
      section.shared = bar
    } else {
      do {
        var rhythm = try Rhythm(text: entry.rhythm, for: entry.metre)
        rhythm.set = rhythm.set ?? set
        section.bar = Bar(entry.metre, rhythm)
      } catch {
        throw NotationError(line: entry.line + error.line - 1, column: error.column, text: error.text)
      }
      bars[key] = section.shared
    }
    open[open.count - 1].parts.append(.section(section))
  }

  private mutating func finishSong() throws(NotationError) {
    guard open.count == 1 else {
      throw NotationError(
        line: open[open.count - 1].line, column: 1, text: "this block is not closed; write } after it")
    }
    guard let begin = songLine else { return }
    guard !open[0].parts.isEmpty else {
      throw NotationError(line: begin, column: 1, text: "this song has no entries, such as 8 120")
    }
    songs[songs.count - 1].parts = open[0].parts
    guard SongMap(songs[songs.count - 1]) != nil else {
      throw NotationError(
        line: begin, column: 1, text: "the song is too long: it has more than 10^15 beats or 10000 years")
    }
    open[0].parts = []
    songLine = nil
  }
}

extension Score {
  /// Parses the bytes of a file: UTF-8, with or without a byte order mark.
  public init(bytes: [UInt8]) throws(NotationError) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let rest = bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...]
    guard let text = String(validating: rest, as: UTF8.self) else { throw Score.wrongByte(in: rest) }
    try self.init(text: text)
  }

  /// The place of the first byte that is not UTF-8.
  private static func wrongByte(in bytes: ArraySlice<UInt8>) -> NotationError {
    var (line, column, index) = (1, 1, bytes.startIndex)
    var (iterator, decoder) = (bytes.makeIterator(), UTF8())
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
      index += UTF8.width(scalar)
    }
    let byte = String(bytes[index], radix: 16, uppercase: true)
    return NotationError(line: line, column: column, text: "invalid UTF-8 byte 0x\(byte); save the file as UTF-8")
  }
}
