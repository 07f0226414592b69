import BoardConformance
import Glibc
import HardwareAbstraction
import LinuxBoard
import MetronomeCore

/// Checks that need real input devices: names, numbers, permissions, and other programs that use them.
struct InputChecks {
  struct Check {
    let name: String
    let run: () throws -> Void
  }

  static let pedal = InputRequest(.named("Check Pedal"), keys: [KeyCode(number: 109): .play])
  /// The program that creates devices.
  let handDevice: String
  /// Whether time stands still while programs run, so that an action and its event have the same instant.
  let hasExactInstants: Bool

  var all: [Check] {
    let exact = Check(name: "an event's timestamp is exact to the microsecond", run: stamps)
    return (hasExactInstants ? [exact] : []) + [
      Check(name: "devices with the same name are given to the requests for that name, in order", run: sameName),
      Check(
        name: "of devices with the same name, the one with the requested keys is used, in whatever order they appear",
        run: twins),
      Check(name: "a device with some of the requested keys is replaced by one with more", run: better),
      Check(name: "a device with more of the keys is also used when another program releases it", run: betterBusy),
      Check(name: "each of several requests for one name gets the device with its key", run: each),
      Check(name: "if sysfs has no names, a device with another name is not grabbed", run: nameless),
      Check(name: "a request for a path takes the device from a request for its name", run: pathFirst),
      Check(name: "a device that another program has grabbed is opened when it is released", run: busy),
      Check(name: "a device that appears later is reported, with its missing keys", run: later),
      Check(
        name: "an unread event keeps the descriptor readable, even after a level was read", run: waking),
      Check(name: "a key that is held when the device is opened is not a press", run: held),
    ]
  }

  private func sameName() throws {
    let first = hand()
    let second = hand()
    let (inputs, log) = try open([InputChecks.pedal, InputChecks.pedal, InputChecks.pedal])
    try log.expect("connected as /dev/input/event2", "connected as /dev/input/event3", "waiting for")
    second.move(.play, .down)
    letPass(.milliseconds(2))
    first.move(.play, .down)
    letPass(.milliseconds(2))
    try expect(read(inputs), ["play down at 2", "play down at 1"])
  }

  private func pathFirst() throws {
    let link = "/dev/input/by-id/check-pedal"
    unlink(link)
    var exact = InputChecks.pedal
    exact.device = .path(link)
    let hand = hand()
    var any = InputChecks.pedal
    any.isGrabbed = true
    exact.isGrabbed = true
    let (inputs, log) = try open([any, exact])
    try log.expect("waiting for the input \(link); the connected devices are ", "connected as /dev/input/event2")
    mkdir("/dev/input/by-id", 0o755)
    symlink("../event2", link)
    defer { unlink(link) }
    letPass(.milliseconds(5))
    try expect(read(inputs), ["interrupted at 1"])
    try log.expect("connected as \(link)", "waiting for the input \"Check Pedal\"")
    hand.move(.play, .down)
    letPass(.milliseconds(2))
    try expect(read(inputs), ["play down at 2"])
  }

  private func busy() throws {
    let hand = hand()
    var grabbing = InputChecks.pedal
    grabbing.isGrabbed = true
    let (other, _) = try open([grabbing])
    let (inputs, log) = try open([grabbing])
    try log.expect("grabbed by another program")
    letPass(.milliseconds(2_500))
    try expect(read(inputs), [])
    other.release()
    letPass(.milliseconds(1_100))
    try expect(read(inputs), [])
    try log.expect("connected as /dev/input/event2")
    hand.move(.play, .down)
    letPass(.milliseconds(2))
    try expect(read(inputs), ["play down at 1"])
  }

  private func later() throws {
    var wanted = InputChecks.pedal
    wanted.keys[KeyCode(number: 104)] = .tap
    wanted.relative[AxisCode(number: 0)] = .tempo
    let (inputs, log) = try open([wanted])
    try log.expect(
      "waiting for the input \"Check Pedal\"; the connected devices are \"Conformance Pedal\", \"Conformance Encoder\"")
    letPass(.seconds(3))
    try expect(read(inputs), [])
    try log.expect()
    var hand: HandDevice? = hand()
    letPass(.milliseconds(50))
    try expect(read(inputs), [])
    try log.expect("connected as /dev/input/event2; it has no KEY_PAGEUP, REL_X")
    hand?.move(.play, .down)
    letPass(.milliseconds(2))
    try expect(read(inputs), ["play down at 1"])
    hand = nil
    letPass(.milliseconds(50))
    _ = read(inputs)
    try log.expect("\"Check Pedal\" was removed; waiting for it")
    letPass(.seconds(3))
    try expect(read(inputs), [])
    try log.expect()
  }

