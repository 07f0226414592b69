/// The text of a score. Each file of klick is one, with the same meaning.
///
///     file    = { [ line ] [ "#" comment ] }
///     line    = head | entry | voice | pause | block
///     head    = "song" string { "count=" bars | "scale=" percent "%" }
///     block   = "{" [ count ] | "}"
///     entry   = [ label ":" ] bars [ signature ] tempo [ pattern ] [ volume ] { option }
///     bars    = number | "*"                              without an end
///     tempo   = N | N "-" N | N ">" N | N "~" N | N { "," N } | N ("+" | "-") N "/" number unit ".." N [ "!" end ] | "="
///     N       = BPM with at most six decimals | number "us"     microseconds per quarter
///     unit    = "bar" | "beat" | "s"                      end = "stay" | "stop" | "again" | "reverse"
///     voice   = "&" …                                     as in the text of a rhythm; it belongs to the entry before
///     pause   = [ label ":" ] "pause" ( seconds "s" | number "beat" | "wait" )
///     option  = "sub=" | "swing="                         as in the text of a rhythm
///             | "count=" bars | "vol=" volume | "limit=" number ("bar" | "s") | "say"
///             | "mute=" number "/" number ("bar" | "beat") | "drop=" percent "%" [ ":" number "bar" ] | "seed=" number
extension Score {
  /// Parses a score; the whole text must be right.
  public init(text: some StringProtocol) throws(NotationError) {
    var parser = ScoreParser()
    var number = 0
    for line in String(text).utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      try parser.read(Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line), number)
    }
    songs = try parser.finish(after: number)
  }
}

private struct ScoreParser {
  private struct Word {
    var column: Int
    var text: Substring
  }

  /// An entry whose voices may still follow.
  private struct Entry {
    var line: Int
    /// The words of its rhythm at their columns, and blanks elsewhere; then the lines of its voices.
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
  private var line = 0
  /// The line in which the song begins; nil before it.
  private var songLine: Int?
  /// The bars of the entries so far by their signatures and rhythms.
  private var bars: [[String]: SharedBar] = [:]
  private var signatures: [Substring: Signature] = [:]

  mutating func read(_ text: Substring, _ number: Int) throws(NotationError) {
    line = number
    var words = words(of: text)
    guard let first = words.first else {
      // The lines of the voices are counted from the entry's line.
      entry?.rhythm += "\n"
      return
    }
    if first.text == "&" || first.text.hasPrefix("&") {
      guard entry != nil else { throw error(first, "a voice belongs to the entry in the line before it") }
      entry?.rhythm += "\n" + text.prefix { $0 != "#" }
      return
    }
    try finishEntry()
    switch first.text {
    case "song": try readHead(text, words)
    case let brace where brace.first == "{":
      if brace.count > 1 {
        words[0] = Word(column: first.column + 1, text: brace.dropFirst())
      } else {
        words.removeFirst()
      }
      try openBlock(first, words)
    case "}": try closeBlock(words)
    default:
      let label = try readLabel(&words)
      if words.first?.text == "pause" {
        try readPause(label, words)
      } else {
        try readEntry(label, words, text)
      }
    }
  }

  mutating func finish(after lines: Int) throws(NotationError) -> [Song] {
    line = lines + 1
    try finishEntry()
    try finishSong()
    guard !songs.isEmpty else {
      throw NotationError(line: 1, column: 1, text: "the score has no entries, such as 8 120")
    }
    return songs
  }

  private mutating func readHead(_ text: Substring, _ words: [Word]) throws(NotationError) {
    if songLine != nil { try finishSong() }
    var song = Song()
    var rest = words.dropFirst()
    guard let name = rest.first, name.text.first == "\"", name.text.count > 1, name.text.last == "\"" else {
      throw error(words.count > 1 ? words[1] : words[0], "a song has a name in quotation marks, such as song \"Blue\"")
    }
    song.name = String(name.text.dropFirst().dropLast())
    rest = rest.dropFirst()
    for word in rest {
      let (key, value) = split(word)
      switch key {
      case "count": song.countIn = Int(try whole(word, value, 0...12, "count= is a number of bars from 0 to 12"))
      case "scale":
        let form = "scale= is a share of the tempo from 1% to 400%, such as scale=85%"
        guard value.hasSuffix("%"), let percent = thousandths(ofDecimal: value.dropLast()), percent % 100 == 0,
          TempoCurve.scales.contains(percent / 100)
        else { throw error(word, form) }
        song.scale = percent / 100
      default: throw error(word, "unknown option \(quoted(word.text)); a song has count= and scale=")
      }
    }
    songs.append(song)
    songLine = line
    tempo = nil
  }

