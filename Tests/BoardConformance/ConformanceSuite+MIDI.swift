import HardwareAbstraction
import MetronomeCore

extension ConformanceSuite {
  private typealias Outputs = Rig.RiggedBoard.MIDI
  private typealias Inputs = Rig.RiggedBoard.Inputs

  /// The time after which a message has passed through a cable.
  private static var cable: Nanoseconds { .milliseconds(2) }
  /// The time within which a board must find a port that is plugged in.
  private static var patience: Nanoseconds { .milliseconds(100) }
  /// How long closing an output may keep a thread that feeds the watchdog.
  private static var closing: Nanoseconds { .milliseconds(100) }

  static var midiCases: [Case] { midiOutputCases + midiInputCases }

  // MARK: Outputs

  private static var midiOutputCases: [Case] {
    [
      outputCase("the MIDI outputs are counted, and have been opened once") { _, midi in
        try require(midi.count == Rig.midi.count, "\(midi.count) outputs, not \(Rig.midi.count)")
        try require(midi.opening(of: 0) == 1, "opened \(midi.opening(of: 0)) times")
      },
      outputCase("MIDI messages arrive whole and in order") { rig, midi in
        let messages: [MIDIMessage] = [
          .clock, .songPosition(5), .start, .clock, .clock, MIDIMessage(0x90, 60, 100), .stop,
          MIDIMessage(0xF2, 0, 0, 0xFA), .clock, .continue,
        ]
        for message in messages { try send(message, midi) }
        rig.wait(cable)
        try require(rig.receiveMIDI(), is: messages)
      },
      Case(name: "an unplugged MIDI output is missing, and has another number when it is back") { rig, board in
        let midi = try outputs(board)
        defer { try? rig.plugMIDI(of: board) }
        var number = midi.opening(of: 0)
        for _ in 0..<2 {
          try rig.pullMIDI(of: board)
          for message in [MIDIMessage.clock, .songPosition(1)] {
            let sending = midi.send(message, to: 0)
            try require(sending == .missing, "sending to an unplugged port: \(sending)")
          }
          try rig.plugMIDI(of: board)
          let next = midi.opening(of: 0)
          try require(next == number + 1, "opening \(next) after \(number)")
          number = next
          try send(.clock, midi)
          try send(.stop, midi)
          rig.wait(cable)
          try require(rig.receiveMIDI(), is: [.clock, .stop])
        }
      },
      Case(
        name:
          "a MIDI output that is not used for a moment stays open, and one that is not configured is opened anew"
      ) {
        rig, board in
        let midi = try outputs(board)
        let list = midi.list
        var sent = 0
        while sent < 5_000, midi.send(.clock, to: 0) == .sent { sent += 1 }
        let before = board.clock.now
        midi.use(MIDIPortList())
        try rig.plugMIDI(of: board)
        let time = board.clock.now - before
        try require(midi.count == 0 && time < closing, "\(midi.count) outputs after \(time.count) ns")
        midi.use(list)
        rig.wait(patience * 3)
        try rig.plugMIDI(of: board)
        try require(midi.opening(of: 0) == 1, "a port that stays configured was opened \(midi.opening(of: 0)) times")
        _ = rig.receiveMIDI()
        try send(.stop, midi)
        rig.wait(cable)
        try require(rig.receiveMIDI(), is: [.stop])

        try rig.configureMIDI(false, of: board)
        try require(midi.count == 0, "\(midi.count) outputs, not 0")
        try rig.configureMIDI(true, of: board)
        try require(midi.count == 1 && midi.opening(of: 0) == 2, "opened \(midi.opening(of: 0)) times, not twice")
        _ = rig.receiveMIDI()
        try send(.start, midi)
        rig.wait(cable)
        try require(rig.receiveMIDI(), is: [.start])
      },
    ]
  }

