import BoardConformance
import Glibc
import HardwareAbstraction
import LinuxBoard
import MetronomeCore

/// Devices with the same name and different keys, such as receivers and pedals with several interfaces.
extension InputChecks {
  /// The keys of the other device of the same name.
  private static let other = [KeyCode(number: 30): Button.tap]
  private static let whole = InputRequest(pedal.device, keys: pedal.keys.merging(other) { $1 })

  /// Both orders of their numbers, present before the request and appearing after it.
  func twins() throws {
    try twins([InputChecks.pedal.keys, InputChecks.other], comeLater: false, "connected as /dev/input/event2")
    try twins([InputChecks.other, InputChecks.pedal.keys], comeLater: false, "connected as /dev/input/event3")
    try twins(
      [InputChecks.pedal.keys, InputChecks.other], comeLater: true, "waiting for", "connected as /dev/input/event2")
    try twins(
      [InputChecks.other, InputChecks.pedal.keys], comeLater: true, "waiting for",
      "/dev/input/event2 has that name, but no KEY_PAGEDOWN; waiting", "connected as /dev/input/event3")
  }

  private func twins(_ keys: [[KeyCode: Button]], comeLater: Bool, _ parts: String...) throws {
    var hands = comeLater ? [] : keys.map { hand($0) }
    // Keeps the devices plugged in until they are read.
    defer { withExtendedLifetime(hands) {} }
    let (inputs, log) = try open([InputChecks.pedal])
    for keys in keys where comeLater {
      hands.append(hand(keys))
      try expect(read(inputs), [])
    }
    letPass(.milliseconds(1_100))
    try expect(read(inputs), [])
    try log.expect(parts)
    for (hand, keys) in zip(hands, keys) { hand.move(keys.values.first!, .down) }
    letPass(.milliseconds(2))
    try expect(read(inputs), ["play down at 1"])
  }

  func better() throws {
    let part = hand()
    let (inputs, log) = try open([InputChecks.whole])
    try log.expect("connected as /dev/input/event2; it has no KEY_A")
    part.move(.play, .down)
    letPass(.milliseconds(2))
    try expect(read(inputs), ["play down at 1"])
    var whole: HandDevice? = hand(InputChecks.whole.keys)
    try expect(read(inputs), ["interrupted at 1"])
    try log.expect("connected as /dev/input/event3")
    let (_, laterLog) = try open([InputChecks.whole])
    try laterLog.expect("connected as /dev/input/event3")
    part.move(.play, .up)
    whole?.move(.tap, .down)
    letPass(.milliseconds(2))
    try expect(read(inputs), ["tap down at 1"])
    whole = nil
    letPass(.milliseconds(50))
    try expect(read(inputs), ["interrupted at 1"])
    try log.expect("was removed", "connected as /dev/input/event2; it has no KEY_A")
    part.move(.play, .down)
    letPass(.milliseconds(2))
    try expect(read(inputs), ["play down at 1"])
  }

  func betterBusy() throws {
    let hands = [hand(), hand(InputChecks.whole.keys)]
    defer { withExtendedLifetime(hands) {} }
    var grabbing = InputChecks.whole
    grabbing.isGrabbed = true
    let (other, _) = try open([grabbing])
    let (inputs, log) = try open([grabbing])
    try log.expect("connected as /dev/input/event2; it has no KEY_A")
    other.release()
    letPass(.milliseconds(1_100))
    try expect(read(inputs), ["interrupted at 1"])
    try log.expect("connected as /dev/input/event3")
    for hand in hands { hand.move(.play, .down) }
    letPass(.milliseconds(2))
    try expect(read(inputs), ["play down at 1"])
  }

  func each() throws {
    var tapping = InputChecks.pedal
    tapping.keys = InputChecks.other
    for requests in [[tapping, InputChecks.pedal], [InputChecks.pedal, tapping]] {
      let (first, second) = (hand(), hand(InputChecks.other))
      defer { withExtendedLifetime((first, second)) {} }
      let (inputs, _) = try open(requests)
      first.move(.play, .down)
      letPass(.milliseconds(2))
      second.move(.tap, .down)
      letPass(.milliseconds(2))
      let isTapFirst = requests[0] == tapping
      try expect(read(inputs), isTapFirst ? ["play down at 2", "tap down at 1"] : ["play down at 1", "tap down at 2"])
    }
  }

  func nameless() throws {
    var grabbing = InputChecks.pedal
    grabbing.isGrabbed = true
    var stranger = grabbing
    stranger.device = .named("Stranger")
    let strange = HandDevice(stranger, program: handDevice)
    letPass(.milliseconds(50))
    let (holder, _) = try open([stranger])
    try require(mount("none", "/sys/class/input", "tmpfs", 0, nil) == 0, "mount: \(errno)")
    defer { umount("/sys/class/input") }
    let (inputs, log) = try open([grabbing])
    try log.expect("waiting for the input \"Check Pedal\"")
    let hands = [hand(InputChecks.other), hand()]
    defer { withExtendedLifetime((strange, hands)) {} }
    try expect(read(inputs), [])
    try log.expect("connected as /dev/input/event4")
    let (_, otherLog) = try open([grabbing])
    try otherLog.expect("grabbed by another program")
    for hand in [strange] + hands { hand.move(hand === hands[0] ? .tap : .play, .down) }
    letPass(.milliseconds(2))
    try expect(read(inputs), ["play down at 1"])
    try expect(read(holder), ["play down at 1"])
  }
}
