/// What a metronome remembers, as a file has it.
///
/// Text of a fixed form, which a person can read and only the program writes:
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
/// The checksum is that of all bytes before its line. There is one way to write a memory down: what differs from it in a
/// byte is refused.
public struct MemoryFile: Hashable, Sendable {
  public var memory: Memory
  /// How many saves there were before it and with it: of two files the one with more is newer.
  public var save: UInt64

  /// The form that is written. One with a higher number was written by a program newer than this.
  public static let version = 1
  /// No file is longer, in bytes.
  public static let longest = 32_768
  /// There is no save after this one.
  static let lastSave = UInt64(Int64.max)

  public init(_ memory: Memory, save: UInt64) {
    self.memory = memory
    self.save = save
  }

  /// The save after this one.
  public func next(_ memory: Memory) -> MemoryFile { MemoryFile(memory, save: min(save, MemoryFile.lastSave - 1) + 1) }

  public var bytes: [UInt8] {
    let presets = memory.presets
    var lines = [
      "metronome state \(MemoryFile.version)", "save \(save)", "tempo \(memory.tempo.number)",
      "signature \(memory.signature)", "playing \(memory.isPlaying ? "yes" : "no")",
      "silent \(memory.isSilent ? "yes" : "no")",
      "recalled \(memory.recalledPlace.map(String.init) ?? "none")",
    ]
    lines += presets.presets.map { "preset \($0.tempo.number) \($0.signature) \($0.name)" }
    let text = Array(lines.map { $0 + "\n" }.joined().utf8)
    return text + Array((MemoryFile.checksumKey + hexadecimal(CRC32.checksum(of: text)) + "\n").utf8)
  }

  static let checksumKey = "checksum "
}

extension Memory {
  /// ``recalled``, if a list may have such a place.
  fileprivate var recalledPlace: Int? { recalled.flatMap { (1...PresetList.capacity).contains($0) ? $0 : nil } }
}

/// Eight digits.
func hexadecimal(_ number: UInt32) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 8 - digits.utf8.count) + digits
}
