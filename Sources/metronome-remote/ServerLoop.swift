import CLibrary
import MetronomeCore
import RemoteServer

/// Passes bytes between the sockets and the server, on one thread. Only `poll` blocks.
final class ServerLoop {
  /// The most bytes that one pass of the loop reads from a connection. So no client delays the others for long.
  private static let readSize = 4_096
  /// How long one pass of the loop serves visitors, and how long it accepts connections, if there is always another one. So visitors
  /// do not delay the paired phones, which each pass serves first.
  private static let visitorTime = Nanoseconds.milliseconds(2)
  /// How long no connection is accepted after `accept` has failed, for example because too many files are open.
  private static let acceptPause = Nanoseconds.milliseconds(100)

  private struct Socket {
    let descriptor: Int32
    /// Whether the send buffer of the kernel is full.
    var isFull = false
    /// Whether the sending side is shut down.
    var isShut = false
  }

  private let server: PageServer
  private let listeners: [Listener]
  private let box: BoxConnection
  private let store: PhoneStore
  private let endsWithInput: Bool
  private var sockets: [Int: Socket] = [:]
  private var acceptsAt = Instant.zero
  private var buffer = [UInt8](repeating: 0, count: readSize)

  /// - Parameter endsWithInput: whether the end of standard input ends the loop.
  init(
    _ server: PageServer, _ listeners: [Listener], _ box: BoxConnection, _ store: PhoneStore, endsWithInput: Bool
  ) {
    (self.server, self.listeners, self.box, self.store) = (server, listeners, box, store)
    self.endsWithInput = endsWithInput
  }

  func run() {
    while true {
      server.step(at: Host.now)
      box.step(server, at: Host.now)
      if !server.notices.isEmpty {
        store.write(server.pairing)
        server.notices.forEach(log)
        server.notices = []
      }
      for number in Array(sockets.keys) { flush(number) }
      closeEnded()
      if wait() == .inputEnded { return }
    }
  }

  private enum Outcome { case ready, inputEnded }

  /// Waits for a socket or the next deadline, accepts connections, and reads what has arrived.
  private func wait() -> Outcome {
    let now = Host.now
    var numbers = sockets.keys.shuffled()
    let visitors = numbers.partition { !server.isPaired($0) }
    var polled = numbers.map { number in polledSocket(number) }
    polled += listeners.map { pollfd(fd: now >= acceptsAt ? $0.descriptor : -1, events: Int16(POLLIN), revents: 0) }
    polled.append(pollfd(fd: box.descriptor ?? -1, events: Int16(POLLIN), revents: 0))
    polled.append(pollfd(fd: endsWithInput ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0))
    let deadline = [server.deadline, box.deadline, now < acceptsAt ? acceptsAt : nil].compactMap(\.self).min()
    poll(&polled, nfds_t(polled.count), timeout(until: deadline, at: now))
    for (number, entry) in zip(numbers[..<visitors], polled) where entry.revents != 0 { serve(number, entry) }
    let end = Host.now + ServerLoop.visitorTime
    for (number, entry) in zip(numbers[visitors...], polled[visitors...]) where entry.revents != 0 && Host.now < end {
      serve(number, entry)
    }
    for (listener, entry) in zip(listeners, polled[numbers.count...]) where entry.revents != 0 {
      accept(from: listener)
    }
    let hasInput = polled[polled.count - 1].revents != 0
    return hasInput && read(STDIN_FILENO, &buffer, buffer.count) <= 0 ? .inputEnded : .ready
  }

  private func polledSocket(_ number: Int) -> pollfd {
    guard let socket = sockets[number], let connection = server[number] else {
      return pollfd(fd: -1, events: 0, revents: 0)
    }
    let events = (connection.wantsInput ? POLLIN : 0) | (connection.hasOutput ? POLLOUT : 0)
    return pollfd(fd: socket.descriptor, events: Int16(events), revents: 0)
  }

  /// The timeout for `poll`, in milliseconds. It is rounded up, so that the deadline has passed when `poll` returns.
  private func timeout(until deadline: Instant?, at now: Instant) -> Int32 {
    guard let deadline else { return -1 }
    return Int32(clamping: max((deadline - now).count + 999_999, 0) / 1_000_000)
  }

  private func accept(from listener: Listener) {
    let end = Host.now + ServerLoop.visitorTime
    repeat {
      guard let socket = listener.accept() else {
        let isOver = errno == EAGAIN || errno == EWOULDBLOCK
        if !isOver { acceptsAt = Host.now + ServerLoop.acceptPause }
        return
      }
      let number = server.accept(from: socket.peer, to: socket.local, at: Host.now)
      sockets[number] = Socket(descriptor: socket.descriptor)
      // The server may have ended another connection to make room for this one. Its socket is closed now, so that the number of
      // open descriptors stays bounded.
      closeEnded()
      // The first request has often arrived by now.
      receive(number)
    } while Host.now < end
  }

  private func serve(_ number: Int, _ entry: pollfd) {
    if Int32(entry.revents) & Int32(POLLOUT) != 0 { sockets[number]?.isFull = false }
    // After an error or a hang-up, `recv` reports it.
    if Int32(entry.revents) & Int32(POLLIN | POLLHUP | POLLERR) != 0 { receive(number) }
  }

  private func receive(_ number: Int) {
    guard let socket = sockets[number] else { return }
    let count = uninterrupted { recv(socket.descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) }
    if count > 0 {
      server.receive(buffer[..<count], on: number, at: Host.now)
      flush(number)
    } else if count == 0 {
      server.receiveEnd(on: number)
    } else if errno != EAGAIN, errno != EWOULDBLOCK {
      server.end(number)
    }
  }

  /// Sends output until there is no more, or the send buffer of the kernel is full.
  private func flush(_ number: Int) {
    while let socket = sockets[number], !socket.isFull, let connection = server[number], connection.hasOutput {
      let output = connection.output
      let count = output.withUnsafeBytes { bytes in
        uninterrupted { send(socket.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) }
      }
      if count >= 0 {
        server.didSend(count, on: number, at: Host.now)
      } else if errno == EAGAIN || errno == EWOULDBLOCK {
        sockets[number]?.isFull = true
      } else {
        server.end(number)
      }
    }
    guard let socket = sockets[number], !socket.isShut, server[number]?.isDone == true else { return }
    shutdown(socket.descriptor, Int32(SHUT_WR))
    sockets[number]?.isShut = true
  }

  private func closeEnded() {
    for (number, socket) in sockets where server[number]?.isEnded != false {
      close(socket.descriptor)
      sockets[number] = nil
      server.remove(number)
    }
  }
}
