import MetronomeConfiguration

/// Invariants of the configuration reader.
enum ConfigurationPromises {
  /// Either the file is valid and the text written from it reads back unchanged, or one line reports each problem at a position
  /// within the file, in the order of the file.
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
      require(again == configuration, "the text reads back differently:\n\(text)\n--- read back as\n\(again.yaml)")
      require(again.yaml == text, "the second writing differs:\n\(text)\n--- second writing\n\(again.yaml)")
    } catch {
      fatalError("the written text is refused, \(error):\n\(text)")
    }
  }

  private static func check(_ error: ConfigurationError, in bytes: [UInt8]) {
    let problems = [error] + error.further
    require(error.description.split(separator: "\n").count == problems.count, "not a line for each problem: \(error)")
    require(problems.count <= 20, "\(problems.count) problems: \(error)")
    let isSorted = zip(problems, problems.dropFirst()).allSatisfy {
      ($0.line ?? 0, $0.column ?? 0) <= ($1.line ?? 0, $1.column ?? 0)
    }
    require(isSorted, "not in the order of the file: \(error)")
    for problem in problems { checkOne(problem, in: bytes) }
  }

  private static func checkOne(_ error: ConfigurationError, in bytes: [UInt8]) {
    requireOneLine("\(error.fault); \(error.remedy)")
    require((error.line == nil) == (error.column == nil), "a line without a column, or the reverse: \(error)")
    guard let line = error.line, let column = error.column else { return }
    require(TextPlaces(bytes).contains(line: line, column: column), "a position outside the file: \(error)")
  }
}