  private mutating func openBlock(_ brace: Word, _ words: [Word]) throws(NotationError) {
    begin()
    guard open.count <= Score.deepestNesting else {
      throw error(brace, "blocks are nested at most \(Score.deepestNesting) deep")
    }
    var count: Int64?
    if let word = words.first {
      count = try whole(word, word.text, 1...1_000_000_000, "a block is repeated 1 to 1000000000 times, such as {3")
    }
    guard words.count <= 1 else { throw error(words[1], "nothing follows the number of repetitions") }
    open.append(Open(line: line, count: count))
  }

  private mutating func closeBlock(_ words: [Word]) throws(NotationError) {
    guard words.count == 1 else { throw error(words[1], "nothing follows }") }
    guard open.count > 1, let block = open.popLast() else { throw error(words[0], "no block is open here") }
    guard !block.parts.isEmpty else { throw error(words[0], "the block of line \(block.line) is empty") }
    open[open.count - 1].parts.append(.block(Song.Block(count: block.count, parts: block.parts)))
  }

  private mutating func readPause(_ label: String?, _ words: [Word]) throws(NotationError) {
    begin()
    let form = "a pause lasts a number of seconds, of beats, or until you go on: pause 2.5s, pause 4beat, pause wait"
    guard words.count == 2 else { throw error(words.count > 2 ? words[2] : words[0], form) }
    let length: Song.Pause.Length
    let text = words[1].text
    if text == "wait" {
      length = .wait
    } else if text.hasSuffix("beat"), let beats = Int64(digits: text.dropLast(4), atMost: 6), beats > 0 {
      length = .beats(beats)
    } else if text.hasSuffix("s"), let time = Nanoseconds(text: text.dropLast()), time > .zero {
      length = .time(time)
    } else {
      throw error(words[1], form)
    }
    open[open.count - 1].parts.append(.pause(Song.Pause(label: label, length)))
  }

  private mutating func readEntry(_ label: String?, _ words: [Word], _ text: Substring) throws(NotationError) {
    begin()
    var words = words[...]
    guard let first = words.popFirst() else {
      throw NotationError(
        line: line, column: text.unicodeScalars.count + 1, text: "an entry follows a label, such as verse: 8 120")
    }
    let bars: Int64? =
      first.text == "*"
      ? nil
      : try whole(
        first, first.text, 1...1_000_000_000_000, "an entry begins with its number of bars from 1 to 10^12, or *")
    var signature = Signature.initial
    if let word = words.first, isSignature(word.text) {
      guard let own = signatures[word.text] ?? Signature(text: word.text) else {
        throw error(
          word, "invalid signature; write one such as 7/8 or 2+2+3/8, with a denominator of 1, 2, 4, 8, 16 or 32")
      }
      signatures[word.text] = own
      signature = own
      words.removeFirst()
    }
    guard let word = words.popFirst() else {
      throw error(first, "a tempo follows the number of bars, such as 8 120")
    }
    let metre = Metre(signature)
    let own: SectionTempo
    do { own = try SectionTempo(text: word.text, bars: bars, metre, before: tempo) } catch {
      throw self.error(word, error.text)
    }
    var section = Section(label: label, bars: bars, Bar(metre), own)
    var kept: [Word] = []
    var keys: Set<Substring> = []
    for (index, word) in words.enumerated() {
      if let volume = word.text.decimal(places: 6), index <= 1 {
        guard volume <= 10_000_000 else { throw error(word, "a volume is from 0 to 10") }
        section.volume = volume
      } else if word.text.has("=") {
        let key = split(word).key
        guard keys.insert(key).inserted else { throw error(word, "\(key)= is given twice; write it once") }
        if key == "sub" || key == "swing" { kept.append(word) } else { try readOption(word, &section) }
      } else if word.text == "say" {
        section.speaks = true
      } else if index == 0 {
        kept.append(word)
      } else {
        throw error(word, "\(quoted(word.text)) is not an option; the pattern and the volume follow the tempo")
      }
    }
    tempo = own.last
    var rhythm = ""
    var column = 1
    for word in kept {
      rhythm += String(repeating: " ", count: word.column - column) + word.text
      column = word.column + word.text.unicodeScalars.count
    }
    entry = Entry(line: line, rhythm: rhythm, metre: metre, section: section)
  }

