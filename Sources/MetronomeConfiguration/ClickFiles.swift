import CLibrary
import MetronomeCore

/// Files with sounds of one's own for the clicks; nil: the metronome's own voice.
public typealias ClickFiles = PerLevel<ClickFile?>

extension PerLevel<ClickFile?> {
  public init() { self.init(repeating: nil) }

  /// The paths of those that are named.
  public var paths: [String] { Level.configured.compactMap { self[$0]?.path } }
}

/// A WAV file as the configuration names it.
public struct ClickFile: Hashable, Sendable {
  /// As it is written.
  public var name: String
  /// Where the configuration lies from whose place names count; empty for the working directory.
  public var folder: String

  public init(_ name: String, folder: String = "") {
    self.name = name
    self.folder = folder
  }

  /// The path to open.
  public var path: String { folder.isEmpty || name.hasPrefix("/") ? name : folder + "/" + name }

  /// More than ten seconds of two channels at the highest rate in 64 bits.
  private static let highestByteCount = 64 << 20

  /// Reads the file.
  ///
  /// - Parameter key: where the configuration names it, for messages.
  func read(for key: String) throws(ConfigurationError) -> ClickSound {
    do {
      return try read()
    } catch {
      throw ConfigurationError(
        file: path, Problem("\(key) cannot be this file: \(error.what)", remedy: error.remedy, at: nil))
    }
  }

  private func read() throws(Problem) -> ClickSound {
    guard let bytes = try RegularFile.contents(path, limit: ClickFile.highestByteCount, kind: "a WAV file") else {
      throw Problem(
        "there is no such file", remedy: "check the path, which counts from the configuration's folder", at: nil)
    }
    guard bytes.count <= ClickFile.highestByteCount else {
      throw Problem("it is longer than 64 MB", remedy: "a click has at most 10 s; cut it", at: nil)
    }
    do throws(WAVError) {
      return .recorded(try WAVSound(bytes))
    } catch {
      throw Problem(error.problem, remedy: error.remedy, at: nil)
    }
  }
}

extension Configuration {
  /// What the clicks sound like, with the sounds of the files that it names.
  public func readSounds() throws(ConfigurationError) -> ClickSounds {
    var sounds = ClickSounds(volume: volume, gainDB: gainDB)
    for level in Level.configured {
      guard let file = clickFiles[level] else { continue }
      sounds.clicks.share(try file.read(for: "audio.sounds.\(level.word)"), from: level)
    }
    return sounds
  }
}

/// A file that is read whole.
enum RegularFile {
  /// The bytes of a file, at most one more than a limit; nil if it does not exist.
  ///
  /// - Parameter kind: what it should be, for messages.
  static func contents(_ path: String, limit: Int, kind: String) throws(Problem) -> [UInt8]? {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw Problem("this is no name of a file", remedy: "check the path", at: nil)
    }
    // Without waiting, because a pipe that nobody writes to would keep even the opening waiting for ever.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw unreadable(errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let what = status.st_mode & S_IFMT == S_IFDIR ? "this is a directory" : "this is a device or a pipe"
      throw Problem(what, remedy: "give the path of \(kind)", at: nil)
    }
    return try readAll(descriptor, limit: limit + 1)
  }

  private static func readAll(_ descriptor: Int32, limit: Int) throws(Problem) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < limit {
      let got = read(descriptor, &piece, min(piece.count, limit - bytes.count))
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw unreadable(errno) }
      if got == 0 { break }
      bytes += piece[..<got]
    }
    return bytes
  }

  private static func unreadable(_ code: Int32) -> Problem {
    let reason = String(cString: strerror(code))
    return Problem("the file cannot be read: \(reason)", remedy: "check the path and who may read it", at: nil)
  }
}
