import BoardSimulation
import ControlSocket
import HardwareAbstraction
import MetronomeControl
import MetronomeCore
import MetronomeEngine

/// The other programs around a simulated box: those that give the commands of a script, and one that reports a Link session, as
/// `metronome-link` does.
///
/// They send the messages of the control socket. A message wakes the control loop, and is answered after its step, as on the real box.
/// Only the socket is left out. While the box is off, messages are lost.
package final class OtherPrograms {
  /// How often the session is reported, and how soon after a change.
  private static let interval = Nanoseconds.milliseconds(250)
  private static let delay = Nanoseconds.milliseconds(5)
  /// By how much the raw clock is ahead of the monotonic one.
  private static let rawOffset = Nanoseconds.seconds(1_000)

  /// Called with each message before it is answered.
  package var answering: (ControlMessage) -> Void = { _ in }
  /// Called with each message and its answers.
  package var exchanged: (_ request: ControlMessage, _ answers: [ControlMessage]) -> Void = { _, _ in }
  /// Called with each message `wish`, before the session follows it.
  package var wished: (ControlMessage) -> Void = { _ in }

  private unowned let simulation: Simulation
  private let refused: (String) -> Void
  private var handler: ControlHandler<SimulatedBoard, TraceRecorder>?
  private var publisher: ControlPublisher<SimulatedBoard, TraceRecorder>?
  /// The messages that were not answered yet.
  private var inbox: [(role: ControlRole, message: ControlMessage)] = []
  private var session: LinkSession?
  /// Why the last report of the session was refused; nil: it was accepted.
  private var sourceRefusal: String?
  private var epoch: Int64 = 0
  /// Differs after each change of the session, so that older reports are not sent.
  private var change = 0

  /// - Parameter refused: receives one line about each command that is refused, and about reports of the session that are refused.
  init(_ simulation: Simulation, refused: @escaping (String) -> Void) {
    (self.simulation, self.refused) = (simulation, refused)
  }

  private var now: Instant { simulation.board.clock.now }

  /// Connects with a metronome that has just started.
  func connect() {
    let clock = simulation.board.clock
    let handler = ControlHandler(
      simulation.engine.control, saver: simulation.engine.saver, program: "simulation",
      clocks: { ClockPair(monotonic: clock.now, raw: clock.now + OtherPrograms.rawOffset) }, health: { BoxHealth() })
    self.handler = handler
    publisher = ControlPublisher(simulation.engine.control, handler)
    inbox = []
  }

  /// Carries out a line of the script now.
  func perform(_ control: ScriptedControl) {
    switch control {
    case .command(let words, let ago):
      let at = ago == .zero ? nil : String((now - ago).nanoseconds)
      send(ControlMessage("do", ["command": words, "at": at]), as: .owner)
      return
    case .join(let tempo):
      epoch += 1
      session = LinkSession(milliBPM: tempo, at: now)
    case .tempo(let tempo): session?.setTempo(milliBPM: tempo, at: now)
    case .step(let time): session?.step(by: time)
    case .jump(let quarters):
      epoch += 1
      session?.jump(by: Int64(quarters) * 1_000)
    case .start: session?.setPlaying(true, barLength: barLength, at: now)
    case .stop: session?.setPlaying(false, barLength: barLength, at: now)
    case .leave:
      if session != nil { send(ControlMessage("source", ["peers": "0"]), as: .link) }
      session = nil
    case .vanish: session = nil
    }
    reportSoon()
  }

  /// Answers the messages that have arrived. The control thread calls it after each of its steps.
  func serve(at now: Instant) {
    guard let handler else { return }
    let messages = inbox
    inbox = []
    for (role, message) in messages {
      var client = ControlClient(role: role)
      let bytes = message.bytes
      answering(message)
      let answers = handler.answer(bytes.count > ControlMessage.longestRequest ? [] : bytes, from: &client, at: now)
      exchanged(message, answers)
      reportRefusal(of: message, answers.first?["why"])
    }
    guard let wish = publisher?.wish(at: now) else { return }
    wished(wish)
    carryOut(wish)
  }

  /// Reports why a message is refused; nil: it is not. The session is reported four times a second: the same reason counts once.
  private func reportRefusal(of message: ControlMessage, _ why: String?) {
    if message.word == "do", let why {
      refused("the command \(quoted(message["command"] ?? "")) is refused: \(why)")
    } else if message.word == "source" {
      if let why, why != sourceRefusal { refused("the Link session is refused: \(why)") }
      sourceRefusal = why
    }
  }

  /// The session follows our tempo, and our transport if it is shared.
  private func carryOut(_ wish: ControlMessage) {
    guard session != nil else { return }
    if let tempo = wish["tempo"].flatMap({ thousandths(ofDecimal: $0) }) {
      session?.setTempo(milliBPM: tempo, at: now)
    }
    if let playing = wish["playing"], session?.isPlaying != nil {
      session?.setPlaying(playing == "1", barLength: barLength, at: now)
    }
    reportSoon()
  }

  /// The bar of the metronome, in millionths of a quarter.
  private var barLength: Int64 {
    let signature = simulation.engine.control.state.signature
    return Int64(signature.numerator) * 4_000_000 / Int64(signature.denominator)
  }

  private func send(_ message: ControlMessage, as role: ControlRole) {
    guard simulation.isOn else { return }
    inbox.append((role, message))
    simulation.hostHasWork()
  }

  private func reportSoon() {
    change += 1
    report(at: now + OtherPrograms.delay, change)
  }

  private func report(at instant: Instant, _ change: Int) {
    simulation.schedule(at: instant) { [weak self] in
      guard let self, change == self.change, let session else { return }
      send(session.report(at: now, epoch: epoch, rawOffset: OtherPrograms.rawOffset), as: .link)
      report(at: now + OtherPrograms.interval, change)
    }
  }
}

