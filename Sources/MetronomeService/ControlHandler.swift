import ControlSocket
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine

/// Answers the messages of the control socket for one metronome: see `Documentation/ControlSocket.md`. It never waits. Used on the
/// control thread.
public final class ControlHandler<B: Board, Observer: EngineObserver> {
  /// Instants of a press or of a source must not be further from now.
  private static var tolerance: Nanoseconds { .seconds(2) }
  private static var mostSections: Int { 200 }

  private let control: ControlLoop<B, Observer>
  private let saver: StateSaver<Observer>?
  private let program: String
  private let clocks: () -> ClockPair
  private let health: () -> BoxHealth
  /// Whether a client has subscribed since the last publication, so that the next one is due at once.
  fileprivate var hasNewSubscribers = false

  /// - Parameters:
  ///   - program: the version of the program.
  ///   - clocks: reads both clocks.
  ///   - health: the condition of the box.
  public init(
    _ control: ControlLoop<B, Observer>, saver: StateSaver<Observer>?, program: String,
    clocks: @escaping () -> ClockPair, health: @escaping () -> BoxHealth
  ) {
    (self.control, self.saver, self.program) = (control, saver, program)
    (self.clocks, self.health) = (clocks, health)
  }

  /// Answers a message of a client. An empty message stands for one that was too long.
  public func answer(_ bytes: [UInt8], from client: inout ControlClient, at now: Instant) -> [ControlMessage] {
    guard !bytes.isEmpty else {
      return [refused("the message is longer than \(ControlMessage.longestRequest) bytes", nil)]
    }
    var id: String?
    do throws(ControlError) {
      let message = try ControlMessage(parsing: bytes)
      id = try message.number("id", 0...Int64(Int32.max)).map(String.init)
      return try answer(message, from: &client, at: now).map { reply in
        var reply = reply
        if let id { reply.append("id", id) }
        return reply
      }
    } catch {
      return [refused(error.text, id)]
    }
  }

  private func answer(
    _ message: ControlMessage, from client: inout ControlClient, at now: Instant
  ) throws(ControlError) -> [ControlMessage] {
    guard client.isGreeted else { return [greet(message, &client)] }
    guard client.role.allows(message.word) else {
      throw ControlError("the role \(client.role.rawValue) may not send \(message.word)")
    }
    switch message.word {
    case "hello": throw ControlError("hello was already sent")
    case "do": return [try carryOut(message, from: client, at: now)]
    case "subscribe": return [try subscribe(message, &client)]
    case "presets", "preset": return try answerPresets(try PresetRequest(message), at: now)
    case "song": return sections()
    case "source": return [try follow(message, at: now)]
    default:
      throw ControlError("unknown message \(quoted(message.word)); Documentation/ControlSocket.md lists all messages")
    }
  }

  private func greet(_ message: ControlMessage, _ client: inout ControlClient) -> ControlMessage {
    guard message.word == "hello", message["v"] == ControlConnection.version else {
      client.isDismissed = true
      let why = message.word == "hello" ? "this metronome speaks version 1" : "the first message must be hello v=1"
      return ControlMessage("refused", ["why": why, "v": ControlConnection.version])
    }
    client.isGreeted = true
    var answer = ControlMessage(
      "hello", ["v": ControlConnection.version, "role": client.role.rawValue, "program": program])
    answer.append(clocks())
    return answer
  }

  private func carryOut(
    _ message: ControlMessage, from client: ControlClient, at now: Instant
  ) throws(ControlError) -> ControlMessage {
    let text = try message.required("command")
    let command: Command
    do throws(WrongValue) { command = try Command(words: text) } catch {
      throw ControlError("\(quoted(text)) is no command; \(error.remedy)")
    }
    var press = now
    if let at = try message.number("at", 0...Int64.max) {
      press = Instant(nanoseconds: at)
      guard press <= now else { throw ControlError("at is in the future by \(milliseconds(press - now)) ms") }
      guard now - press <= Self.tolerance else {
        throw ControlError("at is \(milliseconds(now - press)) ms ago; a command is carried out for at most 2,000 ms")
      }
    }
    guard control.perform(command, pressed: press, at: now) != .refused else {
      throw ControlError("\(quoted(text)) cannot be carried out now")
    }
    return ControlMessage("done")
  }

