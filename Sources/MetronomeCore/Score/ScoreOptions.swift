extension Song {
  /// Reads `count=` or `scale=`.
  mutating func readOption(_ word: ScoreLine.Word, of line: ScoreLine) throws(NotationError) {
    let (key, value) = word.option
    switch key {
    case "count": countIn = try line.countIn(word)
    case "scale":
      guard value.hasSuffix("%"), let percent = thousandths(ofDecimal: value.dropLast()), percent % 100 == 0,
        TempoCurve.scales.contains(percent / 100)
      else { throw line.error(word, "scale= is a share of the tempo from 1% to 400%, such as scale=85%") }
      scale = percent / 100
    default: throw line.error(word, "unknown option \(quoted(word.text)); a song has count=, scale=, beat= and set=")
    }
  }
}

extension Section {
  /// Reads an option of an entry, except those of its rhythm.
  mutating func readOption(_ word: ScoreLine.Word, of line: ScoreLine) throws(NotationError) {
    let (key, value) = word.option
    switch key {
    case "count": countIn = try line.countIn(word)
    case "vol":
      guard let own = value.decimal(places: 6), own <= Section.highestVolume else {
        throw line.error(word, "vol= is a volume from 0 to 10, such as vol=0.5")
      }
      volume = own
    case "limit":
      guard let own = Limit(text: value) else {
        throw line.error(word, "limit= is a number of bars or seconds, such as limit=16bar or limit=90s")
      }
      limit = own
    case "mute":
      guard filter.readGap(value) else {
        throw line.error(
          word, "mute= is a number of bars or beats that sound, and of silent ones, such as mute=2/2bar")
      }
    case "drop":
      guard filter.readDrop(value) else {
        throw line.error(
          word, "drop= is a share of the beats, such as drop=20% or, growing in the first 8 bars, drop=20%:8bar")
      }
    case "seed":
      guard let seed = UInt64(value), value.utf8.allSatisfy({ (48...57).contains($0) }) else {
        throw line.error(word, "seed= is a whole number, such as seed=7")
      }
      filter.seed = seed
    default:
      throw line.error(
        word,
        "unknown option \(quoted(word.text)); the options are sub=, swing=, set=, count=, vol=, limit=, mute=, drop=, seed= and say"
      )
    }
  }

  /// In millionths.
  static let highestVolume: Int64 = 10_000_000
}

extension ScoreLine {
  fileprivate func countIn(_ word: Word) throws(NotationError) -> Int {
    Int(try whole(word, word.option.value, 0...12, "count= is a number of bars from 0 to 12"))
  }
}

extension Section.Limit {
  /// `16bar` or `90s`; nil for anything else.
  fileprivate init?(text: Substring) {
    if text.hasSuffix("bar"), let bars = Int64(digits: text.dropLast(3), atMost: 12), bars > 0 {
      self = .bars(bars)
    } else if text.hasSuffix("s"), let time = Nanoseconds(text: text.dropLast()), time > .zero {
      self = .time(time)
    } else {
      return nil
    }
  }
}

extension SilenceFilter {
  /// Reads `2/2bar` or `3/1beat`; false for anything else.
  fileprivate mutating func readGap(_ text: Substring) -> Bool {
    countsBeats = text.hasSuffix("beat")
    guard countsBeats || text.hasSuffix("bar") else { return false }
    let parts = text.dropLast(countsBeats ? 4 : 3).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let sounding = Int(digits: parts[0]), let silent = Int(digits: parts[1]),
      sounding + silent > 0
    else { return false }
    (self.sounding, self.silent) = (Int32(sounding), Int32(silent))
    return true
  }

  /// Reads `20%` or `20%:8bar`; false for anything else.
  fileprivate mutating func readDrop(_ text: Substring) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts[0].hasSuffix("%"), let percent = Int(digits: parts[0].dropLast()),
      percent <= 100
    else { return false }
    dropPercent = Int32(percent)
    guard parts.count == 2 else { return true }
    guard parts[1].hasSuffix("bar"), let bars = Int(digits: parts[1].dropLast(3)) else { return false }
    dropGrowth = Int32(bars)
    return true
  }
}

/// What to write in place of a word that musicians use, but a score does not know.
enum ScoreAdvice {
  private static let slower = "a tempo that falls is written with both ends over its bars, such as 4 120-80"
  private static let faster = "a tempo that rises is written with both ends over its bars, such as 4 80-120"
  private static let pause = "a pause is a line of its own: pause 2s, pause 4beat, or pause wait until you go on"
  private static let repeats = "repeats are written with braces around the entries: a line {2, and a line } after them"
  private static let signs =
    "write the sections in the order in which they are played, and what is repeated between braces: a line {2, and a line }"
  private static let bpm = "a tempo is a number without its unit, such as 8 120"
  private static let swing = "write how the slots swing, such as sub=2 swing=2:1"
  private static let loudness = "a volume from 0 to 10 follows the tempo and the pattern, such as 8 120 0.5"
  private static let common = "write the signature as numbers: 4/4 for C, 2/2 for alla breve"
  private static let number = "write the tempo again as a number, such as 8 120"

  /// The tempo of a word is a usual one; there is no norm.
  private static let tempi: [String: Int] = [
    "grave": 35, "largo": 50, "lento": 52, "larghetto": 63, "adagio": 70, "adagietto": 74, "andante": 88,
    "andantino": 96, "moderato": 112, "allegretto": 116, "allegro": 132, "vivace": 160, "vivo": 160, "presto": 180,
    "prestissimo": 208,
  ]

  private static let words: [String: String] = [
    "rit": slower, "ritard": slower, "ritardando": slower, "rall": slower, "rallentando": slower, "riten": slower,
    "ritenuto": slower, "slower": slower, "accel": faster, "accelerando": faster, "stringendo": faster,
    "faster": faster, "fermata": pause, "rest": pause, "break": pause, "caesura": pause, "repeat": repeats,
    "tempo": number, "primo": number, "bpm": bpm, "d.c": signs, "dc": signs, "d.s": signs, "ds": signs, "segno": signs,
    "fine": signs, "coda": signs, "swing": swing, "c": common, "c|": common, "ppp": loudness, "pp": loudness,
    "p": loudness,
    "mp": loudness, "mf": loudness, "f": loudness, "ff": loudness, "fff": loudness,
  ]

  /// nil for any other word. Case, and a dot or a comma at the end, do not count.
  static func forWord(_ text: Substring) -> String? {
    var word = text.lowercased()[...]
    while let last = word.last, ".,".contains(last) { word.removeLast() }
    if text.contains(where: \.isTypographicQuote) {
      return
        "\(quoted(text)) has typographic quotation marks; leave them out: only the name of a song has some, and straight ones"
    }
    if ["|:", ":|", "||:", ":||"].contains(text) { return "\(quoted(text)) is not understood; \(repeats)" }
    if text.hasPrefix("beat=") {
      return "beat= belongs to the line of a song; in an entry write the note before its tempo, such as 8 6/8 3/8=63"
    }
    let advice = words[String(word)] ?? (word.hasSuffix("bpm") && word.first?.isWholeNumber == true ? bpm : nil)
    if let advice { return "\(quoted(text)) is not understood; \(advice)" }
    if let bpm = tempi[String(word)] {
      return "\(quoted(text)) is no exact tempo; write one in BPM, such as \(bpm) for \(word)"
    }
    return nil
  }
}
