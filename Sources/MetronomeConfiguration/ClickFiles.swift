import MetronomeCore

/// Files with sounds of one's own for the clicks.
public struct ClickFiles: Hashable, Sendable {
  /// nil: the metronome's own voice.
  public var first: ClickFile?
  public var regular: ClickFile?

  public init(first: ClickFile? = nil, regular: ClickFile? = nil) {
    self.first = first
    self.regular = regular
  }

  /// The paths of those that are named.
  public var paths: [String] { [first, regular].compactMap { $0?.path } }
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
    if let file = clickFiles.first { sounds.first = try file.read(for: "audio.sounds.first") }
    if let file = clickFiles.regular { sounds.regular = try file.read(for: "audio.sounds.regular") }
    return sounds
  }
}
