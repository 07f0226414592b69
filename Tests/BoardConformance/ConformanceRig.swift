import HardwareAbstraction
import MetronomeCore

/// A board and the world around it, for the conformance suite: what a hand and an eye can do.
public protocol ConformanceRig: AnyObject {
  associatedtype RiggedBoard: Board

  /// The buttons of the box that there are.
  var buttons: [Button] { get }

  /// Opens the board anew, with all outputs, those buttons, the devices of ``inputs``, sound and an empty folder for the
  /// state. One is open at a time.
  func open() throws -> RiggedBoard

  /// Gives the board back.
  func close(_ board: RiggedBoard)

  /// Lets time pass.
  func wait(_ time: Nanoseconds)

  /// Closes or opens a button's contact, now.
  func move(_ button: Button, _ direction: ButtonEdge.Direction)

  /// Moves the key that is this button of a device, now.
  func move(_ button: Button, _ direction: ButtonEdge.Direction, at origin: Origin)

  /// Turns a dial of a device by some detents at once, now.
  func turn(_ dial: Dial, by detents: Int, at origin: Origin)

  /// Pulls a device out.
  func unplug(_ origin: Origin)

  /// Plugs it in again.
  func plug(_ origin: Origin)

  /// What the world sees: which outputs are active.
  var seen: OutputSet { get }
}

extension ConformanceRig {
  /// The devices beside the box: a pedal, and an encoder with a key.
  public static var inputs: [InputRequest] {
    [
      InputRequest(
        .named("Conformance Pedal"),
        keys: [KeyCode(number: 109): .play, KeyCode(number: 104): .tap]),
      InputRequest(
        .named("Conformance Encoder"), keys: [KeyCode(number: 256): .play],
        relative: [AxisCode(number: 0): .tempo, AxisCode(number: 7): .preset], isGrabbed: true),
    ]
  }
}

/// What a board did that none may do.
public struct ConformanceFailure: Error, CustomStringConvertible {
  public var description: String

  public init(description: String) { self.description = description }
}

/// - Throws: `ConformanceFailure` unless the condition holds.
public func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
  if !condition { throw ConformanceFailure(description: what()) }
}
