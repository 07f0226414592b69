import HardwareAbstraction
import MetronomeCore

/// The name of a stored score: 1 to 60 letters and digits of ASCII, `-`, `_` and spaces. It begins with a letter, a digit or `_`,
/// and does not end with a space, so it is safe as the name of a file on every system.
public struct ScoreName: Hashable, Comparable, Sendable, CustomStringConvertible {
  public static let longest = 60

  public let description: String

  /// nil for a text that is not a name.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard (1...ScoreName.longest).contains(bytes.count), bytes.allSatisfy(ScoreName.isAllowed),
      bytes[0] != UInt8(ascii: "-"), bytes[0] != UInt8(ascii: " "), bytes[bytes.count - 1] != UInt8(ascii: " ")
    else { return nil }
    description = String(text)
  }

  public static func < (a: ScoreName, b: ScoreName) -> Bool { a.description < b.description }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: " "):
      true
    default: false
    }
  }
}

/// The stored scores: one file `NAME.txt` for each, in the folder `scores` of the state folder. Used by one thread, never a
/// real-time one.
///
/// A score is written under a temporary name and flushed to the disk; then it is renamed, and the folder is flushed. Whenever the
/// power fails or the process is killed, the old or the new score is there, never a mixture. The caller must lock the folder
/// while it adds or removes, because all processes use the same temporary name.
public struct ScoreFolder {
  /// The name of the folder within the state folder.
  public static let name = "scores"
  /// In bytes, 16 MiB: 100,000 lines of 160 characters.
  public static let largestScore = 16 << 20
  /// Not the name of a score. If a process was killed and has left this file, the next change replaces or removes it.
  private static let temporary = "score.new"
  private static let ending = ".txt"

  private let folder: any StateFolder

  public init(_ folder: any StateFolder) { self.folder = folder }

  /// The name of a score's file.
  public static func file(_ name: ScoreName) -> String { name.description + ending }

  /// Sorted. Throws a `HardwareError` with operation `loadState`.
  public func names() throws(HardwareError) -> [ScoreName] {
    try folder.list().compactMap { file in
      file.hasSuffix(ScoreFolder.ending) ? ScoreName(file.dropLast(ScoreFolder.ending.count)) : nil
    }.sorted()
  }

  /// The bytes of a score; nil if there is none of this name. Throws a `HardwareError` with operation `loadState`.
  public func bytes(of name: ScoreName) throws(HardwareError) -> [UInt8]? { try folder.read(ScoreFolder.file(name)) }

  /// Adds a score, or replaces the score of this name. Throws a `HardwareError` with operation `saveState`; the old score
  /// is then still there, unless only the last step, flushing the folder, has failed. A score of more than ``largestScore`` bytes
  /// is not added either.
  public func add(_ name: ScoreName, _ bytes: [UInt8]) throws(HardwareError) {
    guard bytes.count <= ScoreFolder.largestScore else {
      throw HardwareError(.saveState, .other, detail: "the score has more than \(ScoreFolder.largestScore >> 20) MiB")
    }
    try folder.write(ScoreFolder.temporary, bytes)
    guard try folder.rename(ScoreFolder.temporary, to: ScoreFolder.file(name)) else {
      throw HardwareError(.saveState, .other, detail: "another program has removed \(ScoreFolder.temporary)")
    }
    try folder.synchronize()
  }

  /// Removes a score. Returns false if there is none of this name. Throws a `HardwareError` with operation `saveState`.
  public func remove(_ name: ScoreName) throws(HardwareError) -> Bool {
    try folder.remove(ScoreFolder.temporary)
    guard try folder.remove(ScoreFolder.file(name)) else { return false }
    try folder.synchronize()
    return true
  }
}
