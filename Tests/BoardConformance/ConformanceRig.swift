import HardwareAbstraction
import MetronomeCore

/// A board and the world around it, for the conformance suite: what a hand and an eye can do.
public protocol ConformanceRig: AnyObject {
  associatedtype RiggedBoard: Board

  /// Opens the board anew, with all outputs, all buttons, sound and an empty folder for the state. One is open at a time.
  func open() throws -> RiggedBoard

  /// Gives the board back.
  func close(_ board: RiggedBoard)

  /// Lets time pass.
  func wait(_ time: Nanoseconds)

  /// Closes or opens a button's contact, now.
  func move(_ button: Button, _ direction: ButtonEdge.Direction)

  /// What the world sees: which outputs are active.
  var seen: OutputLevels { get }
}

/// What a board did that none may do.
public struct ConformanceFailure: Error, CustomStringConvertible {
  public var description: String
}

/// - Throws: `ConformanceFailure` unless the condition holds.
func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
  if !condition { throw ConformanceFailure(description: what()) }
}
