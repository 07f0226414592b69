import Glibc
import HardwareAbstraction
import LinuxBoard
import MetronomeCore
import Testing

/// MIDI outputs that are removed, replaced, or do not accept what is sent. Pseudo-terminals are the ports, and the times are virtual.
@Suite(.serialized, .timeLimit(.minutes(1))) struct MIDIOutputTests {
  /// Ports, and what they have reported.
  private final class Outputs {
    let ports: MIDIPorts
    private let log = Log()
    private var wait: DescriptorWait
    private let start = LinuxClock().now
    private var filler: Int = 0

    private final class Log { var lines: [String] = [] }

    init(_ terminals: Terminal...) throws {
      ports = try MIDIPorts(Outputs.requests(terminals)) { [log] in log.lines.append($0) }
      wait = DescriptorWait([ports.descriptor])
    }

    static func requests(_ terminals: [Terminal]) -> [MIDIOutputRequest] {
      terminals.map { MIDIOutputRequest(.serial($0.path)) }
    }

    /// The lines since the last call.
    func notices() -> [String] {
      defer { log.lines = [] }
      return log.lines
    }

    func tend(after seconds: Double) { ports.tend(at: start + Nanoseconds(Int64(seconds * 1e9))) }

    /// Waits until a port is closed, which rings.
    func awaitClosing() throws { _ = try wait.wait(until: nil) }

    /// Sends until the port is full. Returns how many messages it has accepted.
    @discardableResult
    func fill() -> Int {
      var count = 0
      while ports.send(.songPosition(0), to: 0) == .sent { count += 1 }
      return count
    }

    func replace(_ terminals: Terminal...) { ports.replace(Outputs.requests(terminals)) }
  }

  @Test func theLastMessagesLeaveBeforeThePortIsClosed() throws {
    let terminal = try Terminal()
    let outputs = try Outputs(terminal)
    #expect(outputs.notices() == ["the MIDI output \(terminal.path) is connected as \(terminal.path)"])
    #expect(outputs.ports.send(.clock, to: 0) == .sent)
    #expect(outputs.ports.send(MIDIMessage(0x89, 76, 0), to: 0) == .sent)
    #expect(outputs.ports.send(.stop, to: 0) == .sent)
    outputs.ports.release()
    #expect(terminal.receive(5) == [0xF8, 0x89, 76, 0, 0xFC])
    #expect(outputs.ports.opening(of: 0) == 0 && outputs.ports.send(.clock, to: 0) == .missing)
  }

  @Test func anUnchangedDeviceStaysOpenUnderAnotherNumber() throws {
    let (a, b, c) = (try Terminal(), try Terminal(), try Terminal())
    let outputs = try Outputs(a, b)
    _ = outputs.notices()
    outputs.replace(c, b)
    // The thread that sends still has the old list.
    outputs.tend(after: 0.1)
    #expect(outputs.ports.send(.stop, to: 0) == .sent && outputs.ports.send(.clock, to: 1) == .sent)
    #expect(outputs.notices().isEmpty && outputs.ports.count == 2)
    outputs.ports.use(outputs.ports.list)
    // Nothing more reaches the port that is removed, nor, before it is open, the new one.
    #expect(outputs.ports.send(.clock, to: 0) == .missing && outputs.ports.send(.start, to: 1) == .sent)
    outputs.tend(after: 0.2)
    #expect(outputs.notices() == ["the MIDI output \(c.path) is connected as \(c.path)"])
    #expect(outputs.ports.send(.continue, to: 0) == .sent)
    #expect(a.receive(1) == [0xFC] && b.receive(2) == [0xF8, 0xFA] && c.receive(1) == [0xFB])
    #expect(outputs.ports.opening(of: 1) == 1)
  }

  /// A second reload may come before the thread that sends has seen the first one.
  @Test func onlyTheNewestListIsOpened() throws {
    let (a, b) = (try Terminal(), try Terminal())
    let outputs = try Outputs(a)
    _ = outputs.notices()
    outputs.replace(b)
    let skipped = outputs.ports.list
    outputs.replace()
    outputs.ports.use(skipped)
    outputs.tend(after: 0.1)
    #expect(outputs.ports.opening(of: 0) == 0 && outputs.notices().isEmpty)
    outputs.ports.use(outputs.ports.list)
    outputs.replace(a)
    outputs.ports.use(outputs.ports.list)
    // It is not opened while it is being closed.
    while outputs.ports.opening(of: 0) == 0 {
      try outputs.awaitClosing()
      outputs.tend(after: 0.2)
    }
    #expect(outputs.notices() == ["the MIDI output \(a.path) is connected as \(a.path)"])
    #expect(outputs.ports.send(.start, to: 0) == .sent && a.receive(1) == [0xFA])
  }

  @Test func aPortThatAcceptsNothingIsReportedOnceAndRetriedMoreAndMoreRarely() throws {
    let terminal = try Terminal()
    let outputs = try Outputs(terminal)
    _ = outputs.notices()
    let capacity = outputs.fill()
    #expect(capacity > 0)
    var now = 1.0
    for (attempt, pause) in [1.0, 2, 4, 8, 16, 32, 60, 60].enumerated() {
      outputs.tend(after: now)
      #expect(outputs.fill() == 0)
      outputs.tend(after: now + 1.9)
      #expect(outputs.ports.opening(of: 0) == UInt32(attempt + 1))
      outputs.tend(after: now + 2)
      #expect(outputs.ports.opening(of: 0) == 0)
      let refusal = "the MIDI output \(terminal.path) does not work: it accepts no more bytes"
      let notices = outputs.notices()
      #expect(notices.count == (attempt == 0 ? 1 : 0) && notices.allSatisfy { $0.hasPrefix(refusal) })
      try outputs.awaitClosing()
      outputs.tend(after: now + 2 + pause - 0.1)
      #expect(outputs.ports.opening(of: 0) == 0)
      now += 2 + pause
      outputs.tend(after: now)
      #expect(outputs.ports.opening(of: 0) == UInt32(attempt + 2))
      _ = outputs.fill()
    }
    #expect(outputs.notices().isEmpty)
    // How many bytes are on their way depends on the kernel's worker.
    while outputs.ports.send(.clock, to: 0) != .sent { _ = terminal.receive(1) }
    outputs.tend(after: now + 9.9)
    #expect(outputs.notices().isEmpty)
    outputs.tend(after: now + 10)
    #expect(outputs.notices() == ["the MIDI output \(terminal.path) works again"])
    #expect(outputs.ports.opening(of: 0) == 9)
  }

  @Test func aPortWhoseWritesFailIsReportedOnce() throws {
    let terminal = try Terminal()
    let outputs = try Outputs(terminal)
    _ = outputs.notices()
    // The link stays, as of a port that exists without its device.
    terminal.hangUp()
    // Between fork and exec, a process that another test starts has this end of the terminal as well.
    while outputs.ports.send(.clock, to: 0) != .missing {}
    outputs.tend(after: 1)
    #expect(outputs.ports.opening(of: 0) == 0)
    #expect(outputs.notices().count == 1)
    for second in 2..<200 { outputs.tend(after: Double(second)) }
    #expect(outputs.notices().count <= 1)
  }

  @Test func aPortThatReturnsIsOpenedAtOnce() throws {
    let terminal = try Terminal()
    let outputs = try Outputs(terminal)
    for attempt in 1...3 {
      #expect(outputs.notices().last == "the MIDI output \(terminal.path) is connected as \(terminal.path)")
      #expect(outputs.ports.opening(of: 0) == UInt32(attempt))
      terminal.unplug()
      while outputs.ports.send(.clock, to: 0) != .missing {}
      outputs.tend(after: Double(attempt))
      #expect(outputs.notices().first == "the MIDI output \(terminal.path) was removed; waiting for it")
      try terminal.plug()
      while outputs.ports.opening(of: 0) == 0 {
        try outputs.awaitClosing()
        outputs.tend(after: Double(attempt) + 0.1)
      }
    }
  }
}

