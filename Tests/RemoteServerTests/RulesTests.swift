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

  @Test func windowIsForOnePhone() {
    var pairing = Pairing()
    #expect(pairing.pair(from: "a", random: { bytes(1) }, at: start) == .shut)
    pairing.open(seconds: 60, at: start)
    #expect(pairing.window(at: start) == 60)
    #expect(pairing.window(at: start + Nanoseconds(1)) == 60)
    #expect(pairing.window(at: start + .seconds(1)) == 59)
    let token = String(repeating: "01", count: 16)
    #expect(pairing.pair(from: "a", random: { bytes(1) }, at: start) == .paired(token: token))
    #expect(pairing.pair(from: "b", random: { bytes(2) }, at: start) == .shut)
    #expect(pairing.phone(withOneOf: ["x", token]) == SHA256.hash(Array(token.utf8)))
    #expect(pairing.phone(withOneOf: [token.uppercased() + "0", ""]) == nil)
    #expect(!pairing.text.contains(token))
  }

  @Test func windowEnds() {
    var pairing = Pairing()
    pairing.open(seconds: 60, at: start)
    #expect(pairing.window(at: start + .seconds(60) - Nanoseconds(1)) == 1)
    #expect(pairing.window(at: start + .seconds(60)) == 0)
    #expect(pairing.pair(from: "a", random: { bytes(1) }, at: start + .seconds(60)) == .shut)
  }

  @Test func eightPhonesAreStored() {
    var pairing = Pairing()
    for number in 0..<9 as Range<UInt8> {
      pairing.open(seconds: 60, at: start)
      _ = pairing.pair(from: "\(number)", random: { bytes(number) }, at: start)
    }
    let again = Pairing(text: pairing.text + "garbage\n\nab\n")
    #expect(again.phones == pairing.phones)
    #expect(again.phones.count == 8)
    #expect(again.phone(withOneOf: [String(repeating: "00", count: 16)]) == nil)
    #expect(again.phone(withOneOf: [String(repeating: "08", count: 16)]) != nil)
  }

  @Test func forgottenTokensAreRefused() {
    var pairing = Pairing()
    pairing.open(seconds: 60, at: start)
    _ = pairing.pair(from: "a", random: { bytes(1) }, at: start)
    pairing.forgetAll()
    #expect(pairing.phone(withOneOf: [String(repeating: "01", count: 16)]) == nil)
    #expect(pairing.text.isEmpty)
  }

  @Test func attemptsAreLimitedByAddress() {
    var pairing = Pairing()
    for _ in 0..<5 { #expect(pairing.pair(from: "a", random: { bytes(1) }, at: start) == .shut) }
    #expect(pairing.pair(from: "a", random: { bytes(1) }, at: start) == .tooMany)
    #expect(pairing.pair(from: "b", random: { bytes(1) }, at: start) == .shut)
    #expect(pairing.pair(from: "a", random: { bytes(1) }, at: start + .seconds(1)) == .shut)
    #expect(pairing.pair(from: "a", random: { bytes(1) }, at: start + .seconds(1)) == .tooMany)
  }

  @Test func rates() {
    var limit = RateLimit(perSecond: 20, burst: 20)
    func admitted(_ count: Int, at now: Instant) -> Int { (0..<count).count { _ in limit.admit(at: now) } }
    let atOnce = admitted(30, at: start)
    let early = admitted(1, at: start + .milliseconds(49))
    let inTime = admitted(2, at: start + .milliseconds(50))
    let later = admitted(30, at: start + .seconds(100))
    #expect([atOnce, early, inTime, later] == [20, 0, 1, 20])
  }

  @Test func comparison() {
    #expect(isEqualInConstantTime([1, 2], [1, 2]))
    #expect(!isEqualInConstantTime([1, 2], [1, 3]))
    #expect(!isEqualInConstantTime([1, 2], [1]))
  }
}
