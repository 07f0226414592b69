import Glibc
import HardwareAbstraction
import LinuxBoard
import MetronomeCore
import Testing

/// A serial MIDI input: its real-time thread, the instants of its bytes, and its queue. A pseudo-terminal is the port.
@Suite(.serialized, .timeLimit(.minutes(1))) struct SerialInputTests {
  private static let byteTime = Nanoseconds.microseconds(320)

  /// The inputs of a box, and what they have reported.
  private final class Inputs {
    let devices: EventDevices
    private let log = Log()
    private var wait: DescriptorWait

    private final class Log { var lines: [String] = [] }

    var notices: [String] { log.lines }

    init(_ requests: [InputRequest] = [], clock: MIDIDevice?) throws {
      devices = try EventDevices(requests, clock: clock) { [log] in log.lines.append($0) }
      wait = DescriptorWait([devices.descriptor])
    }

    /// Waits for events and reads them, until there is this number.
    func read(_ count: Int) throws -> [InputEvent] {
      var events: [InputEvent] = []
      while events.count < count {
        _ = try wait.wait(until: nil)
        while let event = devices.next() { events.append(event) }
      }
      return events
    }

    func awaitDescriptor() throws { _ = try wait.wait(until: nil) }
  }

  /// Waits until this number of threads reads serial inputs, at most 50 seconds: a new thread has its name only after a moment,
  /// and a thread that was joined may still be listed for a moment. Returns false if the time is over.
  private func awaitReaders(_ expected: Int) -> Bool {
    let end = LinuxClock().now + .seconds(50)
    while readers != expected, LinuxClock().now < end { sched_yield() }
    return readers == expected
  }

  /// The number of threads that read serial inputs.
  private var readers: Int {
    guard let folder = opendir("/proc/self/task") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(cString: $0.bindMemory(to: CChar.self).baseAddress!)
      }
      guard let file = fopen("/proc/self/task/\(name)/comm", "r") else { continue }
      var line = [CChar](repeating: 0, count: 32)
      if fgets(&line, 32, file) != nil, strcmp(line, "midi in\n") == 0 { count += 1 }
      fclose(file)
    }
    return count
  }

  private func kinds(_ events: [InputEvent]) -> [ClockMessage.Kind] {
    events.compactMap { if case .clock(let message) = $0 { message.kind } else { nil } }
  }

  @Test func clocksAreStampedWhenTheyArriveAndNotWhenTheyAreRead() throws {
    let terminal = try Terminal()
    let inputs = try Inputs(clock: .serial(terminal.path))
    #expect(inputs.notices == ["the MIDI input \(terminal.path) is connected as \(terminal.path)"])
    let clock = LinuxClock()
    let before = clock.now
    terminal.send(0xFA)
    try inputs.awaitDescriptor()
    let after = clock.now
    // A control thread that is busy for longer than a byte lasts.
    while clock.now < after + SerialInputTests.byteTime * 3 {}
    let events = try inputs.read(1)
    #expect(kinds(events) == [.start])
    #expect(events[0].instant >= before - SerialInputTests.byteTime)
    #expect(events[0].instant <= after - SerialInputTests.byteTime)
  }

  @Test func instantsNeverDecreaseAcrossReads() throws {
    let terminal = try Terminal()
    let inputs = try Inputs(clock: .serial(terminal.path))
    var events: [InputEvent] = []
    for _ in 0..<20 {
      // The terminal is faster than 31,250 baud: three bytes of the second write would have begun before the first one was read.
      terminal.send(0xF8)
      events += try inputs.read(1)
      terminal.send(0xF8, 0xF8, 0xF8)
      events += try inputs.read(3)
    }
    #expect(kinds(events) == Array(repeating: .clock, count: 80))
    let now = LinuxClock().now
    for (former, next) in zip(events, events.dropFirst()) { #expect(former.instant <= next.instant) }
    #expect(events.allSatisfy { $0.instant < now })
  }

  @Test func messagesOfAPedalMayBeSplit() throws {
    let terminal = try Terminal()
    let request = InputRequest(.midi(.serial(terminal.path)), keys: [.controller(64): .play])
    let inputs = try Inputs([request], clock: .serial(terminal.path))
    #expect(awaitReaders(1))
    terminal.send(0xB0, 64, 0xF8)
    let first = try inputs.read(1)
    terminal.send(127, 64, 0)
    let rest = try inputs.read(2)
    #expect(kinds(first) == [.clock])
    #expect(
      rest.map(\.instant) == rest.map(\.instant).sorted() && rest.count == 2 && rest[0].origin == Origin(number: 1))
  }

  @Test func aPortThatIsRemovedEndsItsThreadAndWorksAgain() throws {
    let terminal = try Terminal()
    let request = InputRequest(.midi(.serial(terminal.path)), keys: [.controller(64): .play])
    #expect(awaitReaders(0))
    let inputs = try Inputs([request], clock: nil)
    #expect(awaitReaders(1))
    for _ in 0..<3 {
      terminal.send(0xB0, 64, 127)
      #expect(try inputs.read(1).count == 1)
      #expect(inputs.devices.isDown(.play, at: Origin(number: 1)))
      let count = inputs.notices.count
      terminal.unplug()
      let last = try inputs.read(1)
      #expect(last.map(\.origin) == [Origin(number: 1)])
      #expect(!inputs.devices.isDown(.play, at: Origin(number: 1)))
      #expect(awaitReaders(0))
      #expect(inputs.notices.dropFirst(count).first?.hasSuffix("was removed; waiting for it") == true)
      try terminal.plug()
      // The open port is logged; its thread may have its name only later.
      while inputs.notices.last?.contains("is connected as") != true {
        try inputs.awaitDescriptor()
        #expect(inputs.devices.next() == nil)
      }
      #expect(awaitReaders(1))
    }
    inputs.devices.release()
    #expect(awaitReaders(0))
  }

  @Test func withoutASerialInputThereIsNoThread() throws {
    let inputs = try Inputs(clock: .named("absent"))
    #expect(awaitReaders(0))
    withExtendedLifetime(inputs) {}
  }

  @Test func aFullQueueDiscardsNewBytesAndCountsThem() {
    let ring = StampedRing()
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1_000)
    defer { bytes.deallocate() }
    for index in 0..<1_000 { bytes[index] = UInt8(truncatingIfNeeded: index) }
    #expect(ring.take() == nil)
    // The queue is not empty at the beginning of its storage.
    let start = Instant.zero + .seconds(1)
    var last = ring.append(bytes[..<10], at: start, after: .zero)
    for index in 0..<10 {
      let instant = start - SerialInputTests.byteTime * Int64(10 - index)
      #expect(ring.take() == StampedByte(UInt8(index), at: instant))
    }
    for _ in 0..<5 { last = ring.append(bytes[...], at: start + .seconds(1), after: last) }
    #expect(ring.overflows == UInt64(5_000 - StampedRing.capacity))
    for index in 0..<StampedRing.capacity {
      let byte = ring.take()
      if byte?.byte != UInt8(truncatingIfNeeded: index % 1_000) {
        Issue.record("byte \(index) is \(String(describing: byte))")
      }
    }
    #expect(ring.take() == nil)
    _ = ring.append(bytes[..<1], at: start + .seconds(2), after: last)
    #expect(ring.take() == StampedByte(0, at: start + .seconds(2) - SerialInputTests.byteTime))
  }

  /// Two threads: nothing is lost, doubled or torn while there is room.
  @Test func bytesPassBetweenThreadsInOrder() throws {
    let ring = StampedRing()
    let count = 200_000
    let writer = try BlockingThread(name: "test") {
      let byte = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1)
      defer { byte.deallocate() }
      var number = 0
      while number < count {
        byte[0] = UInt8(truncatingIfNeeded: number)
        let overflows = ring.overflows
        _ = ring.append(byte[...], at: Instant(nanoseconds: Int64(number) + 320_000), after: .zero)
        if ring.overflows == overflows { number += 1 } else { sched_yield() }
      }
    }
    var wrong = 0
    var number = 0
    while number < count {
      guard let byte = ring.take() else {
        sched_yield()
        continue
      }
      let wanted = StampedByte(UInt8(truncatingIfNeeded: number), at: Instant(nanoseconds: Int64(number)))
      if byte != wanted { wrong += 1 }
      number += 1
    }
    #expect(wrong == 0)
    #expect(ring.take() == nil)
    #expect(writer.join(until: LinuxClock().now + .seconds(60)))
  }
}