  private func waking() throws {
    let hand = hand()
    let (inputs, _) = try open([InputChecks.pedal])
    var wait = DescriptorWait([inputs.descriptor])
    try expect(read(inputs), [])
    try require(try !wait.wait(until: .zero), "readable though nothing happened")
    for direction in [ButtonEdge.Direction.down, .up] {
      hand.move(.play, direction)
      letPass(.milliseconds(2))
      try require(try wait.wait(until: .zero), "not readable though a key went \(direction)")
      _ = inputs.isDown(.play, at: Origin(number: 1))
      try require(try wait.wait(until: .zero), "not readable after the key's level was read")
      try expect(read(inputs), ["play \(direction) at 1"])
      try require(try !wait.wait(until: .zero), "readable though all events were read")
    }
  }

  private func stamps() throws {
    let record = "/run/check-pedal"
    unlink(record)
    let hand = hand(record: record)
    let (inputs, _) = try open([InputChecks.pedal])
    var events: [Int64] = []
    for time in 1...200 {
      hand.move(.play, time.isMultiple(of: 2) ? .up : .down)
      letPass(Nanoseconds(1_000_123 + Int64(time) * 7_919))
      while let event = inputs.next() { events.append(event.instant.nanoseconds) }
    }
    let done = try instants(in: record)
    let inTime = zip(events, done).count { $0 == $1 / 1_000 * 1_000 }
    try require(
      events.count == 200 && done.count == 200 && inTime == 200,
      "\(events.count) events, \(inTime) with the exact timestamp")
  }

  private func held() throws {
    let hand = hand()
    hand.move(.play, .down)
    letPass(.milliseconds(5))
    let (inputs, _) = try open([InputChecks.pedal])
    try expect(read(inputs), [])
    try require(inputs.isDown(.play, at: Origin(number: 1)), "the held key is not down")
    hand.move(.play, .up)
    letPass(.milliseconds(2))
    hand.move(.play, .down)
    letPass(.milliseconds(2))
    try expect(read(inputs), ["play up at 1", "play down at 1"])
  }

  func hand(_ keys: [KeyCode: Button] = pedal.keys, record: String = "/dev/null") -> HandDevice {
    let hand = HandDevice(InputRequest(InputChecks.pedal.device, keys: keys), program: handDevice, record: record)
    letPass(.milliseconds(50))
    return hand
  }

  func open(_ requests: [InputRequest]) throws -> (EventDevices, NoticeLog) {
    let log = NoticeLog()
    return (try EventDevices(requests, notice: { log.lines.append($0) }), log)
  }

  func read(_ inputs: EventDevices) -> [String] {
    var events: [String] = []
    while let event = inputs.next() {
      switch event {
      case .edge(let edge): events.append("\(edge.button) \(edge.direction) at \(edge.origin.number)")
      case .turn(let turn): events.append("\(turn.dial) by \(turn.detents) at \(turn.origin.number)")
      case .interrupted(let origin, _): events.append("interrupted at \(origin.number)")
      case .program(let number, _, _): events.append("program \(number)")
      case .clock(let message): events.append("clock: \(message.kind)")
      }
    }
    return events
  }

  /// The times of the key events in a device's log.
  private func instants(in record: String) throws -> [Int64] {
    guard let file = fopen(record, "r") else { throw ConformanceFailure(description: "there is no \(record)") }
    defer { fclose(file) }
    var instants: [Int64] = []
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
        separator: " ")
      if words[2] == "key", let instant = Int64(words[0]) { instants.append(instant) }
    }
    return instants
  }

  func expect(_ events: [String], _ expected: [String]) throws {
    try require(events == expected, "got \(events), not \(expected)")
  }
}

/// The notices for the user.
final class NoticeLog {
  var lines: [String] = []

  /// Requires as many notices since the last call as parts. Each notice must contain its part.
  func expect(_ parts: String...) throws { try expect(parts) }

  func expect(_ parts: [String]) throws {
    defer { lines = [] }
    let isMatch = lines.count == parts.count && zip(lines, parts).allSatisfy { $0.contains($1) }
    try require(isMatch, "notices \(lines), not \(parts)")
  }
}
