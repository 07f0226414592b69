import MetronomeCore
import RemoteServer
import Testing

@Suite struct PageMessageTests {
  private let fixture = ServerFixture()

  @Test func welcomeComesFirst() {
    let number = fixture.connect()
    let bytes = Array(fixture.request("GET", "/socket", ServerFixture.handshake()).utf8)
    fixture.server.receive(bytes, on: number, at: fixture.now)
    let sent = fixture.sent(number)
    let expected =
      WebSocketFrame.text("welcome v=1 paired=0 trusted=0 window=0".utf8) + WebSocketFrame.text("box connected=0".utf8)
    #expect(sent.suffix(expected.count).elementsEqual(expected))
    #expect(
      String(decoding: sent, as: UTF8.self).contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
  }

  @Test func clock() {
    let number = fixture.openPage()
    #expect(fixture.replies(to: "ping t=12.5", on: number) == ["pong t=12.5 now=1000000000000"])
    #expect(fixture.replies(to: "ping t=x", on: number).first?.hasPrefix("refused why=") == true)
  }

  @Test func visitorsMayOnlyWatch() {
    fixture.connectBox()
    let number = fixture.openPage()
    for word in ["do command=start", "preset action=save name=a", "score action=unload"] {
      #expect(fixture.replies(to: "\(word) id=4", on: number) == ["refused id=4 why=\"pair this phone first\""])
    }
    for word in ["hello v=1", "source epoch=1", "nonsense"] {
      #expect(fixture.replies(to: word, on: number).first?.contains("a page may not send") == true)
    }
    #expect(fixture.requests().isEmpty)
    for (index, word) in ["presets", "scores", "song"].enumerated() {
      #expect(fixture.replies(to: "\(word) id=7", on: number).isEmpty)
      #expect(fixture.requests() == ["\(word) id=\(index + 1)"])
    }
  }

  @Test func answersFindTheirPage() {
    fixture.connectBox()
    let (one, two) = (fixture.openPage(), fixture.openPage())
    fixture.send("presets id=7", on: one)
    fixture.send("presets", on: two)
    #expect(fixture.requests() == ["presets id=1", "presets id=2"])
    fixture.box("preset id=2 place=1 name=a")
    fixture.box("done id=2 count=1")
    fixture.box("done id=1 count=0")
    fixture.box("done id=1 count=0")
    fixture.box("done id=99")
    #expect(fixture.messages(one) == ["done count=0 id=7"])
    #expect(fixture.messages(two) == ["preset place=1 name=a", "done count=1"])
  }

  @Test func subscriptionIsShared() {
    fixture.server.boxDidConnect()
    #expect(fixture.requests() == ["subscribe to=state,timeline,pairing id=0"])
    fixture.box("state playing=0")
    let (one, two) = (fixture.openPage(), fixture.openPage())
    #expect(fixture.replies(to: "subscribe to=state,timeline id=1", on: one) == ["done id=1", "state playing=0"])
    #expect(fixture.replies(to: "subscribe to=pairing id=1", on: two) == ["done id=1", "pairing window=0"])
    #expect(fixture.replies(to: "subscribe to=all", on: two).first?.contains("the topics are") == true)
    fixture.box("timeline session=1")
    fixture.box("pairing window=60")
    fixture.box("future x=1")
    #expect(fixture.messages(one) == ["timeline session=1"])
    #expect(fixture.messages(two) == ["pairing window=60"])
    #expect(fixture.requests().isEmpty)
    #expect(fixture.replies(to: "subscribe to=none", on: one) == ["done"])
    fixture.box("state playing=1")
    #expect(fixture.messages(one).isEmpty)
  }

