/// Why a text is not a rhythm or a score.
public struct NotationError: Error, Hashable, Sendable {
  /// The place of the fault, counted from 1; columns count Unicode scalars.
  public var line: Int
  public var column: Int
  /// What is wrong, and what would be right.
  public var text: String

  public init(line: Int, column: Int, text: String) {
    self.line = line
    self.column = column
    self.text = text
  }
}

/// The text form of a rhythm: `X.x. sub=2 swing=62% & 3:4 sound=cowbell`.
///
///     rhythm  = [ pattern ] { option } { "&" voice { option } }
///     pattern = slot { slot }  |  cell { "|" cell } [ "|" ]         the first form has one slot for each note
///     cell    = [ notes ":" ] slot { slot } [ "*" count ]           without notes the cell lasts one note
///     slot    = "X" strong | "Y" medium | "x" weak | "o" ghost | "." rest
///     voice   = hits ":" notes | pattern [ "@" signature ] | "clave=" ("son" | "rumba") ("32" | "23")
///     option  = "sub=" 1…12 | "swing=" (percent "%" | long ":" short) [ "@" (8 | 16) ] | "set=" name | "sound=" name
///
/// Words are separated by blanks. `sub`, `swing` and `set` belong to the main voice and to the rhythm, `sound` to a voice after `&`.
extension Rhythm {
  /// Parses a rhythm for bars of a metre. The empty text is the metre's own rhythm.
  public init(text: some StringProtocol, for metre: Metre) throws(NotationError) {
    var parser = RhythmParser(text, metre)
    self = try parser.rhythm()
    if let idleSwing { throw NotationError(line: parser.swing.line, column: parser.swing.column, text: idleSwing) }
  }

  /// As ``init(text:for:)``. A swing that moves nothing is accepted: a player may have set one by buttons or a page.
  package init(stored text: some StringProtocol, for metre: Metre) throws(NotationError) {
    var parser = RhythmParser(text, metre)
    self = try parser.rhythm()
  }

  /// Why ``swing`` moves nothing in any metre, and what would be right; nil: it moves something.
  package var idleSwing: String? {
    guard let swing, !swing.isStraight else { return nil }
    func moves(_ span: Int, _ count: Int) -> Bool {
      [1, 2, 4, 8].contains { swing.slotsInPair(span: span, count: count, denominator: $0) != nil }
    }
    let patterns = [pattern].compactMap(\.self) + others.filter { !$0.keepsItsGrid }
    let cells = patterns.flatMap(\.cells).filter { $0.levels.count > 1 }
    // If nothing is divided, swing divides the notes itself.
    let divides = subdivision > 1 ? moves(1, subdivision) : cells.isEmpty
    guard !divides, !cells.contains(where: { moves($0.span, $0.levels.count) }) else { return nil }
    let what = subdivision > 1 ? "sub=\(subdivision) has" : "the cells of this pattern have"
    return "nothing swings here: \(what) no pairs of notes; write sub=2 or sub=4, or leave out swing="
  }
}

/// The words of a text with their places, and the rules that they follow.
private struct RhythmParser {
  private struct Word {
    var line: Int
    var column: Int
    var text: Substring
  }

  private let metre: Metre
  private var words: ArraySlice<Word>
  /// The place of `swing=`.
  private(set) var swing = (line: 1, column: 1)
  /// Behind the last word.
  private var end: (line: Int, column: Int)

  init(_ text: some StringProtocol, _ metre: Metre) {
    self.metre = metre
    var words: [Word] = []
    var (line, column) = (1, 1)
    var begun: (line: Int, column: Int, scalars: Substring.UnicodeScalarView)?
    func finish() {
      if let word = begun { words.append(Word(line: word.line, column: word.column, text: Substring(word.scalars))) }
      begun = nil
    }
    for scalar in text.unicodeScalars {
      if scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" {
        finish()
      } else if scalar == "&" {
        finish()
        words.append(Word(line: line, column: column, text: "&"))
      } else {
        begun = begun ?? (line, column, Substring.UnicodeScalarView())
        begun?.scalars.append(scalar)
      }
      (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
    }
    finish()
    self.words = words[...]
    end = (line, column)
  }