  private func subscribe(
    _ message: ControlMessage, _ client: inout ControlClient
  ) throws(ControlError) -> ControlMessage {
    let text = try message.required("to")
    var topics: Set<ControlTopic> = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) where text != "none" {
      guard let topic = ControlTopic(rawValue: String(word)) else {
        let known = ControlTopic.allCases.map(\.rawValue).joined(separator: ", ")
        throw ControlError("unknown topic \(quoted(word)); the topics are \(known)")
      }
      topics.insert(topic)
    }
    client.topics = topics
    hasNewSubscribers = true
    return ControlMessage("done")
  }

  private func answerPresets(_ request: PresetRequest, at now: Instant) throws(ControlError) -> [ControlMessage] {
    var reply = control.carryOut(request, at: now)
    if let saver { reply.saving = saver.saving }
    var answer = reply.answer
    guard request == .list else { return [answer] }
    let presets = reply.savedState.presets.presets
    answer.append("count", String(presets.count))
    return presets.enumerated().map { $1.message(place: $0 + 1, isRecalled: reply.savedState.recalled == $0 + 1) }
      + [answer]
  }

  private func sections() -> [ControlMessage] {
    let sections = control.sections(atMost: Self.mostSections)
    return sections.enumerated().map { number, section in
      ControlMessage(
        "section",
        [
          "number": String(number + 1), "label": section.label ?? "", "bar": String(section.bar + 1),
          "bars": section.bars.map(String.init) ?? "", "signature": section.signature.description,
          "tempo": section.tempo.number, "now": section.isSounding ? "1" : "0",
        ])
    } + [ControlMessage("done", ["count": String(sections.count)])]
  }

  private func follow(_ message: ControlMessage, at now: Instant) throws(ControlError) -> ControlMessage {
    let peers = Int(try message.number("peers", 0...10_000) ?? 1)
    guard peers > 0 else {
      control.leaveLink(at: now)
      return ControlMessage("done")
    }
    guard let quarter = try message.number("quarter", -Int64(1e15)...Int64(1e15)),
      let epoch = try message.number("epoch", 0...Int64(1e15)), let playing = try message.number("playing", 0...1)
    else { throw ControlError("source needs epoch, quarter, at-raw or at, us-per-quarter and playing") }
    let text = try message.required("us-per-quarter")
    guard let micros = Self.millionths(text), (60_060_060_060...3_000_000_000_000).contains(micros) else {
      throw ControlError("us-per-quarter is \(quoted(text)); write microseconds with up to six decimals, for 20 to 999 BPM")
    }
    let instant = try instant(of: message, at: now)
    let observation = BeatObservation(
      epoch: Int(epoch), quarter: quarter, instant: instant, period: micros * 1_000, isPlaying: playing == 1)
    let hasTransport = try message.number("transport", 0...1) == 1
    guard control.followLink(observation, peers: peers, hasTransport: hasTransport, at: now) else {
      throw ControlError("the metronome follows a MIDI clock; remove midi.in from its configuration")
    }
    return ControlMessage("done")
  }

  /// The instant in the field `at`, or `at-raw`.
  private func instant(of message: ControlMessage, at now: Instant) throws(ControlError) -> Instant {
    var instant = try message.number("at", 0...Int64.max).map { Instant(nanoseconds: $0) }
    if let raw = try message.number("at-raw", 0...Int64.max) {
      let pair = clocks()
      instant = pair.monotonic + (Instant(nanoseconds: raw) - pair.raw)
    }
    guard let instant else { throw ControlError("\(message.word) needs at-raw=… or at=…") }
    guard abs((instant - now).count) <= Self.tolerance.count else {
      throw ControlError("the instant is \(milliseconds(instant - now)) ms from now; at most 2,000 ms are accepted")
    }
    return instant
  }

  /// A decimal with up to six decimals, in millionths; nil for another text.
  private static func millionths(_ text: String) -> Int64? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), (1...9).contains(parts[0].utf8.count), let whole = Int64(parts[0]), whole >= 0
    else { return nil }
    guard parts.count == 2 else { return whole * 1_000_000 }
    guard (1...6).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
      let decimals = Int64(parts[1] + String(repeating: "0", count: 6 - parts[1].utf8.count))
    else { return nil }
    return whole * 1_000_000 + decimals
  }

  private func refused(_ why: String, _ id: String?) -> ControlMessage {
    ControlMessage("refused", ["why": why, "id": id])
  }

  private func milliseconds(_ duration: Nanoseconds) -> Int64 { duration.count / 1_000_000 }

  /// The message `state` for now.
  public var state: ControlMessage {
    let clocks = clocks()
    let state = control.state
    return .state(
      state, current: control.timeline.tempo(at: clocks.monotonic) ?? state.tempo,
      refusesTempo: control.refusesTempo, health(), clocks)
  }

  /// The message `timeline` for now.
  public var timeline: ControlMessage { .timeline(control.timeline, clocks()) }
}