/// When a port is judged not to work, and when it is tried again.
@Suite struct PortTrialTests {
  private typealias Record = PortTrial.Record

  private static func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  @Test func pausesDoubleUpToAMinuteAndBeginAnewWhenThePortWorks() {
    var trial = PortTrial()
    var now = PortTrialTests.at(0)
    for round in 0..<2 {
      for (attempt, pause) in [1, 2, 4, 8, 16, 32, 60, 60].enumerated() {
        trial.opened(at: now)
        #expect(trial.retry == nil)
        #expect(trial.fail(at: now) == (attempt == 0))
        #expect(trial.deadline == now + .seconds(Int64(pause)) && trial.retry == trial.deadline && trial.isFailing)
        now = now + .seconds(Int64(pause))
      }
      trial.opened(at: now)
      #expect(trial.judge(Record(accepted: 1, refused: 0, queued: 0), at: now + .seconds(9)) == .open)
      #expect(trial.judge(Record(accepted: 1, refused: 0, queued: 0), at: now + .seconds(10)) == .works)
      #expect(!trial.isFailing && trial.deadline == nil, "round \(round)")
    }
  }

  @Test func aPortThatOnlyFillsItsBufferDoesNotWork() {
    for (queued, verdict) in [(0, PortTrial.Verdict.open), (128, .open), (129, .stuck)] {
      var trial = PortTrial()
      trial.opened(at: PortTrialTests.at(0))
      let record = Record(accepted: 500, refused: 0, queued: queued)
      #expect(trial.judge(record, at: PortTrialTests.at(9)) == .open)
      #expect(trial.judge(record, at: PortTrialTests.at(10)) == verdict)
    }
  }