  @Test func pairing() {
    fixture.connectBox()
    #expect(fixture.status("POST", "/pair", ["Host: box", "Origin: http://box"]) == 403)
    let watcher = fixture.openPage()
    _ = fixture.replies(to: "subscribe to=pairing", on: watcher)
    fixture.box("pairing window=60")
    let answer = fixture.answer("POST", "/pair", ["Host: box", "Origin: http://box"], from: "10.77.0.5")
    let token = ServerFixture.token(1)
    #expect(answer.hasPrefix("HTTP/1.1 204 "))
    #expect(answer.contains("\r\nSet-Cookie: token=\(token); HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000\r\n"))
    #expect(fixture.messages(watcher) == ["pairing window=60", "pairing window=0"])
    #expect(fixture.status("POST", "/pair", ["Host: box", "Origin: http://box"], from: "10.77.0.6") == 403)
    #expect(fixture.server.hasNewPhones)
    #expect(fixture.requests() == ["paired at=\(fixture.now.nanoseconds) id=0"])
    let number = fixture.openPage(token: token)
    #expect(fixture.replies(to: "do command=start id=4", on: number).isEmpty)
    #expect(fixture.requests() == ["do command=start id=1"])
    #expect(fixture.replies(to: "do command=pair id=5", on: number).first?.hasPrefix("refused id=5") == true)
  }

  @Test func windowEndsAfterItsTimeAndWithTheBox() {
    fixture.connectBox()
    let post = ["Host: box", "Origin: http://box"]
    fixture.box("pairing window=60")
    fixture.advance(.seconds(60))
    #expect(fixture.status("POST", "/pair", post) == 403)
    fixture.box("pairing window=60")
    fixture.server.boxDidDisconnect()
    #expect(fixture.status("POST", "/pair", post) == 403)
    fixture.connectBox()
    fixture.box("pairing window=60")
    fixture.advance(.seconds(60) - Nanoseconds(1))
    #expect(fixture.status("POST", "/pair", post) == 204)
  }

  /// A page that was welcomed before the box reported its open window, as after a restart of the server.
  @Test func aSubscriberGetsTheRestOfTheWindow() {
    fixture.connectBox()
    let page = fixture.openPage()
    fixture.box("pairing window=60")
    fixture.advance(.milliseconds(10_500))
    #expect(fixture.messages(page).isEmpty)
    #expect(fixture.replies(to: "subscribe to=pairing id=1", on: page) == ["done id=1", "pairing window=50"])
    #expect(fixture.replies(to: "subscribe to=state id=2", on: page) == ["done id=2"])
    fixture.server.boxDidDisconnect()
    fixture.connectBox()
    _ = fixture.messages(page)
    #expect(fixture.replies(to: "subscribe to=pairing id=3", on: page) == ["done id=3", "pairing window=0"])
  }

  /// The box sends the time that is left to a server that connects again.
  @Test func windowOutlastsANewConnection() {
    fixture.connectBox()
    let post = ["Host: box", "Origin: http://box"]
    fixture.box("pairing window=60")
    fixture.advance(.seconds(50))
    fixture.server.boxDidDisconnect()
    fixture.connectBox()
    fixture.box("pairing window=10")
    fixture.advance(.seconds(10))
    #expect(fixture.status("POST", "/pair", post) == 403)
    fixture.box("pairing window=10")
    #expect(fixture.status("POST", "/pair", post) == 204)
    // The box has closed its window.
    fixture.box("pairing window=0")
    #expect(fixture.status("POST", "/pair", post) == 403)
  }

