/// Whether the state is on disk.
public enum Saving: Hashable, Sendable {
  case done
  /// It will be saved within two seconds.
  case pending
  /// It cannot be saved now; saving is retried.
  case refused(Cause)

  public enum Cause: Hashable, Sendable {
    /// The kernel's error number.
    case errno(Int32)
    /// A message of one line; not empty.
    case detail(String)

    /// The reason for the user. `description` gives the system's text for an error number.
    public func text(_ description: (Int32) -> String) -> String {
      switch self {
      case .errno(let errno): description(errno)
      case .detail(let text): text
      }
    }
  }
}

/// The state that a metronome restores at power-on.
public struct SavedState: HasMusic, Hashable, Sendable {
  public var music: Music
  public var isPlaying: Bool
  /// Whether only the lights are on.
  public var isSilent: Bool
  public var volume: Volume
  /// The set of clicks that was chosen; nil: the configured one.
  public var set: Voice.Sound?
  public var presets: PresetList
  /// The place of the preset that was recalled last, counted from 1; nil if no preset was recalled or it was deleted.
  public var recalled: Int?
  /// The place in the score that is loaded; nil: none is.
  public var place: SavedPlace?

  public init(
    _ music: Music = Music(), isPlaying: Bool = false, isSilent: Bool = false, volume: Volume = .full,
    set: Voice.Sound? = nil, presets: PresetList = PresetList(), recalled: Int? = nil, place: SavedPlace? = nil
  ) {
    self.music = music
    self.isPlaying = isPlaying
    self.isSilent = isSilent
    self.volume = volume
    self.set = set
    self.presets = presets
    self.recalled = recalled
    self.place = place
  }
}

/// The file in which a metronome saves its state.
///
/// Human-readable text in a fixed format that only the program writes:
///
///     metronome state 1
///     save 17
///     tempo 92.5
///     signature 7/8
///     playing no
///     silent no
///     recalled 2
///     preset 120 4/4 Slow waltz
///     preset 92.5 7/8 Seven
///     checksum 1a2b3c4d
///
/// Version 2 has more lines between `recalled` and the presets, in this order: `volume -6`, in decibels, `beat 3/8`, the note
/// value that the tempo counts, and `rhythm X.x. sub=2`. Each is only written if its value is not the default. Signatures may
/// have groups, as in `2+2+3/8`. A preset with a beat or a rhythm has a line of its own kind:
///
///     preset+ 92.5 2+2+3/8 1/4 "sub=2" Seven
///
/// Version 3 has one more line before the presets: the place in a loaded score, as the number of the song, the bar of the song at
/// which the section begins, both counted from 1, the practice speed in thousandths, and the name of the score:
///
///     place 2 17 850 Gig
///
/// If a preset names a place in a score, the next line has the place, in the same form:
///
///     preset 120 4/4 Solo
///     at 2 17 850 Gig
///
/// Version 4 has the chosen set of clicks after the volume, as `set wood`, and rhythms may have one, as `set=wood`.
///
/// A file without any of this has a lower version, so that older programs can read it.
///
/// The checksum covers all bytes before its line. A file is rejected unless it is exactly as the program would write it.
public struct StateFile: Hashable, Sendable {
  public var savedState: SavedState
  /// The number of the save: of two files, the one with the higher number is newer.
  public var save: UInt64

  /// The newest format version that is read and written; newer programs write higher numbers.
  public static let version = 4
  /// The largest file size in bytes.
  public static let longest = 131_072
  static let lastSave = UInt64(Int64.max)

  public init(_ state: SavedState, save: UInt64) {
    savedState = state
    self.save = save
  }

  public func next(_ state: SavedState) -> StateFile { StateFile(state, save: min(save, StateFile.lastSave - 1) + 1) }

  public var bytes: [UInt8] {
    let recalled = savedState.recalled.flatMap { (1...PresetList.capacity).contains($0) ? $0 : nil }
    let (additions, presets) = (savedState.additions, savedState.presets.presets)
    let isPlain = additions.isEmpty && !savedState.signature.hasGroups && presets.allSatisfy(\.isPlain)
    let hasPlaces = savedState.place != nil || presets.contains { $0.place != nil }
    let hasSets = savedState.set != nil || presets.contains { $0.rhythm.set != nil }
    var lines = [
      "metronome state \(hasSets ? 4 : hasPlaces ? 3 : isPlain ? 1 : 2)", "save \(save)",
      "tempo \(savedState.tempo.number)",
      "signature \(savedState.signature)", "playing \(savedState.isPlaying ? "yes" : "no")",
      "silent \(savedState.isSilent ? "yes" : "no")", "recalled \(recalled.map(String.init) ?? "none")",
    ]
    lines += additions
    lines += presets.flatMap { [$0.line] + ($0.place.map { ["at \($0.line)"] } ?? []) }
    let text = Array(lines.map { $0 + "\n" }.joined().utf8)
    return text + Array(("checksum " + hexadecimal(CRC32.checksum(of: text)) + "\n").utf8)
  }
}

