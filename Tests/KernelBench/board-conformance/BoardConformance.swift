import BoardConformance
import Glibc
import HardwareAbstraction
import LinuxBoard
import MetronomeCore
import StateFiles

/// Runs the conformance suite on the real board, and further checks of input devices.
///
/// Arguments: the folder of the kernel's simulated GPIO chip in sysfs, or `wires` on a Raspberry Pi with the wires of ``WiredHeader``; the
/// ALSA PCM to play on; the program that creates input devices; and the one that connects the ports of VirMIDI, or `gadget=` and the name
/// of the controller of a simulated USB bus with the device of ``GadgetCable``.
@main
enum BoardConformanceProgram {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count == 4 else {
      print("usage: board-conformance CHIP_FOLDER|wires ALSA_PCM HAND_DEVICE MIDI_SOURCE|gadget=CONTROLLER")
      exit(64)
    }
    let isWired = arguments[0] == "wires"
    let rig = Rig(
      chipFolder: isWired ? nil : arguments[0], device: arguments[1], handDevice: arguments[2], midi: arguments[3])
    let cases = ConformanceSuite<Rig>.cases(withRemovableChip: rig.hasRemovableChip, withSlowMIDI: rig.hasSlowMIDI)
    var tally = Tally()
    for conformance in cases { tally.note(conformance.name) { try conformance.run(on: rig) } }
    let checks = InputChecks(handDevice: arguments[2], hasExactInstants: !isWired)
    for check in checks.all { tally.note(check.name, check.run) }
    print("\(tally.passed) passed, \(tally.failed) failed")
    exit(tally.failed == 0 ? 0 : 1)
  }
}

/// Runs the checks and counts the failures.
private struct Tally {
  private(set) var passed = 0
  private(set) var failed = 0

  mutating func note(_ name: String, _ run: () throws -> Void) {
    do {
      try run()
      passed += 1
      print("ok      \(name)")
    } catch {
      failed += 1
      print("FAILED  \(name): \(error)")
    }
  }
}

/// Waits for this time.
func letPass(_ time: Nanoseconds) {
  let end = LinuxClock().now + time
  let bell = Doorbell()
  while LinuxClock().now < end { _ = bell.wait(until: end) }
}

private final class Rig: ConformanceRig {
  private let wiring: Wiring
  private let header: any Header
  private let card = SimulatedCard()
  private let cable: any Cable
  private let device: String
  private let handDevice: String
  private var hands: [Origin: HandDevice] = [:]
  private var opened = 0

  init(chipFolder: String?, device: String, handDevice: String, midi: String) {
    let gadget = "gadget="
    cable =
      midi.hasPrefix(gadget)
      ? GadgetCable(controller: String(midi.dropFirst(gadget.count))) : SimulatedCable(program: midi)
    var wiring = Wiring.standard
    wiring.outputs[.green] = OutputWiring(line: .name("GPIO23"))
    wiring.outputs[.blue] = OutputWiring(line: .name("GPIO12"))
    wiring.inputs = Rig.inputs
    wiring.midi = [MIDIOutputRequest(.address(cable.output))]
    wiring.midiClock = .address(cable.input)
    wiring.inputs[Rig.midiPedal.number - 1].device = .midi(.address(cable.input))
    self.wiring = wiring
    header = chipFolder.map { SimulatedHeader(folder: $0, wiring: wiring) } ?? WiredHeader()
    self.device = device
    self.handDevice = handDevice
    for button in buttons { header.move(button, .up) }
    for (index, request) in wiring.inputs.enumerated() {
      if case .named = request.device { plug(Origin(number: index + 1)) }
    }
    wait(.milliseconds(100))
  }

  var hasRemovableChip: Bool { header.isRemovable }

  var hasSlowMIDI: Bool { cable.isSlow }

  var buttons: [Button] { Button.standard.filter { wiring.buttons[$0] != nil } }

