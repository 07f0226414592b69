import MetronomeCore
import MetronomeEngine
import RemoteServer
import TestSupport
import Testing

@Suite struct PageMessageTests {
  private let fixture = ServerFixture()

  @Test func welcomeComesFirst() {
    let number = fixture.connect()
    let bytes = Array(fixture.request("GET", "/socket", ServerFixture.handshake()).utf8)
    fixture.server.receive(bytes, on: number, at: fixture.now)
    let sent = fixture.sent(number)
    let expected =
      WebSocketFrame.text("welcome v=1 paired=0 trusted=0".utf8) + WebSocketFrame.text("box connected=0".utf8)
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
    for (index, word) in ["presets", "scores", "song", "songs"].enumerated() {
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
    #expect(fixture.replies(to: "subscribe to=timeline id=1", on: two) == ["done id=1"])
    for topic in ["all", "pairing"] {
      #expect(fixture.replies(to: "subscribe to=\(topic)", on: two).first?.contains("the topics are") == true)
    }
    fixture.box("timeline session=1")
    fixture.box("pairing window=120 shown=123")
    fixture.box("future x=1")
    #expect(fixture.messages(one) == ["timeline session=1"])
    #expect(fixture.messages(two) == ["timeline session=1"])
    #expect(fixture.requests().isEmpty)
    #expect(fixture.replies(to: "subscribe to=none", on: one) == ["done"])
    fixture.box("state playing=1")
    #expect(fixture.messages(one).isEmpty)
  }

  private let post = ["Host: box", "Origin: http://box"]

  @Test func aPhoneAsksAndThePersonAtTheBoxConfirmsIt() {
    fixture.connectBox()
    let answer = fixture.answer("POST", "/pair?name=Anna%E2%80%99s+phone", post, from: "10.77.0.5")
    let token = ServerFixture.token(1)
    #expect(answer.hasPrefix("HTTP/1.1 202 "))
    #expect(answer.contains("\r\nSet-Cookie: token=\(token); HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000\r\n"))
    let number = String(answer.suffix(4).prefix(3))
    let page = fixture.openPage(token: token)
    #expect(fixture.replies(to: "do command=start", on: page) == ["refused why=\"pair this phone first\""])
    #expect(fixture.requests().isEmpty)
    fixture.box("pairing window=120")
    fixture.advance(.zero)
    #expect(fixture.requests() == ["show number=\(number) id=0"])
    #expect(fixture.server.deadline == fixture.now + Limits.numberTime)
    fixture.box("pairing window=120 shown=\(number)")
    fixture.box("pairing window=0 confirmed=\(number)")
    #expect(fixture.messages(page) == ["welcome v=1 paired=1 trusted=0"])
    #expect(fixture.server.notices == ["a phone was paired: Anna’s phone"])
    #expect(fixture.replies(to: "do command=start id=4", on: page).isEmpty)
    #expect(fixture.requests() == ["do command=start id=1"])
    for command in ["pair", "forget_phones"] {
      #expect(fixture.replies(to: "do command=\(command) id=5", on: page).first?.hasPrefix("refused id=5") == true)
    }
    #expect(fixture.status("POST", "/pair", post + ["Cookie: token=\(token)"], from: "10.77.0.5") == 204)
    #expect(
      fixture.replies(to: "phones id=6", on: page) == [
        "phone key=\(fixture.server.pairing.phones[0].key) name=\"Anna’s phone\" date=1796000000 own=1 id=6",
        "done id=6",
      ])
  }

  /// The owner follows the page, and presses at any time after a number was shown. The attacker has several addresses and browsers, in
  /// half of the lives in the same IPv6 network as the owner, asks first and all the time, and gets tokens; none of them is ever worth
  /// anything. The times are random.
  @Test(arguments: Seeds.few(4, of: 100)) func anAttackerBesideTheOwnerIsNeverPaired(seed: UInt64) throws {
    var random = Lehmer(seed: seed + 1)
    let fixture = ServerFixture()
    fixture.connectBox()
    var window = PairingWindow()
    var (own, press): (Int?, Instant?) = (nil, nil)
    let (addresses, browsers) = (1 + random.below(5), 1 + random.below(8))
    let network = seed % 2 == 0 ? "10.77.1." : "2001:db8::5:"
    let asksAt = fixture.now + .milliseconds(Int64(random.below(60_000)))
    var ends = fixture.now + .seconds(400)
    while fixture.now < ends {
      for address in 0..<addresses {
        _ = fixture.ask(from: "\(network)\(address)", in: "\(random.below(browsers))")
      }
      if own == nil, fixture.now >= asksAt {
        own = Int(fixture.ask(from: network + "77", in: "\(random.below(8))"))
        #expect(own != nil, "whoever asks first does not keep others out")
      }
      fixture.advance(.milliseconds(Int64(random.below(700)) + 100))
      for request in fixture.server.takeRequests() where request.word == "show" {
        let number = try #require(request["number"].flatMap { Int($0) })
        guard window.show(number, at: fixture.now) else { continue }
        press = number == own ? fixture.now + .milliseconds(1_500 + Int64(random.below(8_000))) : nil
      }
      if let now = press, now <= fixture.now {
        press = nil
        _ = window.press(at: now, now: now)
      }
      for event in window.takeEvents() {
        guard case .confirmed(let number) = event else {
          fixture.box("pairing window=\(window.seconds(at: fixture.now))")
          continue
        }
        #expect(number == own)
        fixture.box("pairing window=0 confirmed=\(number)")
        ends = fixture.now
      }
      // Who has opened the window does so again only after it is shut.
      if own != nil, press == nil, window.seconds(at: fixture.now) == 0 {
        press = fixture.now + .milliseconds(Int64(random.below(20_000)))
      }
    }
    #expect(fixture.server.pairing.phones.count == 1, "the owner is paired")
  }

