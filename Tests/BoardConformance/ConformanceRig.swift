import HardwareAbstraction
import MetronomeCore

/// A board and its surroundings, for the conformance suite: the inputs can be moved and the outputs can be observed.
public protocol ConformanceRig: AnyObject {
  associatedtype RiggedBoard: Board

  /// The buttons that the box has.
  var buttons: [Button] { get }

  /// Opens a new board with all outputs, ``buttons``, the devices of ``inputs``, the outputs of ``midi``, the MIDI clock of
  /// ``midiIn``, sound and an empty state folder. One board is open at a time, and nothing that was sent to it is left.
  func open() throws -> RiggedBoard

  /// Releases the board.
  func close(_ board: RiggedBoard)

  /// Waits for this time.
  func wait(_ time: Nanoseconds)

  /// Closes or opens a button's contact, now.
  func move(_ button: Button, _ direction: ButtonEdge.Direction)

  /// Moves the device's key that is mapped to this button, now.
  func move(_ button: Button, _ direction: ButtonEdge.Direction, at origin: Origin)

  /// Turns a dial of a device by several detents at once, now.
  func turn(_ dial: Dial, by detents: Int, at origin: Origin)

  /// Unplugs a device.
  func unplug(_ origin: Origin)

  /// Plugs the device in again.
  func plug(_ origin: Origin)

  /// Another machine sends these bytes to the port ``midiIn``, now.
  func sendMIDI(_ bytes: [UInt8])

  /// The bytes that have arrived from the output ``midi`` since the last call.
  func receiveMIDI() -> [UInt8]

  /// Unplugs all MIDI ports, and lets the board notice it at its outputs.
  func pullMIDI(of board: RiggedBoard) throws

  /// Plugs the MIDI ports in again, if they are unplugged, and lets the board open them. The caller has read the inputs' events; others
  /// are discarded.
  func plugMIDI(of board: RiggedBoard) throws

  /// Configures the output ``midi`` again, or none, and uses it. If it is no longer configured, it is closed.
  func configureMIDI(_ isConfigured: Bool, of board: RiggedBoard) throws

  /// Removes the GPIO chip.
  func pullChip(of board: RiggedBoard)

  /// Restores the chip, if it is removed, and lets the board request its lines.
  func plugChip(of board: RiggedBoard) throws

  /// Stops the open sound card, as after an underrun.
  func stopCard()

  /// Unplugs the sound card.
  func pullCard()

  /// Plugs the sound card in again, if it is unplugged. The caller has closed its output.
  func plugCard()

  /// Requests unavailable hardware while a board of the rig is open, and releases it if the request succeeds after all.
  ///
  /// - Throws: the error with which the board refuses.
  func meet(_ obstacle: Obstacle) throws

  /// The outputs that are active, as seen from outside.
  var seen: LineSet { get }
}

/// The reason why a board cannot get the requested hardware.
public enum Obstacle: CaseIterable, Sendable {
  /// No chip has the name that the wiring requests.
  case absentChip
  /// The process may not open the chip.
  case deniedChip
  /// The chip has no such line.
  case absentLine
  /// Another program holds the lines.
  case heldLine
  /// No card has the requested name.
  case absentCard
  /// Another program plays on the card.
  case cardInUse

  /// The error that every board must throw.
  public var refusal: (operation: HardwareError.Operation, kind: HardwareError.Kind) {
    switch self {
    case .absentChip: (.openChip, .gone)
    case .deniedChip: (.openChip, .denied)
    case .absentLine: (.requestLines, .invalid)
    case .heldLine: (.requestLines, .busy)
    case .absentCard: (.openAudio, .gone)
    case .cardInUse: (.openAudio, .busy)
    }
  }
}

extension ConformanceRig {
  /// The MIDI output. A rig may use another address.
  public static var midi: [MIDIOutputRequest] { [MIDIOutputRequest(.address("hw:CARD=VirMIDI,DEV=0"))] }

  /// The port of the MIDI clock and of the MIDI pedal. A rig may use another address.
  public static var midiIn: MIDIDevice { .address("hw:CARD=VirMIDI,DEV=2") }

  /// The MIDI pedal of ``inputs``.
  public static var midiPedal: Origin { Origin(number: 3) }

  /// The external input devices: a pedal, an encoder with a key, and a MIDI pedal.
  public static var inputs: [InputRequest] {
    var midi = InputRequest(
      .midi(midiIn), keys: [.controller(64): .play, .note(60): .tap], relative: [.controller(16): .tempo])
    (midi.encoding, midi.recallsPrograms) = (.signMagnitude, true)
    return [
      InputRequest(
        .named("Conformance Pedal"),
        keys: [KeyCode(number: 109): .play, KeyCode(number: 104): .tap]),
      InputRequest(
        .named("Conformance Encoder"), keys: [KeyCode(number: 256): .play],
        relative: [AxisCode(number: 0): .tempo, AxisCode(number: 7): .preset], isGrabbed: true),
      midi,
    ]
  }
}

/// A violation of the suite by a board.
public struct ConformanceFailure: Error, CustomStringConvertible {
  public var description: String

  public init(description: String) { self.description = description }
}

/// - Throws: `ConformanceFailure` unless the call fails with this operation and kind.
func require(
  _ what: String, fails operation: HardwareError.Operation, as kind: HardwareError.Kind, _ call: () throws -> Void
) throws {
  do {
    try call()
  } catch let error as HardwareError {
    let wanted = error.operation == operation && error.kind == kind
    return try require(wanted, "\(what) fails in \(error.operation) as \(error.kind): \(error.detail)")
  }
  throw ConformanceFailure(description: "\(what) does not fail")
}

/// - Throws: `ConformanceFailure` unless the condition holds.
public func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
  if !condition { throw ConformanceFailure(description: what()) }
}
