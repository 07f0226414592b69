#if canImport(Glibc)
  import BoardSimulation
  import ControlSocket
  import Foundation
  import HardwareAbstraction
  import MetronomeCore
  import MetronomeEngine
  import TestSupport
  import Testing

  /// The control socket of a simulated metronome, byte by byte. Nothing waits: server and clients take turns on one thread.
  @Suite struct ControlServerTests {
    private let rig: Rig

    init() throws { rig = try Rig() }

    @Test func aTempoIsSetAndRead() throws {
      let client = try rig.greeted()
      client.send(#"do command="tempo 133.7" id=7"#)
      #expect(rig.answers(client) == ["done id=7"])
      client.send("do command=start id=8")
      #expect(rig.answers(client) == ["done id=8"])
      client.send("subscribe to=state id=9")
      let answers = rig.answers(client)
      #expect(answers.count == 2)
      #expect(answers.first == "done id=9")
      let start =
        #"state playing=1 tempo=133.7 quarters=133.7 current=133.7 signature=4/4 beat=1/4 rhythm="" text=4/4 levels=swww silent=0"#
      #expect(answers.last?.hasPrefix(start) == true, "\(answers)")
    }

    /// The parts of the state's message that concern the trainer.
    private func trainer(_ client: RawClient) -> [String] {
      client.send("subscribe to=state")
      rig.advance(.milliseconds(50))
      let keys = ["trainer=", "trainer-on=", "ramp=", "gap=", "drop=", "timer="]
      guard let state = rig.answers(client).last, let message = try? ControlMessage(parsing: state.utf8) else {
        return []
      }
      return keys.map { $0 + (message[String($0.dropLast())] ?? "is missing") }
    }

    @Test func theTrainerIsSetAndRead() throws {
      let client = try rig.greeted()
      #expect(trainer(client) == ["trainer=", "trainer-on=", "ramp=", "gap=", "drop=20", "timer="])
      for command in ["ramp 80+5/4bar..120!stop", "gap 2/1", "drop 30", "timer 10m"] {
        client.send("do command=\"\(command)\"")
        #expect(rig.answers(client) == ["done"])
      }
      #expect(
        trainer(client) == [
          "trainer=ramp 80+5/4bar..120!stop, gap 2/1, drop 30 %, timer 10m", "trainer-on=ramp,gap,drop,timer",
          "ramp=80+5/4bar..120!stop", "gap=2/1", "drop=30", "timer=10m",
        ])
      for command in ["ramp none", "gap none", "drop none", "timer never"] {
        client.send("do command=\"\(command)\"")
        #expect(rig.answers(client) == ["done"])
      }
      #expect(
        trainer(client) == ["trainer=", "trainer-on=", "ramp=80+5/4bar..120!stop", "gap=", "drop=30", "timer=10m"])
      client.send(#"do command="ramp 80..120" id=1"#)
      #expect(
        rig.answers(client).last
          == #"refused why="\"ramp 80..120\" is no command; steps are written such as 60+5/4bar..120 or 120-2/30s..60!stop; the ends are stay, stop, again, reverse" id=1"#
      )
    }

    @Test func thePairingWindowIsToldToWhoeverAsks() throws {
      let (client, other) = (try rig.greeted(), try rig.greeted())
      client.send("subscribe to=pairing id=1")
      #expect(rig.answers(client) == ["done id=1"])
      rig.perform("pair")
      #expect(rig.answers(client) == ["pairing window=120"])
      rig.advance(.milliseconds(10_500))
      other.send("subscribe to=pairing id=2")
      #expect(rig.answers(other) == ["done id=2", "pairing window=110"])
      #expect(rig.answers(client) == [])
      rig.advance(.milliseconds(109_499))
      other.send("subscribe to=pairing")
      #expect(rig.answers(other) == ["done", "pairing window=1"])
      rig.advance(.milliseconds(1))
      other.send("subscribe to=pairing")
      #expect(rig.answers(other) == ["done"])
    }

    @Test func thePersonConfirmsTheNumberThatIsShown() throws {
      let client = try rig.greeted()
      client.send("subscribe to=pairing")
      _ = rig.answers(client)
      client.send("show number=123 id=2")
      #expect(rig.answers(client).first?.hasPrefix("refused why=") == true, "the window is shut")
      rig.perform("pair")
      #expect(rig.answers(client) == ["pairing window=120"])
      client.send("show number=0 id=2")
      client.send("show id=3")
      #expect(rig.answers(client).map { $0.prefix(8) } == ["refused ", "refused "])
      client.send("show number=123 id=4")
      #expect(rig.answers(client) == ["done id=4", "pairing window=120 shown=123"])
      rig.advance(.seconds(10))
      client.send("show number=456 id=5")
      #expect(rig.answers(client) == ["done id=5", "pairing window=110 shown=456"])
      // The press was meant for the number before.
      rig.advance(.milliseconds(1_499))
      rig.perform("pair")
      #expect(rig.answers(client) == [])
      rig.advance(.milliseconds(1))
      rig.perform("pair")
      #expect(rig.answers(client) == ["pairing window=0 confirmed=456"])
      rig.perform("pair")
      #expect(rig.answers(client) == ["pairing window=120"], "a new window shows no old number")
      rig.advance(.seconds(10))
      rig.perform("pair")
      #expect(rig.answers(client) == ["pairing window=120"])
    }

    @Test func phonesAreForgottenIfACompanionHearsOfIt() throws {
      rig.perform("forget_phones")
      let client = try rig.greeted()
      client.send("do command=forget_phones id=1")
      #expect(rig.answers(client).first?.hasPrefix("refused why=") == true)
      client.send("subscribe to=pairing")
      #expect(rig.answers(client) == ["done"])
      rig.perform("forget_phones")
      #expect(rig.answers(client) == ["pairing window=0 forget=1"])
    }

    @Test func helloComesFirst() throws {
      let client = try rig.client()
      client.send("hello v=1")
      let answers = rig.answers(client)
      #expect(answers.count == 1 && answers[0].hasPrefix("hello v=1 role=owner program=test now="), "\(answers)")
      client.send("hello v=1 id=3")
      #expect(rig.answers(client) == [#"refused why="hello was already sent" id=3"#])
    }

    @Test(arguments: ["do command=start", "hello v=2", "hello", "presets"])
    func otherFirstMessagesEndTheConnection(text: String) throws {
      let client = try rig.client()
      client.send(text)
      let answers = rig.answers(client)
      #expect(answers.count == 1 && answers[0].hasPrefix("refused why=") && answers[0].hasSuffix(" v=1"), "\(answers)")
      #expect(client.isClosed)
      #expect(rig.state.isPlaying == false)
    }

    @Test(arguments: [
      (
        "dance id=1",
        #"refused why="unknown message \"dance\"; Documentation/ControlSocket.md lists all messages" id=1"#
      ),
      ("do id=1", #"refused why="do needs command=…" id=1"#),
      ("do command=fly id=1", nil), ("do command=start at=x id=1", nil),
      ("do", #"refused why="do needs command=…""#),
      ("do command=start id=-1", #"refused why="id is \"-1\"; it must be a whole number from 0 to 2147483647""#),
      (
        "subscribe to=all id=2",
        #"refused why="unknown topic \"all\"; the topics are state, timeline, pairing, wishes" id=2"#
      ),
      ("", #"refused why="column 1: expected a word, such as do""#),
    ])
    func otherMessagesAreRefusedWithTheReason(text: String, answer: String?) throws {
      let client = try rig.greeted()
      client.send(bytes: text.isEmpty ? [0x20] : Array(text.utf8))
      let answers = rig.answers(client)
      if let answer { #expect(answers == [answer]) }
      #expect(answers.count == 1 && answers[0].hasPrefix("refused why="))
      #expect(!rig.state.isPlaying && !client.isClosed)
    }

    @Test func aMessageThatIsTooLongIsRefusedAndTheNextOneIsRead() throws {
      let client = try rig.greeted()
      client.send("do command=start x=" + String(repeating: "x", count: 1_024))
      client.send("do command=start id=2")
      #expect(rig.answers(client) == [#"refused why="the message is longer than 1024 bytes""#, "done id=2"])
    }

    @Test func nothingIsCarriedOutLate() throws {
      rig.advance(.seconds(10))
      let client = try rig.greeted()
      let now = rig.now.nanoseconds
      client.send("do command=start at=\(now - 2_000_000_001) id=1")
      client.send("do command=start at=\(now + 1_000_000) id=2")
      #expect(
        rig.answers(client) == [
          #"refused why="at is 2000 ms ago; at most 2,000 ms are accepted" id=1"#,
          #"refused why="at is in the future by 1 ms" id=2"#,
        ])
      #expect(!rig.state.isPlaying)
      // Two seconds old, but not older.
      client.send("do command=start at=\(now - 2_000_000_000) id=3")
      #expect(rig.answers(client) == ["done id=3"])
    }

    @Test(arguments: ["preset action=save name=a", "preset action=recall name=a", "score action=unload"])
    func noRequestIsCarriedOutLate(text: String) throws {
      rig.advance(.seconds(10))
      let client = try rig.greeted()
      client.send("preset action=save name=a")
      #expect(rig.answers(client) == ["done saving=done"])
      let now = rig.now.nanoseconds
      client.send("\(text) at=\(now - 2_000_000_001) id=1")
      client.send("\(text) at=\(now + 1_000_000) id=2")
      client.send("\(text) at=\(now - 2_000_000_000) id=3")
      let answers = rig.answers(client)
      #expect(
        answers.prefix(2) == [
          #"refused why="at is 2000 ms ago; at most 2,000 ms are accepted" id=1"#,
          #"refused why="at is in the future by 1 ms" id=2"#,
        ])
      #expect(answers.count == 3 && answers.last?.hasPrefix("done ") == true, "\(answers)")
    }

    /// A press between the begin of a step and the reading of its message is not in the future.
    @Test func aPressDuringTheStepIsCarriedOut() throws {
      rig.advance(.seconds(10))
      let client = try rig.greeted()
      rig.stepTime = .milliseconds(5)
      let now = rig.now.nanoseconds
      client.send("do command=start at=\(now + 1_000_000) id=1")
      client.send("do command=start at=\(now) id=2")
      #expect(rig.answers(client) == [#"refused why="at is in the future by 1 ms" id=1"#, "done id=2"])
    }

    /// Four taps that arrive together keep the rhythm in which they were made: 100 BPM.
    @Test func tapsKeepTheirRhythm() throws {
      rig.advance(.seconds(10))
      let client = try rig.greeted()
      let now = rig.now.nanoseconds
      for tap in 0..<4 { client.send("do command=tap at=\(now - 1_800_000_000 + Int64(tap) * 600_000_000) id=\(tap)") }
      #expect(rig.answers(client) == ["done id=0", "done id=1", "done id=2", "done id=3"])
      #expect(rig.state.tempo == Tempo(bpm: 100))
    }

    @Test func presetsAreListedSavedAndRecalled() throws {
      let client = try rig.greeted()
      client.send(#"preset action=save name="Blue in Green" tempo=54 signature=3/4 id=1"#)
      client.send(#"preset action=save name=b id=2"#)
      client.send(#"preset action=recall name="Blue in Green" id=3"#)
      client.send("presets id=4")
      client.send("preset action=delete name=c id=5")
      #expect(
        rig.answers(client) == [
          "done saving=done id=1", "done saving=done id=2", "done saving=done id=3",
          #"preset place=1 name="Blue in Green" tempo=54 signature=3/4 beat=1/4 rhythm="" recalled=1 id=4"#,
          #"preset place=2 name=b tempo=120 signature=4/4 beat=1/4 rhythm="" id=4"#, "done saving=done count=2 id=4",
          #"refused why="there is no preset \"c\"" error=no-such-preset id=5"#,
        ])
      #expect(rig.state.tempo == Tempo(bpm: 54))
    }

    @Test func theTimelineHasTheNextBeats() throws {
      let client = try rig.greeted()
      client.send("do command=start")
      _ = rig.answers(client)
      rig.advance(.milliseconds(700))
      client.send("subscribe to=timeline id=1")
      // The first beat was 1 ms after the start; at 700 ms beat 1 plays.
      let timeline = try #require(rig.answers(client).last)
      let first = rig.began.nanoseconds + 1_000_000
      #expect(
        timeline.hasPrefix(
          "timeline session=1 playing=1 beat=1 bar=0 place=1 beats=4 at=\(first + 500_000_000) "
            + "next=500000000,1000000000,1500000000 places=2,3,0 levels=wwws ends=0 quarter-us=500000 now="),
        "\(timeline)")
    }

    @Test func theTimelineHasSilentBeatsAndTheEndOfASong() throws {
      let client = try rig.greeted()
      client.send("scores id=5")
      _ = rig.answers(client)
      rig.answerScores(.names([]))
      client.send("score action=load name=Gig id=6")
      _ = rig.answers(client)
      rig.answerScores(.score(SetList(try Score(text: "2 4/4 120"), name: "Gig")))
      client.send("do command=\"gap 1/1\"")
      client.send("do command=start")
      _ = rig.answers(client)
      rig.advance(.milliseconds(2_700))
      client.send("subscribe to=timeline id=1")
      let timeline = try #require(rig.answers(client).last)
      #expect(timeline.contains(" next=500000000,1000000000 places=2,3 levels=--- ends=1 "), "\(timeline)")
    }

    @Test func snapshotsComeFourTimesASecondAndOnChanges() throws {
      let client = try rig.greeted()
      client.send("subscribe to=state")
      #expect(rig.answers(client).count == 2)
      for _ in 0..<100 { rig.advance(.milliseconds(10)) }
      #expect(rig.answers(client).count == 4)
      let other = try rig.greeted()
      other.send("do command=faster")
      #expect(rig.answers(other) == ["done"])
      rig.advance(.milliseconds(50))
      #expect(rig.answers(client).last?.contains(" tempo=121 ") == true)
    }
  }
#endif
