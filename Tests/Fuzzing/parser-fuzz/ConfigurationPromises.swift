import MetronomeConfiguration

/// What must hold of reading a configuration file.
enum ConfigurationPromises {
  /// Either it is read, and the text that is written of it reads back as the same; or one line says what is wrong, at a
  /// place that is there.
  static func check(_ bytes: [UInt8]) {
    let configuration: Configuration
    do throws(ConfigurationError) {
      configuration = try Configuration(yaml: bytes, file: "fuzzed.yaml")
    } catch {
      return check(error, in: bytes)
    }
    let text = configuration.yaml
    do throws(ConfigurationError) {
      let again = try Configuration(yaml: Array(text.utf8), file: "fuzzed.yaml")
      require(again == configuration, "it reads back as another:\n\(text)\n--- and that is\n\(again.yaml)")
      require(again.yaml == text, "it is written otherwise the second time:\n\(text)\n--- and then\n\(again.yaml)")
    } catch {
      fatalError("its own text is refused, \(error):\n\(text)")
    }
  }

  private static func check(_ error: ConfigurationError, in bytes: [UInt8]) {
    requireOneLine(error.description)
    require((error.line == nil) == (error.column == nil), "half a place: \(error)")
    guard let line = error.line, let column = error.column else { return }
    require(TextPlaces(bytes).contains(line: line, column: column), "a place outside the file: \(error)")
  }
}
