import BoardCheck
import CLibrary
import HardwareAbstraction
import LinuxBoard
import MetronomeCore
import MetronomeEngine

/// Sends a MIDI clock with the unchanged loop of the box, on its own kind of thread, and receives it through a cable.
struct MIDIBench {
  /// The time from the start of the thread to the first clock.
  private static let lead = Nanoseconds.milliseconds(100)
  /// How long the last clock may be under way.
  private static let travel = Nanoseconds.milliseconds(300)
  private static let clocksPerQuarter: Int64 = 24

  let output: MIDIDevice
  let input: MIDIDevice
  let tempo: Tempo
  let length: Nanoseconds

  /// - Throws: `Failure` if a port cannot be used, or if nothing comes back.
  func result() throws -> MIDIResult {
    do { return try measure() } catch let error as SystemError {
      throw Failure("\(error.call): \(reason(error.errno))", 69)
    }
  }

  private func measure() throws -> MIDIResult {
    let log = Log()
    let inputs = try EventDevices([], clock: input) { log.lines.append($0) }
    defer { inputs.release() }
    guard inputs.isClockOpen else { throw log.refusal }
    let ports = try MIDIPorts([MIDIOutputRequest(output)]) { log.lines.append($0) }
    defer { ports.release() }
    guard ports.opening(of: 0) > 0 else { throw log.refusal }
    _ = lockMemory()
    let latency = WakeupLatencyRequest()
    defer { _ = latency.grant }
    return try result(of: play(on: ports, inputs))
  }

  private func result(of played: Played) throws -> MIDIResult {
    if played.arrivals.isEmpty {
      throw Failure(
        "no clock came back at the MIDI input \(shownName(input.name)): connect the output \(shownName(output.name)) to it with a"
          + " cable, or name the port that has the cable with --midi-in", 69)
    }
    let figures = MIDIFigures(
      played.recorder.clocks, unsent: played.recorder.unsent, arrivals: played.arrivals,
      clockLength: MIDIBench.clockLength(tempo))
    return MIDIResult(
      machine: BenchRun.machine(played.rights, priority: RealTimeThread.midiPriority, isLoaded: false),
      output: shownName(output.name), input: shownName(input.name), tempo: tempo, length: length, figures: figures,
      notices: BenchRun.notices(of: played.rights))
  }

  /// What was sent, with which rights of the thread, and when clocks arrived.
  private struct Played {
    var recorder: ClockRecorder
    var rights: Grant
    var arrivals: [Instant]
  }

  /// Plays the metronome.
  private func play(on ports: MIDIPorts, _ inputs: EventDevices) throws(SystemError) -> Played {
    let recorder = ClockRecorder(ports, capacity: Int(length.count / MIDIBench.clockLength(tempo).count) + 100)
    let publication = TimelinePublication()
    var plan = MIDIPlan()
    plan.list = ports.list
    plan.sendsWhenStopped = false
    let loop = MIDIClockLoop(recorder, publication: publication, plan: Publication(plan), observer: recorder)
    let start = LinuxClock().now + MIDIBench.lead
    publication.publish(Timeline(session: 1, firstBeat: start, tempo: tempo, bar: Bar(.initial)))
    let thread = try LoopThread(
      name: "midi", priority: RealTimeThread.midiPriority, isExact: { loop.isExact }, step: { loop.step(at: $0) })
    defer { thread.stop() }
    thread.setSpinning(true)
    var arrivals = try MIDIBench.receive(inputs, until: start + length - MIDIBench.clockLength(tempo) / 2)
    publication.publish(.stopped)
    thread.ring()
    arrivals += try MIDIBench.receive(inputs, until: start + length + MIDIBench.travel)
    return Played(recorder: recorder, rights: thread.scheduling, arrivals: arrivals)
  }

  /// The instants of the clocks that arrive until a deadline.
  private static func receive(_ inputs: EventDevices, until deadline: Instant) throws(SystemError) -> [Instant] {
    var wait = DescriptorWait([inputs.descriptor])
    var arrivals: [Instant] = []
    repeat {
      while let event = inputs.next() {
        if case .clock(let message) = event, message.kind == .clock { arrivals.append(message.instant) }
      }
    } while try wait.wait(until: deadline)
    return arrivals
  }

  static func clockLength(_ tempo: Tempo) -> Nanoseconds {
    Nanoseconds(60_000_000_000_000 / Int64(tempo.milliBPM) / clocksPerQuarter)
  }

  /// What the ports report.
  private final class Log {
    var lines: [String] = []

    /// Why the port that was opened last cannot be used. This program does not wait for it.
    var refusal: Failure {
      var text = lines.last ?? "the MIDI port cannot be used"
      if text.hasPrefix("waiting for ") { text = "there is no such port: " + text.dropFirst("waiting for ".count) }
      if text.hasSuffix("; waiting for it") { text.removeLast("; waiting for it".count) }
      return Failure(text, 69)
    }
  }
}

/// Sits between the MIDI loop and its port, and records when each clock was due and when the port had accepted it. Allocates only in
/// `init`. Used on the loop's thread until the thread has ended.
///
/// `@unchecked Sendable`: no other thread uses it before that.
private final class ClockRecorder: MIDIOutputs, EngineObserver, @unchecked Sendable {
  private let ports: MIDIPorts
  private let clock = LinuxClock()
  private let entries: UnsafeMutableBufferPointer<SentClock>
  private var number = 0
  private var accepted = Instant.zero
  private(set) var unsent = 0

  init(_ ports: MIDIPorts, capacity: Int) {
    self.ports = ports
    entries = .allocate(capacity: capacity)
    // Prefaults the pages.
    entries.initialize(repeating: SentClock(due: .zero, sent: .zero))
  }

  deinit { entries.deallocate() }

  var clocks: [SentClock] { Array(entries[..<number]) }

  var list: MIDIPortList { ports.list }

  func use(_ list: MIDIPortList) { ports.use(list) }

  var count: Int { ports.count }

  func opening(of port: Int) -> UInt32 { ports.opening(of: port) }

  func send(_ message: MIDIMessage, to port: Int) -> MIDISending {
    let sending = ports.send(message, to: port)
    accepted = clock.now
    return sending
  }

  func sent(_ message: MIDIMessage, port: Int, late: Nanoseconds, at now: Instant) {
    guard message == .clock, number < entries.count else { return }
    entries[number] = SentClock(due: now - late, sent: accepted)
    number += 1
  }

  func lostClocks(_ count: Int64, port: Int, at now: Instant) { unsent += Int(count) }
}
