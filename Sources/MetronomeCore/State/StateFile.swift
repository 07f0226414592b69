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
/// Version 2 has more lines between `recalled` and the presets: `volume -6`, in decibels. Each is only written if its value is
/// not the default. A file without such lines has version 1, so that older programs can read it.
///
/// The checksum covers all bytes before its line. A file is rejected unless it is exactly as the program would write it.
public struct StateFile: Hashable, Sendable {
  public var savedState: SavedState
  /// The number of the save: of two files, the one with the higher number is newer.
  public var save: UInt64

  /// The newest format version that is read and written; newer programs write higher numbers.
  public static let version = 2
  /// The largest file size in bytes.
  public static let longest = 32_768
  static let lastSave = UInt64(Int64.max)

  public init(_ state: SavedState, save: UInt64) {
    savedState = state
    self.save = save
  }

  public func next(_ state: SavedState) -> StateFile { StateFile(state, save: min(save, StateFile.lastSave - 1) + 1) }

  public var bytes: [UInt8] {
    let recalled = savedState.recalled.flatMap { (1...PresetList.capacity).contains($0) ? $0 : nil }
    let additions = savedState.volume == .full ? [] : ["volume \(savedState.volume.number)"]
    var lines = [
      "metronome state \(additions.isEmpty ? 1 : 2)", "save \(save)", "tempo \(savedState.tempo.number)",
      "signature \(savedState.signature)", "playing \(savedState.isPlaying ? "yes" : "no")",
      "silent \(savedState.isSilent ? "yes" : "no")", "recalled \(recalled.map(String.init) ?? "none")",
    ]
    lines += additions
    lines += savedState.presets.presets.map { "preset \($0.tempo.number) \($0.signature) \($0.name)" }
    let text = Array(lines.map { $0 + "\n" }.joined().utf8)
    return text + Array(("checksum " + hexadecimal(CRC32.checksum(of: text)) + "\n").utf8)
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
    var volume: Volume? = .full
    if let line = rest.first, line.hasPrefix("volume ") {
      volume = Volume(number: line.dropFirst("volume ".count))
      rest.removeFirst()
    }
    guard let save = whole(values[0]), save <= StateFile.lastSave, let tempo = Tempo(decimal: values[1]),
      let signature = Signature(text: values[2]), let volume, let presets = PresetList(lines: rest)
    else { return nil }
    let recalled = whole(values[5]).flatMap { (1...UInt64(PresetList.capacity)).contains($0) ? Int($0) : nil }
    self.init(
      SavedState(
        tempo: tempo, signature: signature, isPlaying: values[3] == "yes", isSilent: values[4] == "yes",
        volume: volume, presets: presets, recalled: recalled), save: save)
  }
}

extension PresetList {
  fileprivate init?(lines: some Sequence<String>) {
    self.init()
    for line in lines {
      // Split by scalars: a space and a combining character that follows it are a single `Character`.
      let words = line.unicodeScalars.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        .map { String($0) }
      guard words.count == 4, words[0] == "preset", let tempo = Tempo(decimal: words[1]),
        let signature = Signature(text: words[2]), let name = PresetName(stored: words[3])
      else { return nil }
      do throws(PresetError) { try save(Preset(name, tempo: tempo, signature: signature)) } catch { return nil }
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
public struct SavedState: Hashable, Sendable {
  public var tempo: Tempo
  public var signature: Signature
  public var isPlaying: Bool
  /// Whether only the lights are on.
  public var isSilent: Bool
  public var volume: Volume
  public var presets: PresetList
  /// The place of the preset that was recalled last, counted from 1; nil if no preset was recalled or it was deleted.
  public var recalled: Int?

  public init(
    tempo: Tempo = .initial, signature: Signature = .initial, isPlaying: Bool = false, isSilent: Bool = false,
    volume: Volume = .full, presets: PresetList = PresetList(), recalled: Int? = nil
  ) {
    self.tempo = tempo
    self.signature = signature
    self.isPlaying = isPlaying
    self.isSilent = isSilent
    self.volume = volume
    self.presets = presets
    self.recalled = recalled
  }
}
