#if canImport(Glibc)
  import ControlSocket
  import MetronomeCore
  import Testing

  /// Scores through the control socket: they are listed, loaded and described.
  @Suite struct ControlScoreTests {
    private let rig: Rig

    init() throws { rig = try Rig() }

    @Test func manyStoredScoresAreListedInParts() throws {
      let client = try rig.greeted()
      let names = (1...450).map { "exercise \($0)" }
      for (from, count) in [(1, 100), (101, 100), (401, 50), (451, 0)] {
        client.send("scores from=\(from) id=5")
        _ = rig.answers(client)
        rig.answerScores(.names(names))
        let answers = rig.answers(client)
        #expect(answers.last == "done count=\(count) id=5" && answers.count == count + 1)
        if count > 0 { #expect(answers.first == "stored name=\"exercise \(from)\" id=5") }
      }
      client.send("score action=load name=nope id=6")
      _ = rig.answers(client)
      rig.answerScores(.refused(String(repeating: "\"é\", ", count: 2_000)))
      let refusal = try #require(rig.answers(client).first)
      #expect(refusal.hasSuffix("…\" id=6") && refusal.utf8.count <= ControlMessage.longest)
    }

    @Test func storedScoresAreListedAndLoaded() throws {
      let client = try rig.greeted()
      client.send("scores id=5")
      #expect(rig.answers(client) == [])
      client.send("score action=load name=Gig id=6")
      #expect(
        rig.answers(client) == [#"refused why="another request about scores is in progress; try again" id=6"#])
      rig.answerScores(.names(["Gig", "a b"]))
      #expect(rig.answers(client) == ["stored name=Gig id=5", #"stored name="a b" id=5"#, "done count=2 id=5"])
      client.send("score action=load name=Gig id=7")
      #expect(rig.answers(client) == [])
      rig.answerScores(.score(SetList(try Score(text: "verse: 16 4/4 96\nchorus: 8 7/8 104\n* 120"), name: "Gig")))
      #expect(rig.answers(client) == ["done id=7"])
      #expect(rig.state.score?.score == "Gig")
      client.send("song from=2 id=8")
      let sections = rig.answers(client)
      #expect(
        sections == [
          "section number=2 label=chorus bar=17 bars=8 signature=7/8 tempo=104 now=0 id=8",
          #"section number=3 label="" bar=25 bars="" signature=4/4 tempo=120 now=0 id=8"#, "done count=2 id=8",
        ])
      client.send("do command=start")
      _ = rig.answers(client)
      let refusal = #"refused why="stop first: a score is loaded, or unloaded, only while the metronome is stopped""#
      for request in ["score action=unload", "score action=load name=Gig"] {
        client.send(request)
        #expect(rig.answers(client) == [refusal])
      }
      client.send("do command=stop")
      client.send("score action=unload id=9")
      #expect(rig.answers(client) == ["done", "done id=9"])
      #expect(rig.state.score == nil)
    }

    /// At half the speed, all tempi are halved.
    @Test func sectionsSayWhereTheirTempoLeads() throws {
      let client = try rig.greeted()
      let text = "song \"A\" scale=50%\n4 80-120\n* 60+7/2bar..90!reverse\n1 100,110,90,95.5\n4 120"
      rig.simulation.engine.control.load(SetList(try Score(text: text)), at: rig.now)
      client.send("song")
      let tempi = rig.answers(client).dropLast().map { section in
        section.split(separator: " ").filter { $0.hasPrefix("tempo=") || $0.hasPrefix("to=") }.joined(separator: " ")
      }
      #expect(tempi == ["tempo=40 to=60", "tempo=30 to=45", "tempo=50 to=47.75", "tempo=60"])
    }

    @Test func theSongsOfASetListAreNamed() throws {
      let client = try rig.greeted()
      client.send("songs id=1")
      #expect(rig.answers(client) == ["done count=0 id=1"])
      let text = "song \"Blue\"\n4 120\nsong \"\"\n4 90\nsong \"So What\"\n4 136"
      rig.simulation.engine.control.load(SetList(try Score(text: text)), at: rig.now)
      client.send("songs id=2")
      #expect(
        rig.answers(client) == [
          "title number=1 name=Blue id=2", #"title number=2 name="" id=2"#, #"title number=3 name="So What" id=2"#,
          "done count=3 id=2",
        ])
      client.send("songs from=3")
      #expect(rig.answers(client) == [#"title number=3 name="So What""#, "done count=1"])
      client.send("songs from=4")
      #expect(rig.answers(client) == ["done count=0"])
    }

    /// A ramp has no songs.
    @Test func aRampIsNoSetList() throws {
      let client = try rig.greeted()
      client.send(#"do command="ramp 80+5/4bar..120""#)
      client.send("songs")
      #expect(rig.answers(client) == ["done", "done count=0"])
    }

    /// The client that asked may have left, and a score may not be readable.
    @Test func answersAboutScoresMayBeLate() throws {
      let (client, other) = (try rig.greeted(), try rig.greeted())
      client.send("scores id=1")
      _ = rig.answers(client)
      client.close()
      rig.serve()
      rig.answerScores(.names(["a"]))
      other.send("score action=load name=b id=2")
      _ = rig.answers(other)
      rig.answerScores(.refused("b:1:2: no tempo"))
      #expect(rig.answers(other) == [#"refused why="b:1:2: no tempo" id=2"#])
      #expect(rig.state.score == nil)
    }
  }
#endif
