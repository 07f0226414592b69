import BoardSimulation
import MetronomeCore

/// What must hold of reading a script.
enum ScriptPromises {
  private static let newline = UInt8(ascii: "\n")

  /// Either it is read, and the text that is written of it reads back as the same; or the first line that is wrong by
  /// itself is named.
  static func check(_ bytes: [UInt8]) {
    let script: Script
    do throws(ScriptError) {
      script = try Script(text: bytes, file: "fuzzed.script")
    } catch {
      return check(error, in: bytes)
    }
    checkOrder(script)
    let text = script.text
    // A script of nothing is taken for one that was cut off.
    guard !text.isEmpty else { return }
    do throws(ScriptError) {
      let again = try Script(text: Array(text.utf8), file: "written.script")
      require(again == script, "it reads back as another:\n\(text)--- and that is\n\(again.text)")
      require(again.text == text, "it is written otherwise the second time:\n\(text)--- and then\n\(again.text)")
    } catch {
      require(isTooLate(error, in: text), "its own text is refused, \(error):\n\(text)")
    }
  }

  /// Whether what is wrong is a time that no script can say: a press at the last one ends after it.
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
    require(lines.indices.contains(number - 1), "line \(number) of \(lines.count) is wrong: \(error)")
    // What an editor puts before the first line is only there no fault.
    let alone = (number == 1 ? [] : [newline]) + lines[number - 1]
    require(fault(in: alone) != nil, "the line is right by itself: \(error)")
    let before = Array(lines[..<(number - 1)].joined(separator: [newline]))
    require(fault(in: before)?.line == nil, "a line before it is wrong, too: \(error)")
  }

  private static func fault(in bytes: [UInt8]) -> ScriptError? {
    do throws(ScriptError) {
      _ = try Script(text: bytes, file: "part.script")
      return nil
    } catch {
      return error
    }
  }

  /// Edges come in order of time, and those of a button go down and up in turn, however its contact bounces.
  private static func checkOrder(_ script: Script) {
    for edges in [script.edges(from: .zero), script.edges(from: .zero, bounces: Bounces(seed: 1))] {
      var isDown: Set<Button> = []
      var last = Instant.zero
      for edge in edges {
        require(edge.instant >= last, "an edge before the one before")
        last = edge.instant
        switch edge.direction {
        case .down: require(isDown.insert(edge.button).inserted, "\(edge.button) goes down twice")
        case .up: require(isDown.remove(edge.button) != nil, "\(edge.button) goes up twice")
        }
      }
    }
  }
}