  static var fullMIDICases: [Case] {
    [
      outputCase("a full MIDI output accepts nothing of a message, and later whole messages again") { rig, midi in
        var messages: [MIDIMessage] = []
        var sending = MIDISending.sent
        while sending == .sent, messages.count < 100_000 {
          let message = MIDIMessage.songPosition(Int64(messages.count % 16_384))
          sending = midi.send(message, to: 0)
          if sending == .sent { messages.append(message) }
        }
        try require(sending == .full, "after \(messages.count) messages: \(sending)")
        rig.wait(.milliseconds(20))
        try require(rig.receiveMIDI(), is: messages)
        try send(.start, midi)
        try send(.clock, midi)
        rig.wait(cable)
        try require(rig.receiveMIDI(), is: [.start, .clock])
        try require(midi.opening(of: 0) == 1, "a full port was opened again")
      }
    ]
  }

  // MARK: Inputs

  private static var midiInputCases: [Case] {
    [
      inputCase("clock messages are read in order, with the instants of their arrival") { rig, board, inputs in
        var bounds: [(after: Instant, before: Instant)] = []
        for byte in [0xFA, 0xF8, 0xF8, 0xFC, 0xFB, 0xF8] as [UInt8] {
          let after = board.clock.now
          rig.sendMIDI([byte])
          rig.wait(cable)
          bounds.append((after, board.clock.now))
        }
        rig.wait(.milliseconds(50))
        let events = read(inputs)
        try require(events.map(\.text), says: ["start", "clock", "clock", "stop", "continue", "clock"])
        for (event, bound) in zip(events, bounds) {
          try require(
            bound.after <= event.instant && event.instant <= bound.before,
            "sent from \(bound.after.nanoseconds) to \(bound.before.nanoseconds), stamped \(event.instant.nanoseconds)")
        }
      },
      inputCase("clocks that nobody reads for seconds are kept") { rig, board, inputs in
        for _ in 0..<200 {
          rig.sendMIDI([0xF8])
          rig.wait(.milliseconds(10))
        }
        let events = read(inputs)
        try require(events.allSatisfy { $0.text == "clock" }, "other events than clocks")
        try require(events.count == 200, "\(events.count) of 200 clocks")
        let isOrdered = zip(events, events.dropFirst()).allSatisfy { $0.instant <= $1.instant }
        try require(isOrdered && events[199].instant <= board.clock.now, "instants that decrease or lie ahead")
      },
      inputCase("a pedal's controllers and notes are buttons, and its dials turn") { rig, _, inputs in
        try expect(rig, inputs, [0xB0, 64, 127], ["play down"])
        try require(inputs.isDown(.play, at: Rig.midiPedal), "not down")
        try expect(rig, inputs, [0xB0, 64, 0], ["play up"])
        try require(!inputs.isDown(.play, at: Rig.midiPedal), "still down")
        try expect(rig, inputs, [0x92, 60, 100], ["tap down"])
        try expect(rig, inputs, [0x92, 60, 0], ["tap up"])
        try expect(rig, inputs, [0xB0, 16, 3], ["tempo by 3"])
        try expect(rig, inputs, [0xB0, 16, 66], ["tempo by -2"])
        try expect(rig, inputs, [0xB0, 16, 64], [])
        try expect(rig, inputs, [0xC0, 4], ["program 5"])
        try expect(rig, inputs, [0xB0, 65, 127], [])
      },
      inputCase("a MIDI message may come in pieces") { rig, _, inputs in
        try expect(rig, inputs, [0xB0], [])
        try expect(rig, inputs, [64], [])
        try expect(rig, inputs, [127], ["play down"])
        try expect(rig, inputs, [0xB0, 64], [])
        try expect(rig, inputs, [0, 0x90, 60], ["play up"])
        try expect(rig, inputs, [1], ["tap down"])
        try expect(rig, inputs, [0x80, 60, 0], ["tap up"])
        try expect(rig, inputs, [0xF2, 3], [])
        try expect(rig, inputs, [1], ["songPosition(131)"])
      },
      inputCase("MIDI messages may have running status") { rig, _, inputs in
        try expect(rig, inputs, [0xB0, 64, 127, 64, 0, 64, 100], ["play down", "play up", "play down"])
        try expect(rig, inputs, [64, 0, 0x90, 60, 1, 60, 0], ["play up", "tap down", "tap up"])
      },
      inputCase("real-time bytes may come within other messages") { rig, _, inputs in
        try expect(rig, inputs, [0xF0, 1, 0xF8, 2, 0xFC, 3, 0xF7], ["clock", "stop"])
        try expect(rig, inputs, [0xB0, 0xF8, 64, 0xFA, 127], ["clock", "start", "play down"])
        try expect(rig, inputs, [0xB0, 64, 0, 0xF8], ["play up", "clock"])
      },
      Case(name: "an unplugged MIDI input releases its buttons, and works again when it is back") { rig, board in
        let inputs = try inputs(board)
        defer { try? rig.plugMIDI(of: board) }
        for _ in 0..<2 {
          try expect(rig, inputs, [0xFA, 0xB0, 64, 127], ["start", "play down"])
          // The rest of this message is lost.
          rig.sendMIDI([0x90])
          rig.wait(cable)
          try rig.pullMIDI(of: board)
          rig.wait(patience)
          let last = read(inputs).map(\.text)
          try require(last, says: ["interrupted"])
          try require(!inputs.isDown(.play, at: Rig.midiPedal), "held by an unplugged pedal")
          try rig.plugMIDI(of: board)
          rig.wait(patience)
          try expect(rig, inputs, [60, 100], [])
          try expect(rig, inputs, [0xF8, 0xB0, 64, 127, 64, 0], ["clock", "play down", "play up"])
        }
      },
    ]
  }