  func open() throws -> LinuxBoard {
    // The chip delivers an interrupt at the kernel's next tick: earlier moves must not reach the new board.
    wait(.milliseconds(2))
    opened += 1
    _ = cable.receive()
    let stateFolder = "/run/conformance-\(opened)"
    mkdir(stateFolder, 0o700)
    return try LinuxBoard.open(
      wiring: wiring, audio: AudioRequest(device: .named(device)), stateFolder: FileFolder(stateFolder),
      notice: { print("        (\($0))") })
  }

  func close(_ board: LinuxBoard) { board.release() }

  func wait(_ time: Nanoseconds) { letPass(time) }

  func move(_ button: Button, _ direction: ButtonEdge.Direction) { header.move(button, direction) }

  func move(_ button: Button, _ direction: ButtonEdge.Direction, at origin: Origin) {
    hands[origin]?.move(button, direction)
  }

  func turn(_ dial: Dial, by detents: Int, at origin: Origin) { hands[origin]?.turn(dial, by: detents) }

  func unplug(_ origin: Origin) { hands[origin] = nil }

  func plug(_ origin: Origin) {
    hands[origin] = HandDevice(wiring.inputs[origin.number - 1], program: handDevice)
  }

  func sendMIDI(_ bytes: [UInt8]) { cable.send(bytes) }

  func receiveMIDI() -> [UInt8] { cable.receive() }

  func pullMIDI(of board: LinuxBoard) throws {
    cable.pull()
    _ = try board.tend(at: board.clock.now)
  }

  func plugMIDI(of board: LinuxBoard) throws {
    while board.inputs?.next() != nil {}
    guard cable.plug() else {
      _ = try board.tend(at: board.clock.now)
      return
    }
    // The kernel refuses a new port for a moment; the board tries again after a second.
    for _ in 0..<2 {
      wait(.milliseconds(1_100))
      _ = try board.tend(at: board.clock.now)
      while board.inputs?.next() != nil {}
    }
  }

  func configureMIDI(_ isConfigured: Bool, of board: LinuxBoard) throws {
    guard let midi = board.midi else { return }
    midi.replace(isConfigured ? wiring.midi : [])
    midi.use(midi.list)
    // Once to close ports, and once to open others, after the thread that closes has ended.
    for _ in 0..<2 {
      _ = try board.tend(at: board.clock.now)
      wait(.milliseconds(1_100))
    }
    _ = try board.tend(at: board.clock.now)
  }

  func pullChip(of board: LinuxBoard) { header.pull() }

  func plugChip(of board: LinuxBoard) throws {
    // Lines of a removed chip are released first: the chip may then get the same number.
    _ = try board.tend(at: board.clock.now)
    header.plug()
    _ = try board.tend(at: board.clock.now)
  }

  func stopCard() { card.stop() }

  func pullCard() { card.pull() }

  func plugCard() { card.plug() }

  func meet(_ obstacle: Obstacle) throws {
    var wiring = self.wiring
    // The open board uses the external input devices.
    wiring.inputs = []
    (wiring.midi, wiring.midiClock) = ([], nil)
    switch obstacle {
    case .absentChip: wiring.chip = .named("absent")
    case .absentLine: wiring.outputs[.light] = OutputWiring(line: .name("GPIO99"))
    case .deniedChip:
      seteuid(65_534)
      defer { seteuid(0) }
      return try openBriefly(wiring)
    case .heldLine: break
    case .absentCard: return try playBriefly(on: ["Absent"])
    // Opens the same substream of the card twice.
    case .cardInUse: return try playBriefly(on: [device + ",0", device + ",0"])
    }
    try openBriefly(wiring)
  }

  private func openBriefly(_ wiring: Wiring) throws {
    try LinuxBoard.open(wiring: wiring, audio: AudioRequest(device: .none), stateFolder: nil, notice: { _ in })
      .release()
  }

  private func playBriefly(on devices: [String]) throws {
    var outputs: [ALSAOutput] = []
    defer { for output in outputs { output.release() } }
    for name in devices { outputs.append(try ALSAPort(AudioRequest(device: .named(name)), notice: { _ in }).open()) }
  }

  var seen: LineSet { header.levels }
}
