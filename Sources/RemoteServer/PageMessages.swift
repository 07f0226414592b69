import ControlSocket
import MetronomeCore

// The messages of pages, and what becomes of them.
extension PageServer {
  /// Answers a message of a page.
  func answer(_ text: String, of number: Int, at now: Instant) {
    do throws(ControlError) {
      let message = try ControlMessage(parsing: text.utf8)
      let id = try message.number("id", 0...Int64(Int32.max)).map(String.init)
      do throws(ControlError) { try answer(message, id: id, of: number, at: now) } catch {
        send(.refused(error.text, id: id), to: number)
      }
    } catch {
      send(.refused(error.text, id: nil), to: number)
    }
  }

  private func answer(
    _ message: ControlMessage, id: String?, of number: Int, at now: Instant
  ) throws(ControlError) {
    switch message.word {
    case "ping":
      let time = try message.required("t")
      guard time.utf8.count <= 40, time.utf8.allSatisfy({ "0123456789.e+-".utf8.contains($0) }) else {
        throw ControlError("t is \(quoted(time)); it must be a number")
      }
      send(ControlMessage("pong", ["t": time, "now": String(now.nanoseconds), "id": id]), to: number)
    case "subscribe": try subscribe(message, id: id, of: number, at: now)
    case "phones":
      guard let client = clients[number], isPaired(client) else { throw ControlError("pair this phone first") }
      for phone in pairing.phones { send(listed(phone, client, id: id), to: number) }
      send(ControlMessage("done", ["id": id]), to: number)
    case "presets", "scores", "song", "songs": try pass(message, id: id, of: number, at: now)
    case "do", "preset", "score", "learn":
      guard let client = clients[number], isPaired(client) else { throw ControlError("pair this phone first") }
      // Only a person at the box may do this.
      if message.word == "do", let command = message["command"]?.split(separator: " ").first,
        ["pair", "forget_phones"].contains(command)
      {
        throw ControlError("hold the button or buttons of the box that are set to \(command)")
      }
      try pass(message, id: id, of: number, at: now)
    default:
      throw ControlError("a page may not send \(quoted(message.word))")
    }
  }

  private func listed(_ phone: Pairing.Phone, _ client: Client, id: String?) -> ControlMessage {
    ControlMessage(
      "phone",
      [
        "key": phone.key, "name": phone.name, "date": phone.date.map(String.init),
        "own": phone.hash == client.phone ? "1" : nil, "id": id,
      ])
  }

  /// All pages share one subscription, so the server answers this itself.
  private func subscribe(
    _ message: ControlMessage, id: String?, of number: Int, at now: Instant
  ) throws(ControlError) {
    var topics: Set<String> = []
    for topic in try message.required("to").split(separator: ",", omittingEmptySubsequences: false)
    where topic != "none" {
      guard BoxLink.topics.contains(String(topic)) else {
        throw ControlError("unknown topic \(quoted(topic)); the topics are \(BoxLink.topics.joined(separator: ", "))")
      }
      topics.insert(String(topic))
    }
    clients[number]?.topics = topics
    send(ControlMessage("done", ["id": id]), to: number)
    for topic in BoxLink.topics where topics.contains(topic) {
      if let current = box.current[topic] { send(current, to: number) }
    }
  }

  /// Passes a request to the box.
  private func pass(
    _ message: ControlMessage, id: String?, of number: Int, at now: Instant
  ) throws(ControlError) {
    guard box.isConnected else { throw ControlError("the metronome is not running") }
    guard let client = clients[number], client.commands.allows(at: now) else { throw ControlError("too many commands") }
    try box.ask(message, BoxLink.Asker(number: number, id: id), isVisitor: !isPaired(client), at: now)
    clients[number]?.commands.count(at: now)
  }

  // MARK: The box

  /// What a person at the box does about phones. No page learns of the window.
  private func receivePairing(_ message: ControlMessage, at now: Instant) {
    pairing.open(seconds: (try? message.number("window", 0...600)) ?? 0, at: now)
    if let number = try? message.number("confirmed", 1...9_999) { confirm(Int(number), at: now) }
    if message["forget"] == "1" { forgetAll(at: now) }
  }

  /// The box has answered `hello`.
  public func boxDidConnect() {
    box.connect()
    publish(box.status, to: nil)
  }

  /// The connection to the box has ended. Nothing that was sent is repeated.
  public func boxDidDisconnect() {
    guard box.isConnected else { return }
    for (number, message) in box.disconnect() { send(message, to: number) }
    pairing.shut()
    publish(box.status, to: nil)
  }