  /// Whatever a visitor does, it is told the same with an open window as with a shut one.
  @Test func visitorsLearnNothingOfTheWindow() {
    func told(windowIsOpen: Bool) -> [[String]] {
      let fixture = ServerFixture()
      fixture.connectBox()
      let page = fixture.openPage(from: "10.77.0.9")
      _ = fixture.ask(from: "10.77.0.5")
      if windowIsOpen { fixture.box("pairing window=120") }
      fixture.advance(.zero)
      if windowIsOpen { fixture.box("pairing window=120 shown=123") }
      let answer = fixture.answer("POST", "/pair", ["Host: box", "Origin: http://box"], from: "10.77.0.9")
      let again = fixture.openPage(token: ServerFixture.token(2), from: "10.77.0.9")
      let replies = ["subscribe to=pairing", "subscribe to=state,timeline", "phones", "do command=pair"]
      return [[answer], fixture.messages(page)] + replies.map { fixture.replies(to: $0, on: again) }
    }
    #expect(told(windowIsOpen: true) == told(windowIsOpen: false))

    /// After the end of a request, whose number was shown or not.
    func toldLater(windowIsOpen: Bool) -> [String] {
      let fixture = ServerFixture()
      fixture.connectBox()
      _ = fixture.ask(from: "10.77.0.5")
      fixture.advance(Limits.requestLife - .seconds(25))
      if windowIsOpen { fixture.box("pairing window=120") }
      let fields = ["Host: box", "Origin: http://box", "Cookie: token=\(ServerFixture.token(1))"]
      return ([1, 10, 13, 3, 10, 10] as [Int64]).map {
        fixture.advance(.seconds($0))
        return fixture.answer("POST", "/pair", fields, from: "10.77.0.5")
      }
    }
    #expect(toldLater(windowIsOpen: true) == toldLater(windowIsOpen: false))
  }

  @Test func aWrongOrLateNumberPairsNobody() {
    fixture.connectBox()
    let number = fixture.ask(from: "10.77.0.5")
    let page = fixture.openPage(token: ServerFixture.token(1))
    fixture.box("pairing window=120")
    fixture.box("pairing window=0 confirmed=\(number == "111" ? "112" : "111")")
    fixture.box("pairing window=120 confirmed=x forget=2")
    #expect(fixture.messages(page).isEmpty)
    fixture.advance(Limits.requestLife)
    fixture.box("pairing window=0 confirmed=\(number)")
    #expect(fixture.server.pairing.phones.isEmpty && fixture.server.notices.isEmpty)
  }

  @Test func theWindowEndsWithTheBox() {
    fixture.connectBox()
    _ = fixture.ask(from: "10.77.0.5")
    fixture.box("pairing window=120")
    fixture.server.boxDidDisconnect()
    fixture.connectBox()
    fixture.advance(.seconds(1))
    #expect(fixture.requests().isEmpty)
    // The box tells a server that connects again how long its window is open.
    fixture.box("pairing window=3")
    fixture.advance(.seconds(1))
    #expect(fixture.requests().count == 1)
    fixture.advance(.seconds(20))
    #expect(fixture.requests().isEmpty)
  }

  @Test func oneOfTwoPhonesIsForgotten() {
    fixture.connectBox()
    fixture.pair()
    fixture.pair()
    let (one, two) = (fixture.openPage(token: ServerFixture.token(1)), fixture.openPage(token: ServerFixture.token(2)))
    let key = fixture.server.pairing.phones[1].key
    #expect(fixture.status("POST", "/forget?phone=\(key)", post) == 403)
    let own = post + ["Cookie: token=\(ServerFixture.token(1))"]
    for query in ["phone=0000", "phone=", "phone", "x=1", "", "phone=%FF"] {
      #expect(fixture.status("POST", "/forget?\(query)", own) == 404)
    }
    fixture.server.notices = []
    #expect(fixture.status("POST", "/forget?phone=\(key)", own) == 204)
    #expect(fixture.server.notices == ["a phone was forgotten: My phone"])
    #expect(fixture.messages(two) == ["welcome v=1 paired=0 trusted=0"])
    #expect(fixture.messages(one) == ["welcome v=1 paired=1 trusted=0"])
    #expect(fixture.replies(to: "do command=start", on: two) == ["refused why=\"pair this phone first\""])
  }

  @Test func thePersonAtTheBoxForgetsAllPhones() {
    fixture.connectBox()
    fixture.pair()
    let page = fixture.openPage(token: ServerFixture.token(1))
    fixture.box("pairing window=0 forget=1")
    #expect(fixture.messages(page) == ["welcome v=1 paired=0 trusted=0"])
    #expect(fixture.server.pairing.text.isEmpty && fixture.server.notices.last == "all phones were forgotten")
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
    #expect(fixture.messages(number) == ["welcome v=1 paired=0 trusted=0"])
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