extension ControlRole {
  /// Whether a client with this role may send a message.
  fileprivate func allows(_ word: String) -> Bool {
    switch self {
    case .owner: true
    case .link: ["hello", "subscribe", "do", "source"].contains(word)
    case .remote, .member: word != "source"
    }
  }
}

/// Publishes snapshots to the clients of a control socket: on each change, but at most every 50 ms, and four times a second. Used on
/// the control thread.
public final class ControlPublisher<B: Board, Observer: EngineObserver> {
  private static var interval: Nanoseconds { .milliseconds(250) }
  private static var shortestInterval: Nanoseconds { .milliseconds(50) }

  private let control: ControlLoop<B, Observer>
  private let handler: ControlHandler<B, Observer>
  private var publishedAt: Instant?
  private var publishedState: MetronomeState?
  private var publishedTimeline: Timeline?
  /// What our hands have set while a shared session sets the tempo.
  private var wished: (tempo: Tempo, isPlaying: Bool)?

  public init(_ control: ControlLoop<B, Observer>, _ handler: ControlHandler<B, Observer>) {
    (self.control, self.handler) = (control, handler)
  }

  /// Publishes what is due. Returns when to call again; nil: nobody subscribes.
  public func step(_ server: ControlServer, at now: Instant) -> Instant? {
    publishWishes(server, at: now)
    guard server.hasSubscribers(.state) || server.hasSubscribers(.timeline) else {
      publishedAt = nil
      return nil
    }
    let (state, timeline) = (control.state, control.timeline)
    let hasChanged = state != publishedState || timeline != publishedTimeline
    let due = publishedAt.map { $0 + (hasChanged ? Self.shortestInterval : Self.interval) } ?? now
    guard now >= due || handler.hasNewSubscribers else { return due }
    handler.hasNewSubscribers = false
    (publishedAt, publishedState, publishedTimeline) = (now, state, timeline)
    server.publish(handler.state, to: .state)
    server.publish(handler.timeline, to: .timeline)
    return now + Self.interval
  }

  /// While the metronome takes part in a session of equal peers, its own changes are wishes for all.
  private func publishWishes(_ server: ControlServer, at now: Instant) {
    let state = control.state
    guard case .link? = state.source else {
      wished = nil
      return
    }
    defer { wished = (state.tempo, state.isPlaying) }
    guard let wished else { return }
    var message = ControlMessage("wish")
    if state.tempo != wished.tempo { message.append("tempo", state.tempo.number) }
    if state.isPlaying != wished.isPlaying { message.append("playing", state.isPlaying ? "1" : "0") }
    guard !message.fields.isEmpty else { return }
    message.append("at", String(now.nanoseconds))
    server.publish(message, to: .wishes)
  }
}
