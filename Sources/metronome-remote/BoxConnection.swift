import ControlSocket
import MetronomeCore
import RemoteServer

/// The connection to the metronome. While there is none, it tries again twice a second. It never waits.
final class BoxConnection {
  private static let interval = Nanoseconds.milliseconds(500)
  /// For the answer to `hello`.
  private static let greetingTime = Nanoseconds.seconds(2)
  /// How many messages one call reads, so that the pages are served between them.
  private static let mostAtOnce = 64

  private let folder: String
  private var connection: ControlConnection?
  private var isGreeted = false
  /// When to try again, or to give up waiting for the greeting.
  private var deadlineBeforeGreeting = Instant.zero
  private var complaint = ""

  init(folder: String) { self.folder = folder }

  /// To be polled for reading; nil: there is no connection.
  var descriptor: Int32? { connection?.descriptor }

  var deadline: Instant? { isGreeted ? nil : deadlineBeforeGreeting }

  /// Does what is due, and reads and sends what there is.
  func step(_ server: PageServer, at now: Instant) {
    if connection == nil, now >= deadlineBeforeGreeting { begin(at: now) }
    read(server, at: now)
    if connection != nil, !isGreeted, now >= deadlineBeforeGreeting { end(server, "it does not answer", at: now) }
    for request in server.takeRequests() { send(request, server, at: now) }
  }

  private func begin(at now: Instant) {
    deadlineBeforeGreeting = now + BoxConnection.greetingTime
    do {
      connection = try ControlConnection(beginningTo: try ControlAddress(in: folder))
    } catch {
      deadlineBeforeGreeting = now + BoxConnection.interval
      // Once, not twice a second.
      complain("no metronome in \(folder); trying again")
    }
  }

  private func read(_ server: PageServer, at now: Instant) {
    for _ in 0..<BoxConnection.mostAtOnce {
      guard let connection else { return }
      do throws(ControlFailure) {
        guard let message = try connection.next() else { return }
        if isGreeted {
          server.receive(message, at: now)
        } else if message.word == "hello" {
          isGreeted = true
          complain("connected to the metronome in \(folder)")
          server.boxDidConnect()
        } else {
          return end(server, message["why"] ?? "it speaks another protocol", at: now)
        }
      } catch {
        return end(server, "it has closed the connection", at: now)
      }
    }
  }

  private func send(_ request: ControlMessage, _ server: PageServer, at now: Instant) {
    guard let connection else { return }
    do throws(ControlFailure) { try connection.send(request) } catch { end(server, "it does not read", at: now) }
  }

  private func end(_ server: PageServer, _ why: String, at now: Instant) {
    connection = nil
    isGreeted = false
    deadlineBeforeGreeting = now + BoxConnection.interval
    server.boxDidDisconnect()
    complain("the metronome in \(folder) is gone: \(why)")
  }

  private func complain(_ text: String) {
    if text != complaint { log(text) }
    complaint = text
  }
}
