import CLibrary
import MetronomeCore

/// Why a client has no answer.
public enum ControlFailure: Error, Hashable, Sendable {
  /// No process listens.
  case notListening
  /// No answer before the timeout, or the connection was closed.
  case silence
  case refused(errno: Int32)
  /// The metronome speaks another version of the protocol.
  case otherVersion(String)
}

#if canImport(Glibc)
  /// A client's connection to a control socket. Closes it when it is released. One thread.
  public final class ControlConnection {
    /// The version of the protocol.
    public static let version = "1"

    public let descriptor: Int32
    /// The answer to `hello`.
    public private(set) var greeting = ControlMessage("hello")

    /// Connects, and exchanges `hello`. Retries a busy metronome until the timeout.
    public init(to address: ControlAddress, timeout milliseconds: Int = 2_000) throws(ControlFailure) {
      let end = ControlConnection.milliseconds + milliseconds
      descriptor = try ControlConnection.connected(to: address, until: end)
      try send(ControlMessage("hello", ["v": ControlConnection.version]))
      let answer = try receive(timeout: end - ControlConnection.milliseconds)
      guard answer.word == "hello" else { throw .otherVersion(answer["v"] ?? "unknown") }
      greeting = answer
    }

    /// Connects and sends `hello`, but does not wait for the answer: ``next()`` returns it as the first message.
    public init(beginningTo address: ControlAddress) throws(ControlFailure) {
      descriptor = try ControlConnection.connected(to: address, until: nil)
      try send(ControlMessage("hello", ["v": ControlConnection.version]))
    }

    /// A connected descriptor. `end` is until when a busy metronome is tried again; nil: it is not.
    private static func connected(to address: ControlAddress, until end: Int?) throws(ControlFailure) -> Int32 {
      let descriptor = MessageSocket.open()
      guard descriptor >= 0 else { throw .refused(errno: -descriptor) }
      while address.with({ connect(descriptor, $0, $1) }) != 0 {
        let error = errno
        // EAGAIN: the backlog is full.
        guard error == EAGAIN, let end, milliseconds < end else {
          close(descriptor)
          if [ENOENT, ECONNREFUSED, ENOTSOCK].contains(error) { throw .notListening }
          throw error == EAGAIN && end != nil ? .silence : .refused(errno: error)
        }
        usleep(10_000)
      }
      return descriptor
    }

    deinit { close(descriptor) }

    public func send(_ message: ControlMessage) throws(ControlFailure) {
      guard MessageSocket.send(message.bytes, to: descriptor) else { throw .silence }
    }

    /// Waits for the next message. Messages that this version does not understand are skipped.
    public func receive(timeout milliseconds: Int) throws(ControlFailure) -> ControlMessage {
      let end = ControlConnection.milliseconds + milliseconds
      while true {
        let left = max(end - ControlConnection.milliseconds, 0)
        guard MessageSocket.canBeRead(descriptor, timeout: Int32(left)) else { throw .silence }
        if let message = try next() { return message }
      }
    }

    /// The next message, without waiting; nil: there is none now.
    public func next() throws(ControlFailure) -> ControlMessage? {
      while true {
        switch MessageSocket.receive(from: descriptor, longest: ControlMessage.longest) {
        case .nothing: return nil
        case .closed: throw .silence
        case .tooLong: continue
        case .message(let bytes): if let message = try? ControlMessage(parsing: bytes) { return message }
        }
      }
    }

    /// Sends a request, and waits for its answers.
    ///
    /// - Returns: the messages of a list, and `done` or `refused` as the last one.
    public func ask(_ request: ControlMessage, timeout milliseconds: Int = 2_000) throws(ControlFailure)
      -> [ControlMessage]
    {
      var request = request
      request.append("id", "1")
      try send(request)
      var answers: [ControlMessage] = []
      while true {
        let message = try receive(timeout: milliseconds)
        guard message["id"] == "1" else { continue }
        answers.append(message)
        if message.word == "done" || message.word == "refused" { return answers }
      }
    }

    private static var milliseconds: Int { Int(nanoseconds(of: CLOCK_MONOTONIC) / 1_000_000) }
  }
#endif
