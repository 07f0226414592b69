#if canImport(Glibc)
  import BoardSimulation
  import ControlSocket
  import Foundation
  import MetronomeCore
  import TestSupport
  import Testing

  /// Clients that do not read, send too much, send nothing or send nonsense, and how many there may be.
  @Suite struct ControlConnectionTests {
    private let rig: Rig

    init() throws { rig = try Rig() }

    @Test func aClientThatDoesNotReadIsDisconnected() throws {
      let client = try rig.greeted()
      client.send("subscribe to=state,timeline")
      for _ in 0..<4_000 where rig.server.droppedClients == 0 { rig.advance(.milliseconds(250)) }
      #expect(rig.server.droppedClients == 1)
    }

    @Test func aFloodIsSlowedDown() throws {
      let client = try rig.greeted()
      for number in 0..<150 { client.send("do command=faster id=\(number)") }
      for _ in 0..<50 { rig.serve() }
      // `hello` and 99 commands at once, then 50 per second.
      #expect(client.received().count == 99)
      #expect(rig.server.descriptors(at: rig.now).count == 1)
      let deadline = try #require(rig.server.deadline(at: rig.now))
      #expect(deadline > rig.now && deadline <= rig.now + .milliseconds(20))
      rig.advance(.seconds(1))
      for _ in 0..<50 { rig.serve() }
      #expect(client.received().count == 50)
    }

    @Test func silentClientsAreDisconnectedAndDoNotKeepOthersOut() throws {
      let idle = try (0..<40).map { _ in try rig.client() }
      rig.serve()
      let client = try rig.greeted()
      #expect(!client.isClosed)
      rig.advance(.seconds(2))
      rig.serve()
      let closed = idle.map { $0.isClosed }
      #expect(closed == [Bool](repeating: true, count: 40))
      client.send("presets id=1")
      #expect(rig.answers(client) == ["done saving=done count=0 id=1"])
    }

    /// All of them wait when the server accepts: the one that has sent `hello` does not give way to those that have not.
    @Test func aClientInACrowdIsServed() throws {
      let client = try rig.client()
      client.send("hello v=1")
      let crowd = try (0..<40).map { _ in try rig.client() }
      rig.serve()
      #expect(client.received().first?.hasPrefix("hello v=1 ") == true)
      #expect(!client.isClosed)
      #expect(crowd.count { $0.isClosed } == 29)
    }

    @Test func atMostTwelveClientsOfAUserAreConnected() throws {
      let clients = try (0..<12).map { _ in try rig.greeted() }
      let more = try rig.client()
      rig.serve()
      #expect(more.isClosed)
      let closed = clients.map { $0.isClosed }
      #expect(closed == [Bool](repeating: false, count: 12))
    }

    /// Clients of users, all greeted.
    private func clients(_ users: [UInt32?]) -> [(user: UInt32?, isGreeted: Bool)] { users.map { ($0, true) } }
    private func twelve(_ user: UInt32?) -> [UInt32?] { Array(repeating: user, count: 12) }

    @Test func rootAndTheOwnerHavePlacesOfTheirOwn() {
      let places = ControlPlaces(owner: 100)
      for crowd in [twelve(1_000), twelve(1_000) + twelve(1_001), twelve(nil) + twelve(1_001) + twelve(100) + [0]] {
        #expect(places.admission(of: 0, beside: clients(crowd)) == .free)
      }
      #expect(places.admission(of: 100, beside: clients(twelve(0) + twelve(1) + twelve(2))) == .free)
      // Theirs are limited, too.
      #expect(places.admission(of: 0, beside: clients(twelve(0))) == .refused)
      #expect(places.admission(of: 100, beside: clients(twelve(100))) == .refused)
    }

    @Test func otherUsersHaveTwelvePlacesEachAndTwentyFourTogether() {
      let places = ControlPlaces(owner: 100)
      #expect(places.admission(of: 7, beside: clients(twelve(7).dropLast() + twelve(0))) == .free)
      #expect(places.admission(of: 7, beside: clients(twelve(7))) == .refused)
      #expect(places.admission(of: nil, beside: clients(twelve(nil))) == .refused)
      #expect(places.admission(of: 8, beside: clients(twelve(0) + twelve(100) + twelve(7))) == .free)
      #expect(places.admission(of: 9, beside: clients(twelve(7) + twelve(8))) == .refused)
    }

    @Test func whoHasNotSaidHelloGivesWay() {
      let places = ControlPlaces(owner: 100)
      // Of the same user, if that has too many.
      var crowd = clients([8] + twelve(7))
      crowd[0].isGreeted = false
      #expect(places.admission(of: 7, beside: crowd) == .refused)
      crowd[3].isGreeted = false
      #expect(places.admission(of: 7, beside: crowd) == .inPlaceOf(3))
      // Otherwise of any other user, but not of root.
      crowd = clients([0] + twelve(7) + twelve(8))
      crowd[0].isGreeted = false
      #expect(places.admission(of: 9, beside: crowd) == .refused)
      crowd[20].isGreeted = false
      #expect(places.admission(of: 9, beside: crowd) == .inPlaceOf(20))
    }

    @Test func onlyOwnerAndGroupMayConnect() {
      var status = stat()
      #expect(stat(rig.folder.path + "/control", &status) == 0 && status.st_mode & 0o777 == 0o660)
    }

    /// Any bytes, in any order: an answer or nothing, and the metronome goes on.
    @Test(arguments: Seeds.few(5, of: 50)) func anyBytesAreSurvived(seed: UInt64) throws {
      var random = SeededRandom(seed: seed)
      let client = try rig.greeted()
      let words = [
        "do", "subscribe", "presets", "preset", "source", "song", "hello", "command=", "at=1", "to=state", "\"", "\\",
      ]
      for _ in 0..<200 {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          if Bool.random(using: &random) { bytes += Array(words.randomElement(using: &random)!.utf8) + [0x20] }
          bytes += (0..<Int.random(in: 0...4, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        client.send(bytes: bytes)
        _ = rig.answers(client)
        rig.advance(.milliseconds(20))
      }
      let other = try rig.greeted()
      other.send("do command=start id=1")
      #expect(rig.answers(other) == ["done id=1"] || rig.state.isPlaying)
    }
  }
#endif
