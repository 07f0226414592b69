import MetronomeCore

/// Invariants of the parser of received MIDI bytes, and of the follower of the clocks in them.
enum StreamPromises {
  /// Every clock byte is a clock, wherever it is. Real-time bytes do not change what the others mean. The follower's positions
  /// go forward within an epoch, unless a new tempo gives the last clocks other numbers. Its tempo stays between 1 and 999 quarters
  /// per minute.
  static func check(_ bytes: [UInt8]) {
    require(MemoryLayout<MIDIParser>.size <= 4, "the parser has \(MemoryLayout<MIDIParser>.size) bytes")
    let events = parsed(bytes)
    for (byte, kind) in [(UInt8(0xF8), ClockMessage.Kind.clock), (0xFA, .start), (0xFB, .continue), (0xFC, .stop)] {
      let sent = bytes.filter { $0 == byte }.count
      let found = events.filter { $0 == .clock(kind) }.count
      require(sent == found, "\(found) of \(sent) messages \(kind)")
    }
    require(
      events.filter { !isRealTime($0) } == parsed(bytes.filter { $0 < 0xF8 }), "real-time bytes change other messages")
    for event in events { check(event) }
    follow(bytes)
  }

  private static func parsed(_ bytes: [UInt8]) -> [MIDIEvent] {
    var parser = MIDIParser()
    return bytes.compactMap { parser.receive($0) }
  }

  private static func isRealTime(_ event: MIDIEvent) -> Bool {
    switch event {
    case .clock(.songPosition): false
    case .clock: true
    default: false
    }
  }

  private static func check(_ event: MIDIEvent) {
    let isInRange =
      switch event {
      case .clock(.songPosition(let sixteenths)): (0..<0x4000).contains(sixteenths)
      case .clock: true
      case .note(let number, _, let channel): (0...127).contains(number) && (1...16).contains(channel)
      case .control(let number, let value, let channel):
        (0...127).contains(number) && (0...127).contains(value) && (1...16).contains(channel)
      case .program(let number, let channel): (1...128).contains(number) && (1...16).contains(channel)
      }
    require(isInRange, "out of range: \(event)")
  }

  /// Each byte comes after a time that depends on the byte before: none at all, up to 255 µs, or up to 127 ms. The time of a
  /// stamp may also be earlier than the last one.
  private static func follow(_ bytes: [UInt8]) {
    var (parser, follower) = (MIDIParser(), ClockFollower())
    var now: Int64 = 1_000_000_000
    var last: BeatObservation?
    func receive(_ observation: BeatObservation) {
      let milliBPM = 60_000 * 1_000_000_000_000_000 / Double(observation.period)
      require((999.9...999_000.5).contains(milliBPM), "\(milliBPM) thousandths of a BPM")
      if let last, last.epoch == observation.epoch, last.changes == observation.changes {
        require(observation.quarter >= last.quarter, "position \(observation.quarter) after \(last.quarter)")
      }
      last = observation
    }
    for (before, byte) in zip([0] + bytes, bytes) {
      switch before & 3 {
      case 0: break
      case 1: now += Int64(before) * 1_000
      case 2: now += Int64(before >> 1) * 1_000_000
      default: now -= Int64(before) * 100
      }
      if let deadline = follower.deadline, deadline <= Instant(nanoseconds: now) {
        if let withdrawn = follower.check(at: Instant(nanoseconds: now)) { receive(withdrawn) }
      }
      guard case .clock(let kind) = parser.receive(byte) else { continue }
      guard let observation = follower.receive(ClockMessage(kind, at: Instant(nanoseconds: now))) else { continue }
      receive(observation)
    }
  }
}
