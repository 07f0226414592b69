import ControlSocket
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine

/// A question about the stored scores. Reading them may block, so another thread answers it.
public struct ScoreRequest: Hashable, Sendable {
  /// The score to load; nil: all names are asked for.
  public let name: String?
  /// The number of the client that waits for the answer.
  public let client: UInt64
  /// The number of the first name that is listed, from 1.
  fileprivate let first: Int
  fileprivate let id: String?
}

/// A request about the controls that were learned.
public struct LearnRequest: Sendable {
  public enum Action: Sendable {
    /// Gives the control that is moved next a function.
    case learn(LearnedControls.Use)
    case cancel, list
    /// Removes the control with this number, from 1.
    case forget(Int)
  }

  public let action: Action
  /// The number of the client that waits for the answer.
  public let client: UInt64
  fileprivate let id: String?

  /// An answer that follows later.
  public func answer(_ message: ControlMessage) -> ControlMessage {
    var message = message
    if let id { message.append("id", id) }
    return message
  }
}

public enum ScoreAnswer: Sendable {
  case names([String])
  case score(SetList)
  /// Why it cannot be answered, and what would be right.
  case refused(String)
}

/// Answers the messages of the control socket for one metronome: see `Documentation/ControlSocket.md`. It never waits. Used on the
/// control thread.
public final class ControlHandler<B: Board, Observer: EngineObserver> {
  /// Instants of a press or of a source must not be further from now.
  private static var tolerance: Nanoseconds { .seconds(2) }
  /// Sums and differences of such instants do not overflow.
  private static var instants: ClosedRange<Int64> { 0...Int64.max / 2 }
  /// One answer with more sections or names would not fit the socket's buffer.
  private static var mostItems: Int { 100 }

  private let control: ControlLoop<B, Observer>
  private let saver: StateSaver<Observer>?
  private let program: String
  private let clocks: () -> ClockPair
  private let health: () -> BoxHealth
  /// Begins to answer a question about the stored scores on another thread; nil: there is no folder of scores.
  private let readScores: ((ScoreRequest) throws -> Void)?
  /// Answers a request about learned controls, or begins to; nil: nothing can be learned.
  private let learn: ((LearnRequest) -> [ControlMessage])?
  private var isReadingScores = false
  /// Whether a client has subscribed since the last publication, so that the next one is due at once.
  var hasNewSubscribers = false

  /// - Parameters:
  ///   - program: the version of the program.
  ///   - clocks: reads both clocks.
  ///   - health: the condition of the box.
  ///   - readScores: begins to answer a question about the stored scores, and then passes the answer to ``finish(_:_:at:)``;
  ///     nil: there is no folder of scores.
  ///   - learn: answers a request about learned controls, or begins to; nil: nothing can be learned.
  public init(
    _ control: ControlLoop<B, Observer>, saver: StateSaver<Observer>?, program: String,
    clocks: @escaping () -> ClockPair, health: @escaping () -> BoxHealth,
    readScores: ((ScoreRequest) throws -> Void)? = nil,
    learn: ((LearnRequest) -> [ControlMessage])? = nil
  ) {
    (self.control, self.saver, self.program) = (control, saver, program)
    (self.clocks, self.health, self.readScores, self.learn) = (clocks, health, readScores, learn)
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
        // The message `pairing` is not an answer, so it gets no id.
        if let id, reply.word != "pairing" { reply.append("id", id) }
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
    case "subscribe": return try subscribe(message, &client, at: now)
    case "show":
      guard let number = try message.number("number", 1...9_999) else { throw ControlError("show needs a number") }
      guard control.showNumber(Int(number), at: now) else {
        throw ControlError("nobody at the box has given the command pair in the last two minutes")
      }
      return [ControlMessage("done")]
    case "presets": return answerPresets(.list, at: now)
    case "preset":
      _ = try press(of: message, at: now)
      return answerPresets(try PresetRequest(message), at: now)
    case "scores": return try readScores(nil, message, client)
    case "score": return try score(message, client, at: now)
    case "song": return try sections(message)
    case "songs": return try songs(message)
    case "learn": return try answerLearning(message, client)
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
    // The companions with a network must not pair or forget phones.
    guard ![.pair, .forgetPhones].contains(command) || ![.remote, .link].contains(client.role) else {
      throw ControlError(
        "the role \(client.role.rawValue) may not send \(text); hold the buttons of the box that are set to it")
    }
    let press = try press(of: message, at: now)
    // A button shortens such a signature.
    if case .setSignature(let wanted) = command, control.state.score == nil,
      let remedy = control.settings.limit.remedy(for: wanted)
    {
      throw ControlError("the signature \(wanted) exceeds the limit; \(remedy)")
    }
    if case .refused(let refusal) = control.perform(command, pressed: press, at: now) {
      throw ControlError(refusal.text)
    }
    return ControlMessage("done")
  }