  // MARK: Support

  private static func outputCase(_ name: String, check: @escaping (Rig, Outputs) throws -> Void) -> Case {
    Case(name: name) { rig, board in try check(rig, try outputs(board)) }
  }

  private static func inputCase(_ name: String, check: @escaping (Rig, Rig.RiggedBoard, Inputs) throws -> Void) -> Case
  {
    Case(name: name) { rig, board in try check(rig, board, try inputs(board)) }
  }

  private static func outputs(_ board: Rig.RiggedBoard) throws -> Outputs {
    guard let midi = board.midi else { throw ConformanceFailure(description: "the board has no MIDI outputs") }
    return midi
  }

  private static func inputs(_ board: Rig.RiggedBoard) throws -> Inputs {
    guard let inputs = board.inputs else { throw ConformanceFailure(description: "the board has no inputs") }
    return inputs
  }

  private static func send(_ message: MIDIMessage, _ midi: Outputs) throws {
    let sending = midi.send(message, to: 0)
    try require(sending == .sent, "\(message.text): \(sending)")
  }

  private static func require(_ bytes: [UInt8], is messages: [MIDIMessage]) throws {
    let wanted = messages.flatMap { message in (0..<message.count).map { message[$0] } }
    let place = zip(bytes, wanted).prefix { $0 == $1 }.count
    try BoardConformance.require(
      bytes == wanted, "\(bytes.count) bytes arrived, \(wanted.count) were sent; they differ from byte \(place) on")
  }

  private struct Event {
    var text: String
    var instant: Instant
  }

  private static func expect(_ rig: Rig, _ inputs: Inputs, _ bytes: [UInt8], _ wanted: [String]) throws {
    rig.sendMIDI(bytes)
    rig.wait(cable)
    try require(read(inputs).map(\.text), says: wanted)
  }

  /// The events of the MIDI port. Others are not expected.
  private static func read(_ inputs: Inputs) -> [Event] {
    var events: [Event] = []
    while let event = inputs.next() {
      let text =
        switch event {
        case .edge(let edge): "\(edge.button) \(edge.direction)"
        case .turn(let turn): "\(turn.dial) by \(turn.detents)"
        case .interrupted: "interrupted"
        case .program(let number, _, _): "program \(number)"
        case .clock(let message): "\(message.kind)"
        }
      let isOfPort = event.origin == Rig.midiPedal || event.origin == .midiClock
      events.append(Event(text: isOfPort ? text : "\(text) at \(event.origin.number)", instant: event.instant))
    }
    return events
  }

  private static func require(_ events: [String], says expected: [String]) throws {
    try BoardConformance.require(events == expected, "got \(events), not \(expected)")
  }

  private static func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    try BoardConformance.require(condition, what())
  }
}
