import MetronomeCore
import RemoteServer
import Testing

@Suite struct LimitTests {
  private let fixture = ServerFixture()

  private func isEnded(_ number: Int) -> Bool { fixture.server[number]?.isEnded != false }

  @Test func requestsHaveFiveSeconds() {
    let (silent, slow) = (fixture.connect(), fixture.connect())
    fixture.advance(.seconds(1))
    fixture.receive("GET / HTTP/1.1\r\n", on: slow)
    fixture.advance(.seconds(4) - Nanoseconds(1))
    #expect(!isEnded(silent) && !isEnded(slow))
    // More bytes do not extend the time.
    fixture.receive("A: b\r\n", on: slow)
    fixture.advance(Nanoseconds(1))
    #expect(isEnded(silent))
    #expect(fixture.sentText(slow).hasPrefix("HTTP/1.1 408 "))
    fixture.advance(.seconds(1))
    #expect(isEnded(slow))
  }

  @Test func idleConnectionsHaveTenSeconds() {
    let number = fixture.connect()
    fixture.receive(fixture.request("GET", "/", ["Host: box"]), on: number)
    _ = fixture.sent(number)
    fixture.advance(.seconds(10) - Nanoseconds(1))
    #expect(!isEnded(number))
    // The first byte of the next request begins its five seconds.
    fixture.receive("G", on: number)
    fixture.advance(.seconds(5) - Nanoseconds(1))
    #expect(!fixture.sentText(number).hasPrefix("HTTP"))
    fixture.advance(Nanoseconds(1))
    #expect(fixture.sentText(number).hasPrefix("HTTP/1.1 408 "))
    let idle = fixture.connect()
    fixture.receive(fixture.request("GET", "/", ["Host: box"]), on: idle)
    _ = fixture.sent(idle)
    fixture.advance(.seconds(10))
    #expect(isEnded(idle))
  }

  @Test func answersMustBeRead() {
    let number = fixture.connect()
    fixture.receive(fixture.request("GET", "/page.js", ["Host: box"]), on: number)
    #expect(fixture.server[number]?.wantsInput == false)
    fixture.advance(Limits.answerTime - Nanoseconds(1))
    #expect(!isEnded(number))
    fixture.advance(Nanoseconds(1))
    #expect(isEnded(number))
  }

  /// The connection that has been without a request longest is ended, and no WebSocket.
  @Test func sixtyFourConnections() {
    let page = fixture.openPage(from: "10.77.1.0")
    let numbers = (1..<64).map { address in
      fixture.advance(Nanoseconds(1))
      return fixture.connect(from: "10.77.1.\(address)")
    }
    fixture.advance(Nanoseconds(1))
    fixture.receive(fixture.request("GET", "/", ["Host: box"]), on: numbers[0])
    _ = fixture.sent(numbers[0])
    let last = fixture.connect(from: "10.77.2.1")
    #expect(!isEnded(page) && !isEnded(numbers[0]) && !isEnded(last))
    #expect(isEnded(numbers[1]))
    #expect(numbers.dropFirst(2).allSatisfy { !isEnded($0) })
    fixture.receive(fixture.request("GET", "/", ["Host: box"]), on: last)
    #expect(fixture.sentText(last).hasPrefix("HTTP/1.1 200 "))
  }

  @Test func silentPagesAreDead() {
    let number = fixture.openPage()
    fixture.advance(.seconds(15) - Nanoseconds(1))
    #expect(fixture.messages(number).isEmpty)
    fixture.advance(Nanoseconds(1))
    #expect(fixture.messages(number) == ["frame 137 []"])
    // A pong.
    fixture.server.receive([0x8A, 0x80, 0, 0, 0, 0], on: number, at: fixture.now)
    fixture.advance(.seconds(30) - Nanoseconds(1))
    #expect(!isEnded(number))
    fixture.advance(Nanoseconds(1))
    #expect(isEnded(number))
  }

  @Test func pagesThatDoNotReadAreDropped() {
    fixture.connectBox()
    let (number, other) = (fixture.openPage(), fixture.openPage())
    for page in [number, other] { _ = fixture.replies(to: "subscribe to=state", on: page) }
    let message = "state text=" + String(repeating: "a", count: 4_000)
    for _ in 0..<16 {
      fixture.box(message)
      #expect(fixture.messages(other).count == 1)
    }
    #expect(!isEnded(number))
    fixture.box(message)
    #expect(isEnded(number))
    #expect(fixture.server[number]?.hasOutput == false)
    #expect(fixture.messages(other).count == 1)
  }

  @Test func floodsEndThePage() {
    let number = fixture.openPage()
    for _ in 0..<200 { fixture.send("ping t=1", on: number) }
    #expect(fixture.messages(number).count == 200)
    fixture.send("ping t=1", on: number)
    #expect(fixture.messages(number) == ["frame 136 [3, 240]"])
    #expect(fixture.server[number]?.isDone == true)
  }

  /// Frames without a text count like messages: fragments, also empty ones, pings and pongs.
  @Test(arguments: [0x00, 0x8A] as [UInt8]) func emptyFramesEndThePage(_ first: UInt8) {
    let number = fixture.openPage()
    let frame: [UInt8] = [first, 0x80, 0, 0, 0, 0]
    fixture.server.receive([0x01, 0x80, 0, 0, 0, 0], on: number, at: fixture.now)
    for _ in 1..<200 { fixture.server.receive(frame, on: number, at: fixture.now) }
    #expect(fixture.messages(number) == [])
    // 100 a second, and no more.
    fixture.advance(.seconds(1))
    for _ in 0..<100 { fixture.server.receive(frame, on: number, at: fixture.now) }
    #expect(fixture.messages(number) == [])
    fixture.server.receive(frame, on: number, at: fixture.now)
    #expect(fixture.messages(number) == ["frame 136 [3, 240]"])
  }

  @Test func pingsAreAnswered() {
    let number = fixture.openPage()
    fixture.server.receive([0x89, 0x81, 0, 0, 0, 0, 7], on: number, at: fixture.now)
    #expect(fixture.messages(number) == ["frame 138 [7]"])
    fixture.server.receive([0x88, 0x80, 0, 0, 0, 0], on: number, at: fixture.now)
    #expect(fixture.messages(number) == ["frame 136 []"])
    #expect(fixture.server[number]?.isDone == true)
  }

  @Test func deadlinesAreKnown() {
    #expect(fixture.server.deadline == nil)
    let start = fixture.now
    _ = fixture.connect()
    #expect(fixture.server.deadline == start + .seconds(5))
  }
}