  /// When the person pressed: the field `at`, or now.
  private func press(of message: ControlMessage, at now: Instant) throws(ControlError) -> Instant {
    guard let at = try message.number("at", Self.instants) else { return now }
    // `now` was read when this step began, so the press may be later than `now`.
    let (press, reading) = (Instant(nanoseconds: at), max(now, clocks().monotonic))
    guard press <= reading else { throw ControlError("at is in the future by \(milliseconds(press - reading)) ms") }
    guard now - press <= Self.tolerance else {
      throw ControlError("at is \(milliseconds(now - press)) ms ago; at most 2,000 ms are accepted")
    }
    return min(press, now)
  }

  private func subscribe(
    _ message: ControlMessage, _ client: inout ControlClient, at now: Instant
  ) throws(ControlError) -> [ControlMessage] {
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
    hasNewSubscribers = hasNewSubscribers || !topics.isEmpty
    let pairing = pairing(at: now)
    return [ControlMessage("done")] + (topics.contains(.pairing) && pairing["window"] != "0" ? [pairing] : [])
  }

  /// The message `pairing`: for how many seconds the window is open, rounded up, and the number that is shown.
  func pairing(at now: Instant) -> ControlMessage {
    let window = control.pairing
    return ControlMessage(
      "pairing", ["window": String(window.seconds(at: now)), "shown": window.number.map(String.init)])
  }

  /// The same after an event, with the number that was confirmed, or that all phones are forgotten.
  func pairing(after event: PairingWindow.Event, at now: Instant) -> ControlMessage {
    var message = pairing(at: now)
    switch event {
    case .confirmed(let number): message.append("confirmed", String(number))
    case .forgotten: message.append("forget", "1")
    case .opened, .shown: break
    }
    return message
  }

  private func answerPresets(_ request: PresetRequest, at now: Instant) -> [ControlMessage] {
    var reply = control.carryOut(request, at: now)
    if let saver { reply.saving = saver.saving }
    var answer = reply.answer
    guard request == .list else { return [answer] }
    let presets = reply.savedState.presets.presets
    answer.append("count", String(presets.count))
    return presets.enumerated().map { $1.message(place: $0 + 1, isRecalled: reply.savedState.recalled == $0 + 1) }
      + [answer]
  }

  private func score(
    _ message: ControlMessage, _ client: ControlClient, at now: Instant
  ) throws(ControlError) -> [ControlMessage] {
    _ = try press(of: message, at: now)
    let action = try message.required("action")
    guard ["load", "unload"].contains(action) else {
      throw ControlError("unknown action \(quoted(action)); write load or unload")
    }
    guard !control.state.isPlaying else {
      throw ControlError("stop first: a score is loaded, or unloaded, only while the metronome is stopped")
    }
    if action == "load" { return try readScores(try message.required("name"), message, client) }
    control.load(nil, at: now)
    return [ControlMessage("done")]
  }

  /// The answer follows later, by ``finish(_:_:at:)``.
  private func readScores(
    _ name: String?, _ message: ControlMessage, _ client: ControlClient
  ) throws(ControlError) -> [ControlMessage] {
    guard let readScores else { throw ControlError("without a state folder the metronome stores no scores") }
    guard !isReadingScores else { throw ControlError("another request about scores is in progress; try again") }
    let first = Int(try message.number("from", 1...100_000) ?? 1)
    do { try readScores(ScoreRequest(name: name, client: client.number, first: first, id: message["id"])) } catch {
      throw ControlError("the scores cannot be read (\(error))")
    }
    isReadingScores = true
    return []
  }

  /// The answer to a request about the stored scores, for the client that asked.
  public func finish(_ request: ScoreRequest, _ answer: ScoreAnswer, at now: Instant) -> [ControlMessage] {
    isReadingScores = false
    switch answer {
    case .names(let all):
      let names = all.dropFirst(request.first - 1).prefix(Self.mostItems)
      return names.map { ControlMessage("stored", ["name": $0, "id": request.id]) }
        + [ControlMessage("done", ["count": String(names.count), "id": request.id])]
    case .score(let score):
      control.load(score, at: now)
      return [ControlMessage("done", ["id": request.id])]
    case .refused(let why): return [refused(why, request.id)]
    }
  }