  /// The requests for the box since the last call.
  public func takeRequests() -> [ControlMessage] { box.takeRequests() }

  /// Passes a message of the box to the pages that it concerns.
  public func receive(_ message: ControlMessage, at now: Instant) {
    if message["id"] != nil {
      if let (number, answer) = box.answer(message) { send(answer, to: number) }
      return
    }
    if message.word == "pairing" { return receivePairing(message, at: now) }
    guard BoxLink.topics.contains(message.word) else { return }
    box.current[message.word] = message
    publish(message, to: message.word)
  }
}

/// The one connection to the box, which all pages share. The ids of their requests are replaced by others.
struct BoxLink {
  /// The topics of pages.
  static let topics = ["state", "timeline"]
  private static let mostPending = 256

  /// Whoever waits for an answer.
  struct Asker {
    var number: Int
    /// The id of the page.
    var id: String?
  }

  private(set) var isConnected = false
  /// The last message of each topic.
  var current: [String: ControlMessage] = [:]
  private var requests: [ControlMessage] = []
  private var pending: [Int32: (asker: Asker, deadline: Instant)] = [:]
  private var lastID: Int32 = 0
  private var commands = Limits.allCommands
  private var visitors = Limits.visitors

  var status: ControlMessage { ControlMessage("box", ["connected": isConnected ? "1" : "0"]) }

  var deadline: Instant? { pending.values.map(\.deadline).min() }

  mutating func connect() {
    isConnected = true
    requests = []
    queue(ControlMessage("subscribe", ["to": (BoxLink.topics + ["pairing"]).joined(separator: ",")]))
  }

  /// - Returns: the answers to all pending requests.
  mutating func disconnect() -> [(Int, ControlMessage)] {
    let answers = pending.values.map { ($0.asker.number, refusal("the metronome has stopped", $0.asker)) }
    // The limits hold on: the box counts anew, but a page must not gain from it.
    (isConnected, current, requests, pending) = (false, [:], [], [:])
    return answers
  }

  /// Queues a request.
  ///
  /// - Parameter isVisitor: whether the page is not paired.
  mutating func ask(
    _ message: ControlMessage, _ asker: Asker, isVisitor: Bool, at now: Instant
  ) throws(ControlError) {
    guard commands.allows(at: now), !isVisitor || visitors.allows(at: now), pending.count < BoxLink.mostPending else {
      throw ControlError("too many commands")
    }
    let id = lastID == Int32.max ? 1 : lastID + 1
    let request = message.with(id: String(id))
    guard request.bytes.count <= ControlMessage.longestRequest else {
      throw ControlError("the message is longer than \(ControlMessage.longestRequest) bytes")
    }
    lastID = id
    commands.count(at: now)
    if isVisitor { visitors.count(at: now) }
    requests.append(request)
    pending[id] = (asker, now + (message.word == "learn" ? Limits.learningTime : Limits.boxTime))
  }

  /// Queues a message whose answer is ignored.
  mutating func queue(_ message: ControlMessage) { requests.append(message.with(id: "0")) }

  mutating func takeRequests() -> [ControlMessage] {
    defer { requests = [] }
    return requests
  }

  /// Whose answer a message is, and the message for the page.
  mutating func answer(_ message: ControlMessage) -> (Int, ControlMessage)? {
    guard let id = message["id"].flatMap({ Int32($0) }), let asker = pending[id]?.asker else { return nil }
    if message.word == "done" || message.word == "refused" { pending[id] = nil }
    return (asker.number, message.with(id: asker.id))
  }

  /// - Returns: the answers to requests that the box has not answered in time.
  mutating func expire(at now: Instant) -> [(Int, ControlMessage)] {
    let late = pending.filter { $0.value.deadline <= now }
    for id in late.keys { pending[id] = nil }
    return late.values.map { ($0.asker.number, refusal("the metronome does not answer", $0.asker)) }
  }

  private func refusal(_ why: String, _ asker: Asker) -> ControlMessage { .refused(why, id: asker.id) }
}

extension ControlMessage {
  static func refused(_ why: String, id: String?) -> ControlMessage {
    ControlMessage("refused", ["id": id, "why": why])
  }

  /// The message with another id, or without one.
  fileprivate func with(id: String?) -> ControlMessage {
    var message = ControlMessage(word)
    for field in fields where field.key != "id" { message.append(field.key, field.value) }
    if let id { message.append("id", id) }
    return message
  }
}
