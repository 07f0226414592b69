import BoardSimulation
import MetronomeCore

/// What must hold of reading a script.
enum ScriptPromises {
  private static let newline = UInt8(ascii: "\n")
  /// Ten years of 365¼ days.
  private static let lastInstant = Instant.zero + .seconds(87_660 * 3_600)

  /// Either it is read, and what happens in it, written down as a script, happens again; or the first line that is wrong
  /// by itself is named.
  static func check(_ bytes: [UInt8]) {
    let script: Script
    do throws(ScriptError) {
      script = try Script(text: bytes, file: "fuzzed.script")
    } catch {
      return check(error, in: bytes)
    }
    checkOrder(script)
    // A press at the last time that can be written ends after it.
    let instants = script.edges(from: .zero).map(\.instant) + script.inputs(from: .zero).map(\.instant)
    guard instants.allSatisfy({ $0 <= lastInstant }) else { return }
    let text = written(script)
    do throws(ScriptError) {
      let again = try Script(text: Array(text.utf8), file: "written.script")
      require(written(again) == text, "something else happens the second time:\n\(text)--- and then\n\(written(again))")
    } catch {
      fatalError("what happens in it is refused, \(error):\n\(text)")
    }
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

  /// What happens, as a script.
  private static func written(_ script: Script) -> String {
    var lines = script.edges(from: .zero).map(line)
    for action in script.inputs(from: .zero) {
      switch action {
      case .edge(let edge): lines.append(line(edge))
      case .turn(let turn):
        lines.append("\(time(turn.instant)) turn \(turn.dial.rawValue)@\(turn.origin.number) \(turn.detents)")
      case .unplug(let origin, let instant): lines.append("\(time(instant)) unplug \(origin.number)")
      case .plug(let origin, let instant): lines.append("\(time(instant)) plug \(origin.number)")
      case .overflow: fatalError("no line of a script says this")
      }
    }
    for action in script.chipActions(from: .zero) {
      switch action {
      case .unplug(let instant): lines.append("\(time(instant)) unplug chip")
      case .plug(let instant): lines.append("\(time(instant)) plug chip")
      }
    }
    lines += script.reloads.map { "\($0.time.text) reload \($0.file)" }
    // A script of nothing is taken for one that was cut off, one of a comment is not.
    return (["# what happens in it"] + lines).joined(separator: "\n")
  }

  private static func line(_ edge: ButtonEdge) -> String {
    let place = edge.origin == .box ? "" : "@\(edge.origin.number)"
    let verb =
      switch edge.direction {
      case .down: "down"
      case .up: "up"
      }
    return "\(time(edge.instant)) \(verb) \(edge.button.rawValue)\(place)"
  }

  private static func time(_ instant: Instant) -> String { (instant - .zero).text }
}
