import CLibrary
import HardwareAbstraction
import MetronomeCore
import StateFiles

/// A score with the text that it was read from.
struct ScoreFile {
  /// For messages.
  let source: String
  let bytes: [UInt8]
  let score: Score

  /// Reads a file, or standard input if the path is `-`. Throws a `Failure` if it cannot be read, or is not a score.
  init(path: String) throws {
    try self.init(source: ScoreFile.source(of: path), bytes: ScoreFile.read(path))
  }

  /// Throws a `Failure` for bytes that are not a score.
  init(source: String, bytes: [UInt8]) throws {
    guard bytes.count <= ScoreFolder.largestScore else {
      throw Failure.badScore(
        "\(source): the file is larger than \(ScoreFolder.largestScore >> 20) MiB; split the score")
    }
    if MIDIFile.isLikely(bytes) {
      throw Failure.badScore("\(source): this is a MIDI file; make a score from it with \"metronome score import\"")
    }
    do throws(NotationError) { score = try Score(bytes: bytes) } catch {
      throw Failure.badScore("\(source):\(error.line):\(error.column): \(error.text)")
    }
    (self.source, self.bytes) = (source, bytes)
  }

  /// Makes a score of a MIDI file, or of standard input if the path is `-`. Throws a `Failure` if it cannot be read, or is not a
  /// MIDI file of which a score can be made. `notes` say what the score has otherwise than the file.
  static func imported(path: String) throws -> (source: String, score: ScoreFile, notes: [String]) {
    let (source, bytes) = (source(of: path), try read(path))
    guard bytes.count <= ScoreFolder.largestScore else {
      throw Failure.badScore(
        "\(source): the file is larger than \(ScoreFolder.largestScore >> 20) MiB; export a file without the notes")
    }
    let imported: ImportedScore
    do throws(MIDIFileError) { imported = try MIDIFile(bytes).score() } catch {
      throw Failure.badScore("\(source): \(error)")
    }
    let score = try ScoreFile(source: "the score of \(source)", bytes: Array(imported.text.utf8))
    return (source, score, imported.notes)
  }

  private static func source(of path: String) -> String { path == "-" ? "standard input" : shownName(path) }

  /// The bytes of a file, at most one more than a score may have.
  private static func read(_ path: String) throws -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path, errno) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var status = stat()
    if path != "-" {
      guard fstat(descriptor, &status) == 0 else { throw unreadable(path, errno) }
      // Reading a pipe could wait without an end, and a device could be read without an end.
      guard status.st_mode & S_IFMT == S_IFREG else {
        let kind = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "a device or a pipe"
        throw Failure.missingFile("\(shownName(path)) is \(kind); name a file, or - for standard input")
      }
    }
    guard let bytes = CLibrary.readBytes(from: descriptor, atMost: ScoreFolder.largestScore + 1) else {
      throw unreadable(path, errno)
    }
    return bytes
  }

  private static func unreadable(_ path: String, _ errno: Int32) -> Failure {
    Failure.missingFile("\(source(of: path)) cannot be read (\(reason(errno)))")
  }
}

/// The folder of scores in a state folder.
struct ScoreStore {
  /// Attempts, one every 20 ms, while another command changes the folder.
  private static let attempts = 500
  /// A message lists at most this many scores.
  private static let namesInMessage = 10

  /// The path of the state folder.
  let path: String

  /// Lists the scores; none if no score has been stored yet.
  func names() throws -> [ScoreName] { try reading { folder throws(HardwareError) in try folder.names() } ?? [] }

  /// The bytes of a score; nil if there is none of this name.
  func bytes(of name: ScoreName) throws -> [UInt8]? {
    try reading { folder throws(HardwareError) in try folder.bytes(of: name) } ?? nil
  }

  func add(_ name: ScoreName, _ bytes: [UInt8]) throws {
    try changing(creates: true) { folder throws(HardwareError) in try folder.add(name, bytes) }
  }

  /// Returns false if there is no score of this name.
  func remove(_ name: ScoreName) throws -> Bool {
    try changing(creates: false) { folder throws(HardwareError) in try folder.remove(name) } ?? false
  }

  /// The failure to find a score.
  func missing(_ name: String) throws -> Failure {
    let names = try names()
    let known = names.prefix(ScoreStore.namesInMessage).map { quoted($0.description) }.joined(separator: ", ")
    let rest = names.count > ScoreStore.namesInMessage ? " and \(names.count - ScoreStore.namesInMessage) more" : ""
    return .missingFile(
      "no score \(quoted(name)); " + (names.isEmpty ? "there are no scores yet" : "the scores are \(known)\(rest)"))
  }

  private func stateFolder() throws -> FileFolder {
    do throws(HardwareError) { return try FileFolder(path) } catch {
      throw Failure.missingFile(
        "\(shownName(path)) cannot be opened (\(error.reason(reason))); --state selects the state folder of the metronome; "
          + "without one keep scores as files, as \"score import --output FILE\" writes them")
    }
  }

  /// nil if there is no folder of scores.
  private func reading<Result>(_ body: (ScoreFolder) throws(HardwareError) -> Result) throws -> Result? {
    let state = try stateFolder()
    do throws(HardwareError) {
      let files = try state.folder(ScoreFolder.name, creates: false, largestFile: ScoreFolder.largestScore)
      guard let files else { return nil }
      return try body(ScoreFolder(files))
    } catch {
      throw Failure.missingFile(ScoreStore.text(error))
    }
  }

  /// Locks the folder meanwhile. nil if there is no folder of scores.
  private func changing<Result>(
    creates: Bool, _ body: (ScoreFolder) throws(HardwareError) -> Result
  ) throws -> Result? {
    let state = try stateFolder()
    do throws(HardwareError) {
      let files = try state.folder(ScoreFolder.name, creates: creates, largestFile: ScoreFolder.largestScore)
      guard let files else { return nil }
      for _ in 0..<ScoreStore.attempts {
        // If the file system does not support locks, nothing can be done about it.
        if try files.lock(isOptional: true) { return try body(ScoreFolder(files)) }
        usleep(20_000)
      }
    } catch {
      throw Failure.cannotBeMade(ScoreStore.text(error))
    }
    throw Failure.noAnswer("\(shownName(path))/\(ScoreFolder.name) is locked by another program")
  }

  private static func text(_ error: HardwareError) -> String {
    shownName(Failure.text(error)) + (error.errno.map { " (\(reason($0)))" } ?? "")
  }
}
