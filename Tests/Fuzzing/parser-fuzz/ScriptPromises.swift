import BoardSimulation
import MetronomeCore

/// Invariants of the script reader.
enum ScriptPromises {
  private static let newline = UInt8(ascii: "\n")

  /// Either the script is valid and the text written from it reads back unchanged, or the error names the first line that is
  /// invalid by itself.
  static func check(_ bytes: [UInt8]) {
    let script: Script
    do throws(ScriptError) {
      script = try Script(text: bytes, file: "fuzzed.script")
    } catch {
      return check(error, in: bytes)
    }
    checkOrder(script)
    let text = script.text
    // An empty script counts as truncated.
    guard !text.isEmpty else { return }
    do throws(ScriptError) {
      let again = try Script(text: Array(text.utf8), file: "written.script")
      require(again == script, "the written text reads back differently:\n\(text)--- read back as\n\(again.text)")
      require(again.text == text, "the second writing differs:\n\(text)--- second writing\n\(again.text)")
    } catch {
      require(isTooLate(error, in: text), "the written text is refused, \(error):\n\(text)")
    }
  }

  /// Whether the error is a time that no script can express: a press at the last possible time ends after it.
  private static func isTooLate(_ error: ScriptError, in text: String) -> Bool {
    guard let number = error.line else { return false }
    let words = text.split(separator: "\n")[number - 1].split(separator: " ")
    let held = words[1] == "press" ? words.dropFirst(3) : []
    return (words.prefix(1) + held).contains { Nanoseconds(text: $0) == nil }
  }

  private static func check(_ error: ScriptError, in bytes: [UInt8]) {
    requireOneLine(error.description)
    guard let number = error.line else { return }
    let lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
    require(lines.indices.contains(number - 1), "there is no line \(number), only \(lines.count): \(error)")
    // A byte order mark is allowed only before the first line.
    let alone = (number == 1 ? [] : [newline]) + lines[number - 1]
    require(fault(in: alone) != nil, "the reported line is valid by itself: \(error)")
    let before = Array(lines[..<(number - 1)].joined(separator: [newline]))
    require(fault(in: before)?.line == nil, "an earlier line is invalid, too: \(error)")
  }

  private static func fault(in bytes: [UInt8]) -> ScriptError? {
    do throws(ScriptError) {
      _ = try Script(text: bytes, file: "part.script")
      return nil
    } catch {
      return error
    }
  }

  /// Edges are in order of time, and each button alternates between down and up, including bounces.
  private static func checkOrder(_ script: Script) {
    for edges in [script.edges(from: .zero), script.edges(from: .zero, bounces: Bounces(seed: 1))] {
      var isDown: Set<Button> = []
      var last = Instant.zero
      for edge in edges {
        require(edge.instant >= last, "the edges are not in order of time")
        last = edge.instant
        switch edge.direction {
        case .down: require(isDown.insert(edge.button).inserted, "\(edge.button) goes down twice")
        case .up: require(isDown.remove(edge.button) != nil, "\(edge.button) goes up twice")
        }
      }
    }
  }
}