extension SavedState {
  /// The lines of versions 2 to 4 before the presets.
  fileprivate var additions: [String] {
    var lines: [String] = []
    if volume != .full { lines.append("volume \(volume.number)") }
    if let set { lines.append("set \(set.name)") }
    if unit != .quarter { lines.append("beat \(unit)") }
    if rhythm != Rhythm() { lines.append("rhythm \(rhythm.text)") }
    if let place { lines.append("place \(place.line)") }
    return lines
  }
}

extension SavedPlace {
  fileprivate var line: String {
    let bar = "\(bar + 1)" + (sectionsAfter > 0 ? "+\(sectionsAfter)" : "")
    return "\(song + 1) \(bar) \(speed ?? 1_000) \(score)"
  }

  fileprivate init?(line: Substring) {
    let words = line.unicodeScalars.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map {
      String($0)
    }
    guard words.count == 4, let song = whole(words[0]), let speed = whole(words[2]), !words[3].isEmpty,
      (1...1_000_000).contains(song), (1...1_000_000).contains(speed)
    else { return nil }
    let numbers = words[1].split(separator: "+", omittingEmptySubsequences: false).map { whole($0) }
    guard numbers.count <= 2, let bar = numbers[0], (1...UInt64(SongMap.mostBeats)).contains(bar) else { return nil }
    let after = numbers.count == 1 ? 0 : numbers[1]
    guard let after, numbers.count == 1 || (1...UInt64(SongMap.mostSectionsAfter)).contains(after) else { return nil }
    self.init(
      score: words[3], song: Int(song) - 1, bar: Int64(bar) - 1, sectionsAfter: Int(after), speed: Int(speed))
  }
}

extension Preset {
  private var hasPlainRhythm: Bool { unit == .quarter && rhythm == Rhythm() }

  /// Whether version 1 can contain this preset.
  fileprivate var isPlain: Bool { hasPlainRhythm && !signature.hasGroups }

  fileprivate var line: String {
    guard !hasPlainRhythm else { return "preset \(tempo.number) \(signature) \(name)" }
    return "preset+ \(tempo.number) \(signature) \(unit) \"\(rhythm.text)\" \(name)"
  }

  fileprivate init?(line: String) {
    // Split by scalars: a space and a combining character that follows it are a single `Character`.
    let scalars = line.unicodeScalars
    let words = scalars.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false).map { String($0) }
    guard words.count > 3, let tempo = Tempo(decimal: words[1]), let signature = Signature(text: words[2]) else {
      return nil
    }
    if words[0] == "preset" {
      let name = scalars.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).last
      guard let name = name.flatMap({ PresetName(stored: String($0)) }) else { return nil }
      self.init(name, Music(tempo: tempo, signature: signature))
    } else {
      guard words[0] == "preset+", words.count == 5, let unit = BeatUnit(text: words[3]) else { return nil }
      // A rhythm has no quotation mark; a name may have some.
      let parts = words[4].unicodeScalars.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
        .map { String($0) }
      guard parts.count == 3, parts[0].isEmpty, let rhythm = Rhythm(anyMetre: parts[1]),
        parts[2].unicodeScalars.first == " ", let name = PresetName(stored: String(parts[2].unicodeScalars.dropFirst()))
      else { return nil }
      self.init(name, Music(tempo: tempo, signature: signature, unit: unit, rhythm: rhythm))
    }
  }
}

extension Rhythm {
  /// A rhythm for whatever signature. Its pattern applies in signatures that it fills.
  package init?(anyMetre text: some StringProtocol) {
    // Every pattern fills bars of one note, and whole notes are long enough for every swing.
    guard let signature = Signature(1, over: 1, limit: .none),
      let rhythm = try? Rhythm(stored: text, for: Metre(signature))
    else { return nil }
    self = rhythm
  }
}

func hexadecimal(_ number: UInt32) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 8 - digits.utf8.count) + digits
}

public enum StateFileError: Error, Hashable, Sendable {
  case foreign
  case future(version: Int)
  case truncated
  case damaged

  /// The error, as the end of a sentence about the file.
  public var text: String {
    switch self {
    case .foreign: "is not a metronome state file"
    case .future(let version): "was written by a newer version of this program (format \(version))"
    case .truncated: "is truncated"
    case .damaged: "is damaged"
    }
  }
}