  @Test func aPortToWhichNothingWasSentIsNotJudged() {
    var trial = PortTrial()
    trial.opened(at: PortTrialTests.at(0))
    _ = trial.fail(at: PortTrialTests.at(0))
    trial.opened(at: PortTrialTests.at(1))
    for second in 2...60 {
      #expect(trial.judge(Record(accepted: 0, refused: 0, queued: 0), at: PortTrialTests.at(Int64(second))) == .open)
    }
    #expect(trial.isFailing && trial.deadline == PortTrialTests.at(61))
    #expect(trial.judge(Record(accepted: 9, refused: 0, queued: 3), at: PortTrialTests.at(61)) == .works)
  }

  @Test func aFullBufferThatEmptiesIsNoFailure() {
    var trial = PortTrial()
    trial.opened(at: PortTrialTests.at(0))
    #expect(trial.judge(Record(accepted: 900, refused: 1, queued: 4_096), at: PortTrialTests.at(1)) == .open)
    #expect(trial.deadline == PortTrialTests.at(3))
    // It has accepted a message in between.
    #expect(trial.judge(Record(accepted: 901, refused: 50, queued: 4_096), at: PortTrialTests.at(3)) == .open)
    #expect(trial.deadline == PortTrialTests.at(5))
    // Nobody has tried since.
    #expect(trial.judge(Record(accepted: 901, refused: 50, queued: 4_096), at: PortTrialTests.at(5)) == .open)
    #expect(trial.deadline == PortTrialTests.at(10))
    #expect(trial.judge(Record(accepted: 901, refused: 51, queued: 4_096), at: PortTrialTests.at(6)) == .open)
    #expect(trial.judge(Record(accepted: 901, refused: 52, queued: 4_096), at: PortTrialTests.at(7)) == .open)
    #expect(trial.judge(Record(accepted: 901, refused: 53, queued: 4_096), at: PortTrialTests.at(8)) == .stuck)
  }
}
