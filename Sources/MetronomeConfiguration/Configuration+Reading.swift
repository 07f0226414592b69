extension Configuration {
  /// Reads a configuration from the bytes of a file.
  ///
  /// - Parameter file: its name, for messages.
  public init(yaml: [UInt8], file: String) throws(ConfigurationError) {
    do {
      self = try ConfigurationReader.read(Document(CheckedText(yaml)))
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
      bytes = try ConfigurationFile.contents(path)
    } catch {
      throw ConfigurationError(file: path, error)
    }
    guard let bytes else { return nil }
    return try Configuration(yaml: bytes, file: path)
  }
}