  private func answerLearning(
    _ message: ControlMessage, _ client: ControlClient
  ) throws(ControlError) -> [ControlMessage] {
    guard let learn else {
      throw ControlError("only a box with a state folder learns controls; the simulator has no input devices")
    }
    var action = LearnRequest.Action.list
    switch try message.required("action") {
    case "list": break
    case "cancel": action = .cancel
    case "forget":
      guard let number = try message.number("number", 1...1_000) else { throw ControlError("forget needs a number") }
      action = .forget(Int(number))
    case "command":
      let text = try message.required("command")
      guard let command = try? Command(words: text), ![.pair, .forgetPhones].contains(command) else {
        throw ControlError("\(quoted(text)) cannot be learned; write a command such as play or next_section")
      }
      action = .learn(.command(command))
    case "dial":
      let text = try message.required("dial")
      guard let dial = Dial(rawValue: text) else {
        throw ControlError(
          "\(quoted(text)) is no dial; the dials are \(Dial.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      action = .learn(.dial(dial))
    case let other:
      throw ControlError("unknown action \(quoted(other)); write command, dial, cancel, list or forget")
    }
    return learn(LearnRequest(action: action, client: client.number, id: message["id"]))
  }

  private func sections(_ message: ControlMessage) throws(ControlError) -> [ControlMessage] {
    let first = Int(try message.number("from", 1...100_000) ?? 1)
    let sections = control.sections(atMost: first - 1 + Self.mostItems).dropFirst(first - 1)
    return sections.enumerated().map { number, section in
      ControlMessage(
        "section",
        [
          "number": String(first + number), "label": ControlMessage.shortened(section.label),
          "bar": String(section.bar + 1),
          "bars": section.bars.map(String.init) ?? "", "signature": section.signature.description,
          "tempo": section.tempo.number, "to": section.target?.number, "now": section.isSounding ? "1" : "0",
        ])
    } + [ControlMessage("done", ["count": String(sections.count)])]
  }

  private func songs(_ message: ControlMessage) throws(ControlError) -> [ControlMessage] {
    let first = Int(try message.number("from", 1...100_000) ?? 1)
    let names = control.songNames.dropFirst(first - 1).prefix(Self.mostItems)
    return names.enumerated().map { number, name in
      ControlMessage("title", ["number": String(first + number), "name": ControlMessage.shortened(name)])
    } + [ControlMessage("done", ["count": String(names.count)])]
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
      throw ControlError(
        "us-per-quarter is \(quoted(text)); write microseconds with up to six decimals, for 20 to 999 BPM")
    }
    // The beats of a session go on while its transport is stopped.
    let observation = BeatObservation(
      epoch: Int(epoch), quarter: quarter, instant: try instant(of: message, at: now), period: micros * 1_000,
      isPlaying: true)
    var transport: SharedTransport?
    if try message.number("transport", 0...1) == 1 {
      let start = try message.number("play-at-raw", Self.instants).map(monotonic(raw:))
      guard (start ?? now) - now <= .seconds(60) else { throw ControlError("play-at-raw is more than 60 s from now") }
      transport = SharedTransport(isPlaying: playing == 1, changesAt: start)
    }
    guard control.followLink(observation, peers: peers, transport: transport, at: now) else {
      throw ControlError("the metronome is configured to follow a MIDI clock; remove midi.in from its configuration")
    }
    return ControlMessage("done")
  }

  /// The instant in the field `at`, or `at-raw`.
  private func instant(of message: ControlMessage, at now: Instant) throws(ControlError) -> Instant {
    var instant = try message.number("at", Self.instants).map { Instant(nanoseconds: $0) }
    if let raw = try message.number("at-raw", Self.instants) {
      instant = monotonic(raw: raw)
    }
    guard let instant else { throw ControlError("\(message.word) needs at-raw=… or at=…") }
    guard abs((instant - now).count) <= Self.tolerance.count else {
      throw ControlError("the instant is \(milliseconds(instant - now)) ms from now; at most 2,000 ms are accepted")
    }
    return instant
  }

  private func monotonic(raw: Int64) -> Instant {
    let pair = clocks()
    return pair.monotonic + (Instant(nanoseconds: raw) - pair.raw)
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
    // Quoting may double its length.
    var shown = why
    while shown.utf8.count > ControlMessage.longest / 2 - 100 { shown.unicodeScalars.removeLast() }
    return ControlMessage("refused", ["why": shown == why ? why : shown + "…", "id": id])
  }

  private func milliseconds(_ duration: Nanoseconds) -> Int64 { duration.count / 1_000_000 }

  /// The message `state` for now.
  public var state: ControlMessage {
    let clocks = clocks()
    let state = control.state
    return .state(
      state, control.settings.trainer, control.ramp,
      current: control.timeline.tempo(at: clocks.monotonic) ?? state.tempo,
      next: control.nextStep(at: clocks.monotonic), refusesTempo: control.refusesTempo, health(), clocks)
  }

  /// The message `timeline` for now.
  public var timeline: ControlMessage { .timeline(control.timeline, clocks()) }
}