extension StateFile {
  private static let title = "metronome state "

  public init(_ bytes: [UInt8]) throws(StateFileError) {
    try StateFile.checkTitle(bytes)
    guard bytes.count <= StateFile.longest else { throw .damaged }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    // The last line must also end with a newline, and nothing may follow it.
    guard lines.count >= 3, lines[lines.count - 1].isEmpty, lines[lines.count - 2].starts(with: "checksum ".utf8) else {
      throw .truncated
    }
    guard let file = StateFile(lines: lines.dropLast(2).map { String(decoding: $0, as: UTF8.self) }),
      // Damaged if the checksum is wrong, or if the program would write the text differently.
      file.bytes == bytes
    else { throw .damaged }
    self = file
  }

  private static func checkTitle(_ bytes: [UInt8]) throws(StateFileError) {
    let title = Array(title.utf8)
    // A power cut may leave zeros.
    guard bytes.contains(where: { $0 != 0 }) else { throw bytes.isEmpty ? .truncated : .damaged }
    guard bytes.starts(with: title) else { throw title.starts(with: bytes) ? .truncated : .foreign }
    let rest = bytes.dropFirst(title.count).prefix(10)
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { throw rest.count < 10 ? .truncated : .damaged }
    guard let version = whole(String(decoding: rest[..<end], as: UTF8.self)) else { throw .damaged }
    guard version <= StateFile.version else { throw .future(version: Int(version)) }
    guard version >= 1 else { throw .damaged }
  }

  /// Parses the lines from the title on, without the checksum's line.
  private init?(lines: [String]) {
    var values: [Substring] = []
    guard lines.count >= 7 else { return nil }
    for (line, key) in zip(lines.dropFirst(), ["save ", "tempo ", "signature ", "playing ", "silent ", "recalled "]) {
      guard line.hasPrefix(key) else { return nil }
      values.append(line.dropFirst(key.count))
    }
    var rest = lines.dropFirst(7)
    /// Takes the value of the next line if it has this key.
    func value(_ key: String) -> Substring? {
      guard let line = rest.first, line.hasPrefix(key) else { return nil }
      rest.removeFirst()
      return line.dropFirst(key.count)
    }
    let volume = value("volume ").map { Volume(number: $0) } ?? .full
    let set = value("set ").map { Voice.Sound(set: $0) } ?? .some(nil)
    let unit = value("beat ").map { BeatUnit(text: $0) } ?? .quarter
    let rhythm = value("rhythm ").map { Rhythm(anyMetre: $0) } ?? Rhythm()
    let place = value("place ").map { SavedPlace(line: $0) } ?? .some(nil)
    guard let save = whole(values[0]), save <= StateFile.lastSave, let tempo = Tempo(decimal: values[1]),
      let signature = Signature(text: values[2]), let volume, let set, let unit, let rhythm, let place,
      let presets = PresetList(lines: rest)
    else { return nil }
    let recalled = whole(values[5]).flatMap { (1...UInt64(PresetList.capacity)).contains($0) ? Int($0) : nil }
    self.init(
      SavedState(
        Music(tempo: tempo, signature: signature, unit: unit, rhythm: rhythm), isPlaying: values[3] == "yes",
        isSilent: values[4] == "yes", volume: volume, set: set, presets: presets, recalled: recalled, place: place),
      save: save)
  }
}

extension PresetList {
  fileprivate init?(lines: some Sequence<String>) {
    self.init()
    var rest = Array(lines)[...]
    while let line = rest.popFirst() {
      guard var preset = Preset(line: line) else { return nil }
      if let line = rest.first, line.hasPrefix("at ") {
        guard let place = SavedPlace(line: line.dropFirst(3)) else { return nil }
        preset.place = place
        rest.removeFirst()
      }
      do throws(PresetError) { try save(preset) } catch { return nil }
    }
  }
}

/// Parses digits only; nil for any other text, and for numbers that exceed 64 bits.
private func whole(_ text: some StringProtocol) -> UInt64? {
  guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
  return UInt64(text)
}

/// The checksum of zip, PNG and Ethernet: CRC-32 with the polynomial 0x04C11DB7, bits reflected (ISO 3309, ITU-T V.42).
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { rest, _ in rest & 1 == 0 ? rest >> 1 : rest >> 1 ^ 0xEDB8_8320 }
  }

  static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
    let table = table
    var rest: UInt32 = 0xFFFF_FFFF
    for byte in bytes { rest = table[Int(UInt8(truncatingIfNeeded: rest) ^ byte)] ^ rest >> 8 }
    return ~rest
  }
}
