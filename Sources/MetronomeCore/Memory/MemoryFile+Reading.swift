/// Why bytes are no memory that can be had back.
public enum MemoryFileError: Error, Hashable, Sendable {
  /// Something else altogether.
  case foreign
  /// Written by a newer program, in a form of this number.
  case future(version: Int)
  /// It has no end.
  case truncated
  /// Not what was written.
  case damaged

  /// What is wrong with it, to be said after its name.
  public var text: String {
    switch self {
    case .foreign: "is no state of a metronome"
    case .future(let version): "was written by a newer version of this program (form \(version))"
    case .truncated: "breaks off"
    case .damaged: "is damaged"
    }
  }
}

extension MemoryFile {
  private static let title = "metronome state "

  /// Reads what ``bytes`` wrote.
  public init(_ bytes: [UInt8]) throws(MemoryFileError) {
    try MemoryFile.checkTitle(bytes)
    guard bytes.count <= MemoryFile.longest else { throw .damaged }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    // The last line ends, too: after it there is nothing.
    guard lines.count >= 3, lines[lines.count - 1].isEmpty, lines[lines.count - 2].starts(with: "checksum ".utf8) else {
      throw .truncated
    }
    guard let file = MemoryFile(lines: lines.dropLast(2).map { String(decoding: $0, as: UTF8.self) }),
      // Also what reads well is damaged if it would be written otherwise, or its checksum is another.
      file.bytes == bytes
    else { throw .damaged }
    self = file
  }

  private static func checkTitle(_ bytes: [UInt8]) throws(MemoryFileError) {
    let title = Array(title.utf8)
    // What a power cut leaves of a file that was not yet on the disk.
    guard bytes.contains(where: { $0 != 0 }) else { throw bytes.isEmpty ? .truncated : .damaged }
    guard bytes.starts(with: title) else { throw title.starts(with: bytes) ? .truncated : .foreign }
    let rest = bytes.dropFirst(title.count).prefix(10)
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { throw rest.count < 10 ? .truncated : .damaged }
    guard let version = whole(String(decoding: rest[..<end], as: UTF8.self)) else { throw .damaged }
    guard version <= MemoryFile.version else { throw .future(version: Int(version)) }
    guard version == MemoryFile.version else { throw .damaged }
  }

  /// The lines from the title on, without the checksum's.
  private init?(lines: [String]) {
    var values: [Substring] = []
    guard lines.count >= 7 else { return nil }
    for (line, key) in zip(lines.dropFirst(), ["save ", "tempo ", "signature ", "playing ", "silent ", "recalled "]) {
      guard line.hasPrefix(key) else { return nil }
      values.append(line.dropFirst(key.count))
    }
    guard let save = whole(values[0]), save <= MemoryFile.lastSave, let tempo = Tempo(decimal: values[1]),
      let signature = Signature(text: values[2]), let presets = PresetList(lines: lines.dropFirst(7))
    else { return nil }
    let recalled = whole(values[5]).flatMap { (1...UInt64(PresetList.capacity)).contains($0) ? Int($0) : nil }
    self.init(
      Memory(
        tempo: tempo, signature: signature, isPlaying: values[3] == "yes", isSilent: values[4] == "yes",
        presets: presets, recalled: recalled), save: save)
  }
}

extension PresetList {
  fileprivate init?(lines: some Sequence<String>) {
    self.init()
    for line in lines {
      // Not by characters: a space and what joins it are one.
      let words = line.unicodeScalars.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        .map { String($0) }
      guard words.count == 4, words[0] == "preset", let tempo = Tempo(decimal: words[1]),
        let signature = Signature(text: words[2]), let name = PresetName(words[3])
      else { return nil }
      do throws(PresetError) { try save(Preset(name, tempo: tempo, signature: signature)) } catch { return nil }
    }
  }
}

/// Digits alone; nil for any other text, and for numbers that 64 bits do not hold.
private func whole(_ text: some StringProtocol) -> UInt64? {
  guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
  return UInt64(text)
}