  mutating func rhythm() throws(NotationError) -> Rhythm {
    var rhythm = Rhythm()
    if let word = words.first, word.text != "&", !word.text.contains("=") {
      words.removeFirst()
      rhythm.pattern = try pattern(word, notes: metre.signature.numerator, denominator: nil, sound: .click)
    }
    var keys: Set<Substring> = []
    while let word = words.popFirst() {
      guard word.text != "&" else {
        try addVoice(to: &rhythm, after: word)
        continue
      }
      let (key, value) = try option(word, &keys)
      switch key {
      case "sub":
        guard let slots = Int(digits: value), Rhythm.subdivisions.contains(slots) else {
          throw error(word, "sub must be a whole number from 1 to 12")
        }
        rhythm.subdivision = slots
      case "swing":
        rhythm.swing = try swing(word, value)
        swing = (word.line, word.column)
      case "set":
        guard let set = Voice.Sound(set: value) else {
          throw error(word, "unknown set \(quoted(word.text)); the sets are \(Voice.Sound.setNames)")
        }
        rhythm.set = set
      case "sound": throw error(word, "sound= belongs to a voice after &")
      case "clave": throw error(word, "a clave is a voice after &, such as & clave=son32")
      default:
        let advice = key == "beat" ? "; beat is no part of the rhythm, but a setting of its own, as tempo is" : ""
        throw error(
          word,
          "unknown option \(quoted(word.text)); the options are sub=, swing=, set=, and & for another voice\(advice)")
      }
    }
    return rhythm
  }

  private mutating func addVoice(to rhythm: inout Rhythm, after ampersand: Word) throws(NotationError) {
    guard rhythm.voiceCount < Rhythm.maxVoices else {
      throw error(ampersand, "a rhythm has at most \(Rhythm.maxVoices) voices, the main one included")
    }
    guard let word = words.popFirst(), word.text != "&" else {
      let place = words.isEmpty ? end : (ampersand.line, ampersand.column + 1)
      throw NotationError(line: place.0, column: place.1, text: "a voice is missing after &, such as 3:4 or x..x.")
    }
    var voice = try voice(word)
    var keys: Set<Substring> = []
    while let word = words.first, word.text != "&" {
      words.removeFirst()
      if word.text.hasPrefix("@") {
        throw error(word, "only a pattern has a signature of its own, such as x..x. @5/8")
      }
      let (key, value) = try option(word, &keys)
      guard ["sound", "sub", "swing", "set"].contains(key) else {
        throw error(word, "unknown option \(quoted(word.text)); a voice has only sound=")
      }
      guard key == "sound" else {
        throw error(word, "\(quoted(word.text)) belongs before the first &; a voice has only sound=")
      }
      guard let sound = Voice.Sound(name: value) else {
        let names = Voice.Sound.allCases.map(\.name).joined(separator: ", ")
        throw error(word, "unknown sound \(quoted(word.text)); the sounds are \(names)")
      }
      voice.sound = sound
    }
    rhythm.others.append(voice)
  }

  private mutating func voice(_ word: Word) throws(NotationError) -> Voice {
    if word.text.hasPrefix("clave=") {
      guard let clave = Voice.clave(word.text.dropFirst("clave=".count)) else {
        throw error(word, "unknown clave; the claves are " + Voice.claves.map(\.name).joined(separator: ", "))
      }
      return clave
    }
    let parts = word.text.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 2, let hits = Int(digits: parts[0]), let notes = Int(digits: parts[1]) {
      guard let voice = Voice(hits, over: notes) else {
        throw error(word, "a polyrhythm has 1 to \(Voice.maxSlots) hits over 1 to \(Voice.maxNotes) notes, such as 3:4")
      }
      return voice
    }
    // The signature may be a word of its own.
    var (slots, own) = (word, Word?.none)
    if let at = word.text.firstIndex(of: "@") {
      slots.text = word.text[..<at]
      let offset = word.text.unicodeScalars.distance(from: word.text.startIndex, to: at)
      own = Word(line: word.line, column: word.column + offset, text: word.text[at...])
    } else if let next = words.first, next.text.hasPrefix("@") {
      own = words.removeFirst()
    }
    guard let own else {
      return try pattern(slots, notes: metre.signature.numerator, denominator: nil, sound: .cowbell)
    }
    guard let signature = Signature(text: own.text.dropFirst()) else {
      throw error(own, "invalid signature after @; write one such as @5/8")
    }
    return try pattern(slots, notes: signature.numerator, denominator: signature.denominator, sound: .cowbell)
  }

  /// Parses a pattern, which must fill whole bars of `notes` notes.
  private func pattern(
    _ word: Word, notes: Int, denominator: Int?, sound: Voice.Sound
  ) throws(NotationError) -> Voice {
    let isCells = word.text.contains { "|:*".contains($0) }
    var cells: [Voice.Cell] = []
    var column = word.column
    let parts = word.text.split(separator: "|", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      // One bar line may end the pattern.
      if isCells, index > 0, index == parts.count - 1, part.isEmpty { break }
      let place = Word(line: word.line, column: column, text: part)
      if isCells { cells += try cell(place) } else { cells = try levels(place).map { Voice.Cell([$0]) } }
      column += part.unicodeScalars.count + 1
      if cells.count > Voice.maxSlots { break }
    }
    guard let voice = Voice(cells, denominator: denominator, sound: sound) else {
      throw error(word, "a pattern has at most \(Voice.maxNotes) notes and \(Voice.maxSlots) slots")
    }
    guard voice.notes % notes == 0 else {
      func text(_ notes: Int) -> String { notes == 1 ? "1 note" : "\(notes) notes" }
      throw error(
        word, "the pattern has \(text(voice.notes)), and a bar has \(text(notes)); write one or more whole bars")
    }
    return voice
  }

