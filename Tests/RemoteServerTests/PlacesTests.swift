import MetronomeCore
import RemoteServer
import Testing

/// Who has a place when there are too many: in virtual time, without sockets.
@Suite struct PlacesTests {
  private let fixture = ServerFixture()

  private func isEnded(_ number: Int) -> Bool { fixture.server[number]?.isEnded != false }
  private func isPage(_ number: Int) -> Bool { fixture.server[number]?.isWebSocket == true }

  /// A page of an address; nil: there is no place for it.
  private func page(from address: String, token: String? = nil) -> Int? {
    fixture.advance(Nanoseconds(1))
    let number = fixture.openPage(token: token, from: address)
    return isPage(number) ? number : nil
  }

  private func connect(from address: String) -> Int {
    fixture.advance(Nanoseconds(1))
    return fixture.connect(from: address)
  }

  /// What a page receives last.
  private func code(_ number: Int) -> String? { fixture.messages(number).last }

  @Test func visitorsCannotTakeThePlacesOfPhones() throws {
    fixture.pair()
    let token = ServerFixture.token(1)
    let pages = (0..<24).map { page(from: "10.77.3.\($0)") }
    #expect(!pages.contains(nil))
    #expect(page(from: "10.77.4.1") == nil)
    let connections = (0..<100).map { connect(from: "10.77.5.\($0)") }
    #expect(connections.count { !isEnded($0) } == 40)
    // From the address of a visitor, too.
    for address in ["10.77.4.1", "10.77.3.1"] {
      let phone = try #require(page(from: address, token: token))
      for visitor in 0..<200 { _ = connect(from: "10.77.6.\(visitor)") }
      #expect(fixture.replies(to: "ping t=1", on: phone) == ["pong t=1 now=\(fixture.now.nanoseconds)"])
    }
    let visitors = pages.compactMap(\.self).count(where: isPage)
    #expect(visitors == 24)
  }

  /// One phone cannot take the places of another; its oldest page gives way after five seconds, because it may be dead.
  @Test func eachPhoneHasPlacesOfItsOwn() throws {
    for _ in 0..<2 { fixture.pair() }
    let (one, two) = (ServerFixture.token(1), ServerFixture.token(2))
    let pages = (0..<6).compactMap { _ in page(from: "10.77.0.2", token: one) }
    #expect(pages.count == 6)
    #expect(page(from: "10.77.0.2", token: one) == nil)
    #expect(page(from: "10.77.0.2", token: two) != nil)
    fixture.advance(.seconds(5))
    #expect(page(from: "10.77.0.2", token: one) != nil)
    #expect(code(pages[0]) == "frame 136 [3, 245]")
    let isOpen = pages.map(isPage)
    #expect(isOpen == [false, true, true, true, true, true])
    // Other connections of the phone do not end its pages.
    let files = (0..<20).map { _ in
      let number = connect(from: "10.77.0.2")
      fixture.receive(fixture.request("GET", "/", ["Host: box", "Cookie: token=\(one)"]), on: number)
      _ = fixture.sent(number)
      return number
    }
    #expect(files.map(isEnded).suffix(6) == [false, false, false, false, false, false])
    #expect(files.count { !isEnded($0) } == 6)
    #expect(pages.dropFirst().allSatisfy(isPage))
  }

  /// Whoever has most gives up the oldest, also of the same /64.
  @Test func networksShareTheConnections() {
    let crowd = (0..<70).map { connect(from: "2001:db8:0:1::\($0)") }
    let lone = connect(from: "2001:db8:0:2::1")
    #expect(crowd.map(isEnded).firstIndex(of: false) == 7)
    _ = (0..<200).map { connect(from: "2001:db8:0:1::\($0)") }
    #expect(!isEnded(lone))
    // Here every network has one connection: the oldest gives way.
    _ = (0..<62).map { connect(from: "2001:db8:1:\($0)::1") }
    #expect(!isEnded(lone))
    _ = connect(from: "2001:db8:2::1")
    #expect(isEnded(lone))
  }

  @Test func networksShareThePages() throws {
    let crowd = (0..<24).compactMap { page(from: "2001:db8:0:1::\($0)") }
    #expect(crowd.count == 24)
    #expect(page(from: "2001:db8:0:1::99") == nil)
    let lone = try #require(page(from: "2001:db8:0:2::1"))
    #expect(code(crowd[0]) == "frame 136 [3, 245]")
    // Until both have as many.
    let more = (0..<20).compactMap { page(from: "10.77.0.\($0 % 2)") }
    #expect(crowd.count(where: isPage) == 8 && more.count == 15 && isPage(lone))
  }

  /// With equal shares, the oldest page gives way, but not before a minute, so that pages do not displace each other forever.
  @Test func visitorsGiveWayAfterAMinute() throws {
    let pages = (0..<24).compactMap { page(from: "10.77.3.\($0)") }
    fixture.advance(.seconds(20))
    for number in pages { fixture.send("ping t=1", on: number) }
    fixture.advance(.seconds(20))
    for number in pages { fixture.send("ping t=1", on: number) }
    fixture.advance(.seconds(20) - Nanoseconds(30))
    #expect(page(from: "10.77.4.1") == nil)
    fixture.advance(Nanoseconds(10))
    #expect(page(from: "10.77.4.1") != nil)
    #expect(pages.map(isPage).firstIndex(of: true) == 1)
  }

  /// The last request decides whose place it is: a proxy may send those of several clients on one connection.
  @Test func aConnectionCanBecomeAVisitor() throws {
    fixture.pair()
    let token = ServerFixture.token(1)
    let number = connect(from: "10.77.0.2")
    fixture.receive(fixture.request("GET", "/", ["Host: box", "Cookie: token=\(token)"]), on: number)
    _ = fixture.sent(number)
    #expect(fixture.server.isPaired(number))
    let visitors = (0..<64).map { connect(from: "10.77.5.\($0)") }
    #expect(!isEnded(number) && !isEnded(visitors[0]))
    fixture.receive(fixture.request("GET", "/socket", ServerFixture.handshake()), on: number)
    #expect(fixture.sentText(number).contains("welcome v=1 paired=0"))
    #expect(!fixture.server.isPaired(number) && isPage(number))
    #expect(visitors.map(isEnded).firstIndex(of: false) == 1)
    fixture.connectBox()
    _ = fixture.messages(number)
    #expect(fixture.replies(to: "do command=start id=1", on: number) == [#"refused id=1 why="pair this phone first""#])
  }

  @Test func forgottenPhonesAreVisitors() throws {
    fixture.pair()
    let token = ServerFixture.token(1)
    let phone = try #require(page(from: "10.77.0.2", token: token))
    let origin = ["Host: box", "Origin: http://box", "Cookie: token=\(token)"]
    #expect(fixture.status("POST", "/forget", origin) == 204)
    let pages = (0..<23).compactMap { page(from: "10.77.3.\($0)") }
    #expect(pages.count == 23 && isPage(phone))
    #expect(page(from: "10.77.4.1") == nil)
  }
}
