import BoardConformance
import Glibc
import HardwareAbstraction
import LinuxBoard
import MetronomeCore
import StateFiles

/// Runs the conformance suite on the real board, on a kernel with a simulated GPIO chip, and what only real input devices
/// can be tried with.
///
/// Arguments: the chip's folder in sysfs, the ALSA PCM to play on, and the program that makes input devices.
@main
enum BoardConformanceProgram {
  static func main() {
    guard CommandLine.arguments.count == 4 else {
      print("usage: board-conformance SYSFS_FOLDER_OF_THE_CHIP ALSA_PCM HAND_DEVICE")
      exit(64)
    }
    let rig = Rig(
      folder: CommandLine.arguments[1], device: CommandLine.arguments[2], handDevice: CommandLine.arguments[3])
    var tally = Tally()
    for conformance in ConformanceSuite<Rig>.cases { tally.note(conformance.name) { try conformance.run(on: rig) } }
    let checks = InputChecks(handDevice: CommandLine.arguments[3])
    for check in checks.all { tally.note(check.name, check.run) }
    print("\(tally.passed) passed, \(tally.failed) failed")
    exit(tally.failed == 0 ? 0 : 1)
  }
}

/// What was tried, and how it went.
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

/// Lets time pass.
func letPass(_ time: Nanoseconds) {
  let end = LinuxClock().now + time
  let bell = Doorbell()
  while LinuxClock().now < end { _ = bell.wait(until: end) }
}

private final class Rig: ConformanceRig {
  private let header: SimulatedHeader
  private let device: String
  private let handDevice: String
  private var hands: [Origin: HandDevice] = [:]
  private var opened = 0

  init(folder: String, device: String, handDevice: String) {
    var wiring = Wiring.standard
    wiring.inputs = Rig.inputs
    header = SimulatedHeader(folder: folder, wiring: wiring)
    self.device = device
    self.handDevice = handDevice
    for button in buttons { header.move(button, .up) }
    for number in 1...wiring.inputs.count { plug(Origin(number: number)) }
    wait(.milliseconds(100))
  }

  var buttons: [Button] { Button.allCases.filter { header.wiring.buttons[$0] != nil } }

  func open() throws -> LinuxBoard {
    // The chip hands an interrupt on at the kernel's next tick: what was moved before must not reach the new board.
    wait(.milliseconds(2))
    opened += 1
    let store = "/run/conformance-\(opened)"
    mkdir(store, 0o700)
    return try LinuxBoard.open(
      wiring: header.wiring, audio: AudioRequest(device: .named(device)), store: FileFolder(store),
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
    hands[origin] = HandDevice(header.wiring.inputs[origin.number - 1], program: handDevice)
  }

  var seen: OutputSet { header.levels }
}