  @Test func forgettingTakesRightsAtOnce() {
    fixture.connectBox()
    fixture.pair()
    let token = ServerFixture.token(1)
    let (number, visitor) = (fixture.openPage(token: token), fixture.openPage())
    #expect(fixture.status("POST", "/forget", ["Host: box", "Origin: http://box"]) == 403)
    #expect(
      fixture.status("POST", "/forget", ["Host: box", "Origin: http://box", "Cookie: token=\(ServerFixture.token(2))"])
        == 403)
    #expect(fixture.status("POST", "/forget", ["Host: box", "Origin: http://box", "Cookie: token=\(token)"]) == 204)
    #expect(fixture.messages(number) == ["welcome v=1 paired=0 trusted=0 window=0"])
    #expect(fixture.messages(visitor).isEmpty)
    #expect(fixture.replies(to: "do command=start", on: number) == ["refused why=\"pair this phone first\""])
    // The token is worth nothing afterwards.
    let again = fixture.openPage(token: token)
    #expect(fixture.replies(to: "do command=start", on: again) == ["refused why=\"pair this phone first\""])
    #expect(fixture.status("POST", "/forget", ["Host: box", "Origin: http://box", "Cookie: token=\(token)"]) == 403)
    #expect(fixture.requests().isEmpty)
  }

  @Test func onlyLocalClientsAreTrusted() {
    for (trusts, address, expected) in [
      (true, "127.0.0.1", true), (true, "10.77.0.2", false), (false, "127.0.0.1", false),
    ] {
      let fixture = ServerFixture(trustsLocal: trusts)
      fixture.connectBox()
      let number = fixture.openPage(from: address)
      #expect(fixture.replies(to: "do command=start", on: number).isEmpty == expected)
    }
  }

  @Test func boxComesAndGoes() {
    let number = fixture.openPage()
    #expect(fixture.replies(to: "song id=1", on: number) == ["refused id=1 why=\"the metronome is not running\""])
    fixture.connectBox()
    #expect(fixture.messages(number) == ["box connected=1"])
    fixture.box("state playing=1")
    fixture.send("song id=2", on: number)
    fixture.server.boxDidDisconnect()
    fixture.server.boxDidDisconnect()
    #expect(fixture.messages(number) == ["refused id=2 why=\"the metronome has stopped\"", "box connected=0"])
    // Nothing is kept for the next box.
    #expect(fixture.requests().isEmpty)
    #expect(fixture.replies(to: "subscribe to=state", on: number) == ["done"])
  }

  @Test func lateAnswersAreReported() {
    fixture.connectBox()
    let number = fixture.openPage()
    fixture.send("song id=2", on: number)
    fixture.advance(.seconds(5) - Nanoseconds(1))
    #expect(fixture.messages(number).isEmpty)
    fixture.advance(Nanoseconds(1))
    #expect(fixture.messages(number) == ["refused id=2 why=\"the metronome does not answer\""])
    fixture.box("done id=1")
    #expect(fixture.messages(number).isEmpty)
  }

  @Test func commandsAreLimited() {
    fixture.connectBox()
    for _ in 0..<3 { fixture.pair() }
    let pages = (1...3).map { fixture.openPage(token: ServerFixture.token($0)) }
    _ = fixture.requests()
    var refusals: [Int] = []
    for page in pages {
      for _ in 0..<25 { fixture.send("do command=tap", on: page) }
      refusals.append(fixture.messages(page).count { $0 == "refused why=\"too many commands\"" })
    }
    // 20 of each page, 50 of all.
    #expect(refusals == [5, 5, 15])
    #expect(fixture.requests().count == 50)
    fixture.advance(.milliseconds(50))
    #expect(fixture.replies(to: "do command=tap", on: pages[0]).isEmpty)
  }

  @Test func visitorsLeaveEnoughForPhones() {
    fixture.connectBox()
    fixture.pair()
    _ = fixture.requests()
    for _ in 0..<3 {
      let visitor = fixture.openPage()
      for _ in 0..<20 { fixture.send("song", on: visitor) }
    }
    #expect(fixture.requests().count == 20)
    let page = fixture.openPage(token: ServerFixture.token(1))
    #expect(fixture.replies(to: "do command=tap", on: page).isEmpty)
  }

  @Test func requestsHaveALimit() {
    fixture.connectBox()
    fixture.pair()
    let page = fixture.openPage(token: ServerFixture.token(1))
    let reply = fixture.replies(to: "preset action=save name=" + String(repeating: "a", count: 1_100), on: page)
    #expect(reply == ["refused why=\"the message is longer than 1024 bytes\""])
    #expect(fixture.replies(to: "do command", on: page).first?.hasPrefix("refused why=\"column 11") == true)
    #expect(fixture.replies(to: "song id=-1", on: page).first?.hasPrefix("refused why=\"id is") == true)
  }
}
