extension Configuration {
  /// Reads a configuration from the bytes of a file.
  ///
  /// - Parameter file: its path, for messages and as the place from which files that it names are looked for.
  public init(yaml: [UInt8], file: String) throws(ConfigurationError) {
    do {
      self = try ConfigurationReader.read(Document(CheckedText(yaml)), folder: Configuration.folder(of: file))
    } catch {
      throw ConfigurationError(file: file, error)
    }
  }

  /// Reads a configuration from a file, which must be a regular one: nothing that could keep the box waiting.
  public static func read(path: String) throws(ConfigurationError) -> Configuration {
    guard let configuration = try readIfPresent(path: path) else {
      throw ConfigurationError(file: path, Problem("there is no such file", remedy: "check the path", at: nil))
    }
    return configuration
  }

  /// Reads a configuration from a file, or answers nil if there is none under this path.
  public static func readIfPresent(path: String) throws(ConfigurationError) -> Configuration? {
    let bytes: [UInt8]?
    do {
      bytes = try RegularFile.contents(path, limit: CheckedText.highestByteCount, kind: "a YAML file")
    } catch {
      throw ConfigurationError(file: path, error)
    }
    guard let bytes else { return nil }
    return try Configuration(yaml: bytes, file: path)
  }

  /// Where a file lies; empty for the working directory.
  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