/// The beats and the transport of a Link session.
private struct LinkSession {
  /// A position in millionths of a quarter, and when it is reached.
  private var quarter: Int64 = 0
  private var instant: Instant
  /// Picoseconds per quarter.
  private var period: Int64
  /// Whether its transport plays; nil: it is not shared.
  private(set) var isPlaying: Bool?
  /// When the transport changes, or has changed last.
  private var changesAt = Instant.zero

  init(milliBPM: Int, at now: Instant) {
    instant = now
    period = LinkSession.period(milliBPM: milliBPM)
  }

  /// Rounded up: the box refuses a shorter period than that of 999 quarters per minute.
  private static func period(milliBPM: Int) -> Int64 { (60_000_000_000_000_000 - 1) / Int64(milliBPM) + 1 }

  private func quarter(at now: Instant) -> Int64 {
    quarter + Int64(Int128((now - instant).count) * 1_000_000_000 / Int128(period))
  }

  mutating func setTempo(milliBPM: Int, at now: Instant) {
    (quarter, instant) = (quarter(at: now), now)
    period = LinkSession.period(milliBPM: milliBPM)
  }

  mutating func step(by time: Nanoseconds) { instant = instant + time }
  mutating func jump(by quarters: Int64) { quarter += quarters }

  /// Starts at the next bar line, or stops at once.
  mutating func setPlaying(_ isPlaying: Bool, barLength: Int64, at now: Instant) {
    guard isPlaying != self.isPlaying else { return }
    self.isPlaying = isPlaying
    changesAt = now
    guard isPlaying else { return }
    let barLine = (quarter(at: now) + barLength - 1) / barLength * barLength
    changesAt = instant + Nanoseconds(Int64(Int128(barLine - quarter) * Int128(period) / 1_000_000_000))
  }

  func report(at now: Instant, epoch: Int64, rawOffset: Nanoseconds) -> ControlMessage {
    let raw = now + rawOffset
    let micros = "\(period / 1_000_000).\(String(1_000_000 + period % 1_000_000).dropFirst())"
    var message = ControlMessage(
      "source",
      [
        "epoch": String(epoch), "quarter": String(quarter(at: now)), "at-raw": String(raw.nanoseconds),
        "us-per-quarter": micros, "playing": isPlaying == false ? "0" : "1", "peers": "1",
      ])
    guard isPlaying != nil else { return message }
    message.append("transport", "1")
    let change = changesAt + rawOffset
    if raw - change < .seconds(60) { message.append("play-at-raw", String(change.nanoseconds)) }
    return message
  }
}