  private func cell(_ word: Word) throws(NotationError) -> [Voice.Cell] {
    var (slots, span, count) = (word, 1, 1)
    if let colon = slots.text.firstIndex(of: ":") {
      guard let notes = Int(digits: slots.text[..<colon]), (1...Voice.maxNotes).contains(notes) else {
        throw error(word, "a cell spans 1 to \(Voice.maxNotes) notes, such as 2:xxx")
      }
      span = notes
      slots.column += slots.text.unicodeScalars.distance(from: slots.text.startIndex, to: colon) + 1
      slots.text = slots.text[slots.text.index(after: colon)...]
    }
    if let star = slots.text.firstIndex(of: "*") {
      guard let copies = Int(digits: slots.text[slots.text.index(after: star)...]),
        (1...Voice.maxNotes).contains(copies)
      else { throw error(word, "a cell is repeated 1 to \(Voice.maxNotes) times, such as xo*4") }
      count = copies
      slots.text = slots.text[..<star]
    }
    return Array(repeating: Voice.Cell(try levels(slots), over: span), count: count)
  }

  private func levels(_ word: Word) throws(NotationError) -> [Level] {
    guard !word.text.isEmpty else { throw error(word, "a cell needs at least one slot") }
    var levels: [Level] = []
    var column = word.column
    for character in word.text {
      guard let level = Level(slot: character) else {
        if let hits = Int(digits: word.text), hits > 0 {
          throw error(word, "invalid slots \(quoted(word.text)); a polyrhythm is a voice after &, such as & 3:4")
        }
        if character.isTypographicQuote {
          throw error(
            word, "\(quoted(word.text)) has typographic quotation marks; write straight ones, \" or ', or none")
        }
        throw NotationError(
          line: word.line, column: column,
          text: "invalid slot; the slots are X strong, Y medium, x weak, o ghost and . rest")
      }
      levels.append(level)
      column += character.unicodeScalars.count
    }
    return levels
  }

  private func swing(_ word: Word, _ value: Substring) throws(NotationError) -> Swing {
    let parts = value.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let remedy = "write swing=62% or swing=2:1, from 50% to 75%, with @16 for sixteenths"
    // Eighths cannot swing where they are the beats.
    let usual = metre.signature.denominator > 4 ? 16 : 8
    guard let level = parts.count == 1 ? usual : Int(digits: parts[1]), Swing.levels.contains(level) else {
      throw error(word, "invalid swing; \(remedy)")
    }
    let swing: Swing?
    if parts[0].hasSuffix("%") {
      // Tenths of a per cent.
      swing = thousandths(ofDecimal: parts[0].dropLast()).flatMap {
        $0 % 100 == 0 && $0 <= 100_000 ? Swing($0 / 100, of: 1_000, level: level) : nil
      }
    } else {
      let ratio = parts[0].split(separator: ":", omittingEmptySubsequences: false).map { Int(digits: $0) }
      swing =
        ratio.count == 2
        ? ratio[0].flatMap { long in ratio[1].flatMap { Swing(long, of: long + $0, level: level) } } : nil
    }
    guard let swing else { throw error(word, "invalid swing; \(remedy)") }
    guard level >= 2 * metre.signature.denominator else {
      throw error(word, "the notes of \(metre.signature) are too short to swing in pairs of 1/\(level)")
    }
    return swing
  }

  /// An option and its value; an option that is already in `keys` is refused.
  private func option(
    _ word: Word, _ keys: inout Set<Substring>
  ) throws(NotationError) -> (key: Substring, value: Substring) {
    guard let equals = word.text.firstIndex(of: "=") else {
      throw error(word, "\(quoted(word.text)) is not an option; the pattern comes first, and another voice follows &")
    }
    let key = word.text[..<equals]
    guard keys.insert(key).inserted else { throw error(word, "\(key)= is given twice; write it once") }
    return (key, word.text[word.text.index(after: equals)...])
  }

  private func error(_ word: Word, _ text: String) -> NotationError {
    NotationError(line: word.line, column: word.column, text: text)
  }
}

extension Character {
  /// Whether word processors and phones put it in place of a straight quotation mark.
  var isTypographicQuote: Bool { "“”„‟‘’‚‛«»".contains(self) }
}

extension Int {
  /// Parses one to four decimal digits; nil for anything else.
  init?(digits text: some StringProtocol) {
    guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    self.init(text)
  }
}
