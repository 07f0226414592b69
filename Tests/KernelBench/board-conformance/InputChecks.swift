import BoardConformance
import Glibc
import HardwareAbstraction
import LinuxBoard
import MetronomeCore

/// What only real input devices can be tried with: names, numbers, rights, and who else has them.
struct InputChecks {
  struct Check {
    let name: String
    let run: () throws -> Void
  }

  static let pedal = InputRequest(.named("Check Pedal"), keys: [KeyCode(number: 109): .play])
  /// The program that makes devices.
  let handDevice: String

  var all: [Check] {
    [
      Check(name: "several devices of one name are had by as many requests, the first by the first", run: sameName),
      Check(name: "of several of one name it is the one with what was asked for, whichever is first", run: twins),
      Check(name: "a device that has a part of what was asked for is exchanged for one that has more", run: better),
      Check(name: "and also when another program gives that one back", run: betterBusy),
      Check(name: "as many requests of one name have each the one with its key", run: each),
      Check(name: "where names are not shown, no device of another name is grabbed", run: nameless),
      Check(name: "a device asked for by its file is taken from whoever wanted any of that name", run: pathFirst),
      Check(name: "a device that another program has for itself is had when it is given back", run: busy),
      Check(name: "a device that comes later, and what it lacks, is told", run: later),
      Check(
        name: "an event not handed on yet keeps the descriptor readable, whatever was asked for since", run: waking),
      Check(name: "an event has the microsecond in which it happened", run: stamps),
      Check(name: "a key that was held when the device came is no press", run: held),
    ]
  }

  private func sameName() throws {
    let first = hand()
    let second = hand()
    let (inputs, said) = try open([InputChecks.pedal, InputChecks.pedal, InputChecks.pedal])
    try said.expect("there, as /dev/input/event2", "there, as /dev/input/event3", "waiting for")
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
    let (inputs, said) = try open([any, exact])
    try said.expect("waiting for the input \(link); there are ", "there, as /dev/input/event2")
    mkdir("/dev/input/by-id", 0o755)
    symlink("../event2", link)
    defer { unlink(link) }
    letPass(.milliseconds(5))
    try expect(read(inputs), ["interrupted at 1"])
    try said.expect("there, as \(link)", "waiting for the input \"Check Pedal\"")
    hand.move(.play, .down)
    letPass(.milliseconds(2))
    try expect(read(inputs), ["play down at 2"])
  }

  private func busy() throws {
    let hand = hand()
    var grabbing = InputChecks.pedal
    grabbing.isGrabbed = true
    let (other, _) = try open([grabbing])
    let (inputs, said) = try open([grabbing])
    try said.expect("in use")
    letPass(.milliseconds(2_500))
    try expect(read(inputs), [])
    other.release()
    letPass(.milliseconds(1_100))
    try expect(read(inputs), [])
    try said.expect("there, as /dev/input/event2")
    hand.move(.play, .down)
    letPass(.milliseconds(2))
    try expect(read(inputs), ["play down at 1"])
  }

  private func later() throws {
    var wanted = InputChecks.pedal
    wanted.keys[KeyCode(number: 104)] = .tap
    wanted.relative[AxisCode(number: 0)] = .tempo
    let (inputs, said) = try open([wanted])
    try said.expect("waiting for the input \"Check Pedal\"; there are \"Conformance Pedal\", \"Conformance Encoder\"")
    letPass(.seconds(3))
    try expect(read(inputs), [])
    try said.expect()
    var hand: HandDevice? = hand()
    letPass(.milliseconds(50))
    try expect(read(inputs), [])
    try said.expect("there, as /dev/input/event2; it has no KEY_PAGEUP, REL_X")
    hand?.move(.play, .down)
    letPass(.milliseconds(2))
    try expect(read(inputs), ["play down at 1"])
    hand = nil
    letPass(.milliseconds(50))
    _ = read(inputs)
    try said.expect("\"Check Pedal\" is gone; waiting for it")
    letPass(.seconds(3))
    try expect(read(inputs), [])
    try said.expect()
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
      try require(try wait.wait(until: .zero), "not readable after it was asked where the key is")
      try expect(read(inputs), ["play \(direction) at 1"])
      try require(try !wait.wait(until: .zero), "readable though all was handed on")
    }
  }

  private func stamps() throws {
    let record = "/run/check-pedal"
    unlink(record)
    let hand = hand(record: record)
    let (inputs, _) = try open([InputChecks.pedal])
    var told: [Int64] = []
    for time in 1...200 {
      hand.move(.play, time.isMultiple(of: 2) ? .up : .down)
      letPass(Nanoseconds(1_000_123 + Int64(time) * 7_919))
      while let event = inputs.next() { told.append(event.instant.nanoseconds) }
    }
    let done = try instants(in: record)
    let inTime = zip(told, done).count { $0 == $1 / 1_000 * 1_000 }
    try require(told.count == 200 && done.count == 200 && inTime == 200, "\(told.count) told, \(inTime) in their µs")
  }

  private func held() throws {
    let hand = hand()
    hand.move(.play, .down)
    letPass(.milliseconds(5))
    let (inputs, _) = try open([InputChecks.pedal])
    try expect(read(inputs), [])
    try require(inputs.isDown(.play, at: Origin(number: 1)), "the key that is held is not down")
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

  func open(_ requests: [InputRequest]) throws -> (EventDevices, Said) {
    let said = Said()
    return (try EventDevices(requests, notice: { said.lines.append($0) }), said)
  }

  func read(_ inputs: EventDevices) -> [String] {
    var told: [String] = []
    while let event = inputs.next() {
      switch event {
      case .edge(let edge): told.append("\(edge.button) \(edge.direction) at \(edge.origin.number)")
      case .turn(let turn): told.append("\(turn.dial) by \(turn.detents) at \(turn.origin.number)")
      case .interrupted(let origin, _): told.append("interrupted at \(origin.number)")
      }
    }
    return told
  }

  /// The instants of a device's record at which its key was moved.
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

  func expect(_ told: [String], _ expected: [String]) throws {
    try require(told == expected, "told \(told), not \(expected)")
  }
}

/// What a person was told.
final class Said {
  var lines: [String] = []

  /// As many lines as parts, each with its part, since this was asked last.
  func expect(_ parts: String...) throws { try expect(parts) }

  func expect(_ parts: [String]) throws {
    defer { lines = [] }
    let isMatch = lines.count == parts.count && zip(lines, parts).allSatisfy { $0.contains($1) }
    try require(isMatch, "said \(lines), not \(parts)")
  }
}
