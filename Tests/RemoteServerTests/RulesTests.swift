import MetronomeCore
import Testing

@testable import RemoteServer

@Suite struct HostRulesTests {
  private let rules = HostRules(hostName: "Box", others: ["stage.example"])
  private let network = Endpoint("10.77.0.1", 80)

  @Test(arguments: ["10.77.0.1", "box", "BOX.local", "stage.example"])
  func ownNames(_ host: String) { #expect(rules.accepts(host: host, on: network)) }

  @Test(arguments: [
    "", "10.77.0.2", "10.77.0.1:80", "10.77.0.1:8080", "10.77.0.1.", "10.77.0.1.evil.example", "box.evil.example",
    "evil.example",
    "box.local.evil.example", "localhost", "127.0.0.1", "[::1]", "xbox", "box@evil.example",
  ])
  func foreignNames(_ host: String) { #expect(!rules.accepts(host: host, on: network)) }

  @Test func portsAndLoopback() {
    let local = Endpoint("127.0.0.1", 8080)
    for host in ["localhost:8080", "127.0.0.1:8080", "[::1]:8080", "box:8080"] {
      #expect(rules.accepts(host: host, on: local))
    }
    for host in ["localhost", "localhost:80", "localhost:80801", "localhost:18080", "10.77.0.1:8080", ":8080"] {
      #expect(!rules.accepts(host: host, on: local))
    }
    #expect(rules.accepts(host: "[fd00::1]:81", on: Endpoint("fd00::1", 81)))
    #expect(!rules.accepts(host: "fd00::1:81", on: Endpoint("fd00::1", 81)))
  }

  @Test func namelessHosts() {
    #expect(!HostRules(hostName: "").accepts(host: "", on: network))
    #expect(!HostRules(hostName: "").accepts(host: ".local", on: network))
  }

  @Test func networks() {
    for (address, network) in [
      ("10.77.0.1", "10.77.0.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
      ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
      ("2001:db8::5", "2001:db8:0:0::/64"), ("2001:db8::3:4:5:6:7", "2001:db8:0:3::/64"),
      ("fe80::1", "fe80:0:0:0::/64"),
      ("::1", "0:0:0:0::/64"), ("::", "0:0:0:0::/64"), ("1::", "1:0:0:0::/64"),
      ("64:ff9b::10.0.0.1", "64:ff9b:0:0::/64"),
      ("1:2:3:4:5:6:10.0.0.1", "1:2:3:4::/64"), ("", ""),
    ] {
      #expect(Endpoint(address, 1).network == network)
    }
  }

  @Test func origins() {
    #expect(rules.accepts(origin: "http://box.local", host: "Box.local"))
    for origin in [
      nil, "null", "https://box.local", "http://box", "http://box.local:80", "http://box.local/", "box.local",
    ] {
      #expect(!rules.accepts(origin: origin, host: "box.local"))
    }
  }
}

@Suite struct PairingTests {
  private let start = Instant(nanoseconds: 1_000_000_000_000)
  private func bytes(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 16) }

  private func token(_ number: UInt8) -> String { Encoding.hexadecimal(bytes(number)) }

  private func asker(_ network: String, _ browser: String = "") -> Pairing.Asker {
    Pairing.Asker(network: network, address: network, browser: browser)
  }

  /// A phone asks, with the bytes of this number as its token. Returns the number that the box must show; nil: refused.
  private func ask(
    _ number: UInt8, _ pairing: inout Pairing, from network: String? = nil, in browser: String = "", at now: Instant
  ) -> Int? {
    let answer = pairing.ask(
      name: "phone \(number)", from: asker(network ?? "\(number)", browser), random: { bytes(number) }, at: now)
    guard case .asks(let shown, let token) = answer else { return nil }
    #expect(token == self.token(number))
    return shown
  }

  @Test func onlyTheConfirmedPhoneIsPaired() throws {
    var pairing = Pairing()
    let first = ask(1, &pairing, at: start)
    let one = try #require(first)
    let second = ask(2, &pairing, at: start)
    let two = try #require(second)
    #expect(one != two)
    let three = pairing.confirm(777, date: 5, at: start)
    #expect(three == nil && pairing.phones.isEmpty)
    let confirmed = pairing.confirm(two, date: 1_796_000_000, at: start)
    let phone = try #require(confirmed)
    #expect(phone.name == "phone 2" && phone.date == 1_796_000_000)
    #expect(phone.hash == SHA256.hash(Array(token(2).utf8)))
    #expect(pairing.known(["x", token(2)]).map(pairing.isPaired) == true)
    #expect(pairing.known([token(1)]).map(pairing.isPaired) == false)
    #expect(pairing.known([token(2).uppercased() + "0", ""]) == nil)
    #expect(!pairing.text.contains(token(2)))
    let again = pairing.confirm(two, date: 5, at: start)
    #expect(again == nil, "a number counts once")
    let known = pairing.ask(as: pairing.known([token(2)]), name: "", from: asker("c"), random: { bytes(3) }, at: start)
    #expect(known == .paired)
  }

  @Test func aNumberIsThatOfOnePhone() {
    var pairing = Pairing()
    var numbers: Set<Int> = []
    for number in 0..<UInt8(Limits.requests) { ask(number, &pairing, at: start).map { _ = numbers.insert($0) } }
    #expect(numbers.count == Limits.requests)
    #expect(numbers.allSatisfy { String($0).count == 3 && String($0).allSatisfy { ("1"..."6").contains($0) } })
    let more = ask(100, &pairing, at: start)
    #expect(more == nil, "too many ask")
    let later = ask(100, &pairing, at: start + Limits.requestLife)
    #expect(later != nil, "the others have given up")
    let old = numbers.compactMap { pairing.confirm($0, date: 0, at: start + Limits.requestLife)?.name }
    #expect(old.filter { $0 != "phone 100" } == [])
  }

  @Test func aBrowserAsksForTwoPhonesAndAnAddressForSix() {
    var pairing = Pairing()
    let numbers = (1...3).map { ask($0, &pairing, from: "a", at: start) }
    #expect(numbers[0] != nil && numbers[1] != nil && numbers[2] == nil)
    let same = pairing.ask(
      as: pairing.known([token(1)]), name: "", from: asker("a"), random: { bytes(9) }, at: start)
    #expect(same == .asks(number: numbers[0]!, token: nil), "a page that was loaded again")
    let others = (4...9).map { ask($0, &pairing, from: "a", in: "browser \($0)", at: start) }
    // The newest of the first browser gives way.
    #expect(others.map { $0 != nil } == [true, true, true, true, true, false])
    let other = ask(10, &pairing, from: "b", at: start)
    #expect(other != nil)
  }

  @Test func numbersAreShownInTurnWhileTheWindowIsOpen() throws {
    var pairing = Pairing()
    let numbers = (1...3).compactMap { ask($0, &pairing, at: start) }
    func shown(from: Int64, to: Int64) -> [Int] {
      (from...to).compactMap { pairing.numberToShow(at: start + .seconds($0)) }
    }
    let before = shown(from: 0, to: 9)
    #expect(before == [])
    pairing.open(seconds: 120, at: start + .seconds(10))
    let round = shown(from: 10, to: 49)
    #expect(round == numbers + [numbers[0]])
    let third = ask(4, &pairing, at: start + .seconds(50))
    let late = try #require(third)
    // The box reports its window again and again.
    pairing.open(seconds: 80, at: start + .seconds(50))
    let next = shown(from: 50, to: 129)
    let turns: [Int] = [1, 2, 3, 0, 1, 2, 3, 0]
    let wanted: [Int] = turns.map { $0 == 3 ? late : numbers[$0] }
    #expect(next == wanted)
    let after = shown(from: 130, to: 200)
    #expect(after == [])
    pairing.open(seconds: 120, at: start + .seconds(200))
    pairing.open(seconds: 0, at: start + .seconds(200))
    let shut = shown(from: 200, to: 220)
    #expect(shut == [])
  }

  @Test func aRequestDoesNotEndWhileItsNumberIsShown() throws {
    var pairing = Pairing()
    let asked = ask(1, &pairing, at: start)
    let number = try #require(asked)
    let last = start + Limits.requestLife - .seconds(20)
    pairing.open(seconds: 120, at: last - .seconds(1))
    let first = pairing.numberToShow(at: last - Nanoseconds(1))
    #expect(first == number)
    var other = pairing
    other.open(seconds: 120, at: last)
    let tooLate = other.numberToShow(at: last + .seconds(10))
    #expect(tooLate == nil)
    let phone = pairing.confirm(number, date: 5, at: last + .seconds(19))
    #expect(phone?.name == "phone 1")
  }

  @Test func whoHasMostRequestsGivesWay() {
    func asker(_ network: String, _ address: String, _ browser: String = "") -> Pairing.Asker {
      Pairing.Asker(network: network, address: address, browser: browser)
    }
    var (pairing, numbers): (Pairing, [Int?]) = (Pairing(), [])
    func ask(_ asker: Pairing.Asker) -> Bool {
      let number = UInt8(numbers.count)
      guard case .asks(let shown, _) = pairing.ask(name: "", from: asker, random: { bytes(number) }, at: start) else {
        numbers.append(nil)
        return false
      }
      numbers.append(shown)
      return true
    }
    func isWaiting(_ number: Int) -> Bool {
      pairing.number(of: SHA256.hash(Array(token(UInt8(number)).utf8)), at: start) != nil
    }
    // Six of one address in the network N, six of another network.
    for browser in ["a", "b", "c"] { for _ in 0..<2 { #expect(ask(asker("N", "N1", browser))) } }
    for browser in ["a", "b", "c"] { for _ in 0..<2 { #expect(ask(asker("M", "M1", browser))) } }
    #expect(!ask(asker("N", "N1", "a")), "two of one browser")
    #expect(ask(asker("N", "N2", "a")), "another address of the same network")
    #expect(!isWaiting(5) && isWaiting(13), "the newest of the largest browser of the largest address")
    #expect(ask(asker("O", "O1")), "another network")
    #expect(!isWaiting(3) && isWaiting(14) && isWaiting(13), "of two networks of a size that of the newest request")
    #expect(ask(asker("M", "M1", "d")), "another browser of an address that has its six")
    #expect(!isWaiting(11) && isWaiting(15))
    #expect((0..<16).count(where: isWaiting) == Limits.requests)
  }

  @Test func phonesAreStoredWithNameAndDate() {
    var pairing = Pairing()
    for number in 0..<9 as Range<UInt8> {
      let shown = ask(number, &pairing, at: start)
      _ = shown.flatMap { pairing.confirm($0, date: Int64(number), at: start) }
    }
    let hash = Encoding.hexadecimal([UInt8](repeating: 0xAB, count: 32))
    let again = Pairing(text: pairing.text + "garbage\n\nab\n\(hash)\n\(hash) 7\n")
    #expect(again.phones == pairing.phones)
    #expect(again.phones.map(\.name) == (1...8).map { "phone \($0)" })
    let undated = Pairing(text: "\(hash) - mine\n")
    #expect(undated.phones.map(\.name) == ["mine"] && undated.phones.first?.date == nil)
    #expect(Pairing(text: undated.text).phones == undated.phones)
  }

  private static let longName = String(repeating: "x", count: 100)

  @Test(arguments: [
    ("", "phone"), ("  ", "phone"), ("Anna’s phone", "Anna’s phone"), ("a\nb\u{202E}c\u{0}", "abc"),
    (longName, String(longName.prefix(40))),
  ])
  func namesFitInALine(name: String, shown: String) {
    var pairing = Pairing()
    guard case .asks(let number, _) = pairing.ask(name: name, from: asker("a"), random: { bytes(1) }, at: start) else {
      return #expect(Bool(false))
    }
    let phone = pairing.confirm(number, date: 7, at: start)
    #expect(phone?.name == shown)
    #expect(Pairing(text: pairing.text).phones == pairing.phones)
  }

  @Test func forgottenTokensAreRefused() throws {
    var pairing = Pairing()
    for number in 1...3 as ClosedRange<UInt8> {
      let asked = ask(number, &pairing, at: start)
      let shown = try #require(asked)
      _ = pairing.confirm(shown, date: 0, at: start)
    }
    let name = pairing.forget(key: pairing.phones[1].key)
    #expect(name == "phone 2" && pairing.phones.map(\.name) == ["phone 1", "phone 3"])
    let nobody = pairing.forget(key: "0123456789abcdef")
    #expect(nobody == nil)
    pairing.forgetAll()
    #expect(pairing.known([token(1)]) == nil && pairing.text.isEmpty)
  }

  @Test func newRequestsAreLimited() {
    var pairing = Pairing()
    // A page that asks again and again does not keep another one at its address from asking.
    _ = ask(1, &pairing, from: "a", at: start)
    for _ in 0..<1_000 {
      let again = pairing.ask(
        as: pairing.known([token(1)]), name: "", from: asker("a"), random: { bytes(1) }, at: start)
      if again == .refused { Issue.record("refused") }
    }
    let second = ask(2, &pairing, from: "a", at: start)
    #expect(second != nil)
    let answers = (3...5).map { ask($0, &pairing, from: "a", at: start) }
    #expect(answers == [nil, nil, nil])
    let later = start + Limits.requestLife
    for number in 6...13 as ClosedRange<UInt8> { _ = ask(number, &pairing, from: "b", at: later) }
    let free = ask(14, &pairing, from: "b", at: later + Limits.requestLife)
    #expect(free != nil)
  }

  @Test func comparison() {
    #expect(isEqualInConstantTime([1, 2], [1, 2]))
    #expect(!isEqualInConstantTime([1, 2], [1, 3]))
    #expect(!isEqualInConstantTime([1, 2], [1]))
  }
}