  private func readOption(_ word: Word, _ section: inout Section) throws(NotationError) {
    let (key, value) = split(word)
    switch key {
    case "count": section.countIn = Int(try whole(word, value, 0...12, "count= is a number of bars from 0 to 12"))
    case "vol":
      guard let volume = value.decimal(places: 6), volume <= 10_000_000 else {
        throw error(word, "vol= is a volume from 0 to 10, such as vol=0.5")
      }
      section.volume = volume
    case "limit":
      let form = "limit= is a number of bars or seconds, such as limit=16bar or limit=90s"
      if value.hasSuffix("bar"), let bars = Int64(digits: value.dropLast(3), atMost: 12), bars > 0 {
        section.limit = .bars(bars)
      } else if value.hasSuffix("s"), let time = Nanoseconds(text: value.dropLast()), time > .zero {
        section.limit = .time(time)
      } else {
        throw error(word, form)
      }
    case "mute":
      let form = "mute= is a number of bars or beats that sound, and of silent ones, such as mute=2/2bar"
      let isInBeats = value.hasSuffix("beat")
      guard isInBeats || value.hasSuffix("bar") else { throw error(word, form) }
      let parts = value.dropLast(isInBeats ? 4 : 3).split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2, let sounding = Int(digits: parts[0]), let silent = Int(digits: parts[1]),
        sounding + silent > 0
      else { throw error(word, form) }
      (section.filter.sounding, section.filter.silent) = (Int32(sounding), Int32(silent))
      section.filter.countsBeats = isInBeats
    case "drop":
      let form = "drop= is a share of the beats, such as drop=20% or, growing in the first 8 bars, drop=20%:8bar"
      let parts = value.split(separator: ":", omittingEmptySubsequences: false)
      guard (1...2).contains(parts.count), parts[0].hasSuffix("%"), let percent = Int(digits: parts[0].dropLast()),
        percent <= 100
      else { throw error(word, form) }
      section.filter.dropPercent = Int32(percent)
      if parts.count == 2 {
        guard parts[1].hasSuffix("bar"), let bars = Int(digits: parts[1].dropLast(3)) else { throw error(word, form) }
        section.filter.dropGrowth = Int32(bars)
      }
    case "seed":
      guard let seed = UInt64(value), value.utf8.allSatisfy({ (48...57).contains($0) }) else {
        throw error(word, "seed= is a whole number, such as seed=7")
      }
      section.filter.seed = seed
    default:
      throw error(
        word,
        "unknown option \(quoted(word.text)); the options are sub=, swing=, count=, vol=, limit=, mute=, drop=, seed= and say"
      )
    }
  }

  private mutating func begin() {
    guard songLine == nil else { return }
    songs.append(Song())
    songLine = line
  }

  private mutating func finishEntry() throws(NotationError) {
    guard let entry else { return }
    self.entry = nil
    let key = [entry.metre.signature.description, entry.rhythm]
    var section = entry.section
    if let bar = bars[key] {
      section.shared = bar
    } else {
      do {
        section.bar = Bar(entry.metre, try Rhythm(text: entry.rhythm, for: entry.metre))
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

  /// The label before a colon, which is removed.
  private func readLabel(_ words: inout [Word]) throws(NotationError) -> String? {
    let text = words[0].text
    let end = text.utf8.firstIndex { byte in
      !(48...57).contains(byte) && !(65...90).contains(byte & ~0x20) && byte != UInt8(ascii: "_")
        && byte != UInt8(ascii: "-")
    }
    let label = text[..<(end ?? text.endIndex)]
    let rest = text[label.endIndex...]
    if !label.isEmpty, rest.first == ":" {
      if rest.count == 1 {
        words.removeFirst()
      } else {
        words[0] = Word(column: words[0].column + label.count + 1, text: rest.dropFirst())
      }
      return String(label)
    }
    if rest.isEmpty, words.count > 1, words[1].text.first == ":" {
      let own = words[1].text.dropFirst()
      words.removeFirst(own.isEmpty ? 2 : 1)
      if !own.isEmpty { words[0] = Word(column: words[0].column + 1, text: own) }
      return String(label)
    }
    return nil
  }

  /// The words of a line, without its comment. A text in quotation marks is one word. Columns count Unicode scalars.
  private func words(of text: Substring) -> [Word] {
    let bytes = text.utf8
    var words: [Word] = []
    var (column, index, start) = (0, bytes.startIndex, bytes.startIndex)
    var begun: Int?
    var isQuoted = false
    while index < bytes.endIndex {
      let byte = bytes[index]
      // The first byte of a scalar.
      if byte & 0xC0 != 0x80 { column += 1 }
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == UInt8(ascii: "#"), !isQuoted { break }
      if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t"), !isQuoted {
        if let begun { words.append(Word(column: begun, text: text[start..<index])) }
        begun = nil
      } else if begun == nil {
        (begun, start) = (column, index)
      }
      bytes.formIndex(after: &index)
    }
    if let begun { words.append(Word(column: begun, text: text[start..<index])) }
    return words
  }

  /// Digits, `+` and at least one `/`.
  private func isSignature(_ text: Substring) -> Bool {
    text.has("/")
      && text.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
  }

  private func split(_ word: Word) -> (key: Substring, value: Substring) {
    guard let equals = word.text.firstIndex(of: "=") else { return (word.text, "") }
    return (word.text[..<equals], word.text[word.text.index(after: equals)...])
  }

  private func whole(
    _ word: Word, _ text: Substring, _ range: ClosedRange<Int64>, _ form: String
  ) throws(NotationError) -> Int64 {
    guard let number = Int64(digits: text, atMost: 18), range.contains(number) else { throw error(word, form) }
    return number
  }

  private func error(_ word: Word, _ text: String) -> NotationError {
    NotationError(line: line, column: word.column, text: text)
  }
}
