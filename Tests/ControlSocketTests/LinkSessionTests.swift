#if os(Linux)
  @testable import MetronomeCore
  import Testing

  /// A session of equal peers, as `metronome-link` reports it, and a metronome that takes part in it.
  @Suite struct LinkSessionTests {
    private let rig: Rig
    private let link: RawClient

    init() throws {
      rig = try Rig()
      link = try rig.greeted()
    }

    /// The quarters of a session.
    private struct Session {
      var epoch = 1
      /// When quarter 0 falls.
      var origin: Instant
      /// Nanoseconds per quarter.
      var period: Int64
      var peers = 2
      var transport = ""

      func source(at now: Instant) -> String {
        let quarter = Int64(Int128((now - origin).count) * 1_000_000 / Int128(period))
        let micros = "\(period / 1_000).\(String(1_000 + period % 1_000).dropFirst())"
        return "source epoch=\(epoch) quarter=\(quarter) at-raw=\(now.nanoseconds) us-per-quarter=\(micros) "
          + "playing=1 peers=\(peers)\(transport)"
      }
    }

    private func follow(_ session: Session, for time: Nanoseconds) {
      let end = rig.now + time
      while rig.now < end {
        link.send(session.source(at: rig.now))
        rig.advance(.milliseconds(50))
        #expect(link.received().allSatisfy { $0 == "done" })
      }
    }

    private var timeline: Timeline { rig.simulation.engine.control.timeline }

    /// How far the next beats are from quarters of the session, in nanoseconds.
    private func errors(_ session: Session) -> [Int64] {
      let first = timeline.nextBeat(atOrAfter: rig.now)
      return (first..<first + 3).map { beat in
        let since = (timeline.knownBeat(beat).instant - session.origin).count
        return since - (since + session.period / 2) / session.period * session.period
      }
    }

    /// 451,128 µs are 133 BPM. 30 µs are the steering's tolerance, and a position is rounded to a millionth of a quarter.
    private var session: Session { Session(origin: rig.now - .milliseconds(300), period: 451_128_000) }

    @Test func joiningTakesTheTempoAndTheBeatsOfTheSession() throws {
      rig.perform("start")
      rig.advance(.seconds(1))
      let session = session
      follow(session, for: .seconds(10))
      #expect(rig.state.source == .link(Tempo(decimal: "133")!, peers: 2))
      #expect(rig.state.tempo == Tempo(decimal: "133"))
      #expect(errors(session).allSatisfy { abs($0) <= 31_000 }, "\(errors(session))")
      let beat = timeline.nextBeat(atOrAfter: rig.now)
      let quarter = (timeline.knownBeat(beat).instant - session.origin).count + session.period / 2
      #expect(timeline.knownBeat(beat).position == Int(quarter / session.period % 4))
    }

    /// Also if the session has not jumped, and if the beats become longer.
    @Test(arguments: [("3/4", 4), ("7/8", 8), ("2/2", 2), ("3/16", 16), ("7/16", 16)])
    func aNewSignatureHasTheBarLinesOfTheSession(signature: String, denominator: Int) throws {
      rig.perform("signature 4/8")
      rig.perform("start")
      let session = session
      follow(session, for: .seconds(5))
      rig.perform("signature \(signature)")
      follow(session, for: .seconds(5))
      let beat = timeline.knownBeat(timeline.nextBeat(atOrAfter: rig.now))
      let period = session.period * 4 / Int64(denominator)
      let number = ((beat.instant - session.origin).count + period / 2) / period
      #expect(abs((beat.instant - session.origin).count - number * period) <= 31_000)
      #expect(beat.position == Int(number) % timeline.lastBar.metre.beatsInBar)
    }

    /// Each 30 s Link's estimate of a clock may step by 1.5 ms.
    @Test func aStepOfTheClockIsSmoothed() throws {
      rig.perform("start")
      var session = session
      follow(session, for: .seconds(5))
      let first = timeline.nextBeat(atOrAfter: rig.now)
      session.origin = session.origin + .microseconds(1_500)
      follow(session, for: .seconds(5))
      let instants = (first - 1...first + 8).map { timeline.beat($0)?.instant }
      let intervals = zip(instants, instants.dropFirst()).compactMap { a, b in
        a.flatMap { a in b.map { ($0 - a).count } }
      }
      #expect(intervals.allSatisfy { abs($0 - session.period) <= session.period / 200 + 1_000 }, "\(intervals)")
      #expect(errors(session).allSatisfy { abs($0) <= 31_000 }, "\(errors(session))")
    }

    @Test func ourTempoIsAWishForAll() throws {
      rig.perform("start")
      link.send("subscribe to=wishes")
      #expect(rig.answers(link) == ["done"])
      var session = session
      follow(session, for: .seconds(3))
      let hand = try rig.greeted()
      hand.send("do command=faster id=1")
      #expect(rig.answers(hand) == ["done id=1"])
      #expect(rig.answers(link) + link.received() == ["wish tempo=134 at=\(rig.now.nanoseconds)"])
      session.period = 447_761_194
      session.origin = rig.now - .milliseconds(100)
      session.epoch = 2
      follow(session, for: .seconds(5))
      #expect(rig.state.source == .link(Tempo(decimal: "134")!, peers: 2))
      #expect(errors(session).allSatisfy { abs($0) <= 31_000 }, "\(errors(session))")
      #expect(link.received() == [])
    }

    /// Also a tempo that our hands have set before, and that the session does not have any more.
    @Test func eachTempoIsAWish() throws {
      link.send("subscribe to=wishes")
      _ = rig.answers(link)
      follow(session, for: .seconds(3))
      for (words, tempo) in [("tempo 120", "120"), ("faster 1", "121"), ("tempo 120", "120")] {
        rig.perform(words)
        #expect(link.received() == ["wish tempo=\(tempo) at=\(rig.now.nanoseconds)"])
      }
      // Nobody carries them out.
      follow(session, for: .milliseconds(2_200))
      #expect(rig.state.tempo == Tempo(decimal: "133"))
      rig.perform("tempo 120")
      #expect(link.received() == ["wish tempo=120 at=\(rig.now.nanoseconds)"])
    }

    @Test func aTempoThatNoSessionHasIsRefused() throws {
      follow(session, for: .seconds(3))
      let hand = try rig.greeted()
      hand.send(#"do command="tempo 19.9""#)
      #expect(rig.answers(hand) == [#"refused why="a Link session has 20 to 999 quarters per minute""#])
      #expect(rig.state.tempo == Tempo(decimal: "133"))
      rig.perform("signature 6/8")
      rig.perform("beat 3/8")
      follow(session, for: .seconds(3))
      #expect(rig.state.tempo == Tempo(decimal: "88.667"))
      link.send("subscribe to=wishes")
      _ = rig.answers(link)
      rig.perform("tempo 90")
      #expect(link.received() == ["wish tempo=135 at=\(rig.now.nanoseconds)"])
    }

    @Test func aPresetThatNoSessionHasIsRefused() throws {
      for words in ["tempo 19", "store 1", "tempo 90", "store 2"] { rig.perform(words) }
      follow(session, for: .seconds(3))
      let hand = try rig.greeted()
      let reason = "of a Link session"
      for words in ["recall 1", "next_preset"] {
        hand.send("do command=\"\(words)\"")
        #expect(
          rig.answers(hand) == [
            #"refused why="the tempo of the preset is outside the 20 to 999 quarters per minute \#(reason)""#
          ])
      }
      hand.send("preset action=recall name=1")
      #expect(
        rig.answers(hand) == [
          #"refused why="the tempo of preset \"1\" is outside the 20 to 999 quarters per minute \#(reason)" error=session"#
        ])
      #expect(rig.state.tempo == Tempo(decimal: "133"))
      #expect(rig.simulation.engine.control.savedState.recalled == 2)
      hand.send("preset action=recall name=2")
      #expect(rig.answers(hand) == ["done saving=done"])
      #expect(rig.state.tempo == Tempo(decimal: "90"))
    }

    /// A wish that was not carried out does not change the tempo later.
    @Test func leavingKeepsTheTempoOfTheSession() throws {
      rig.perform("start")
      var session = session
      follow(session, for: .seconds(3))
      rig.perform("tempo 200")
      session.peers = 0
      link.send(session.source(at: rig.now))
      _ = rig.answers(link)
      rig.advance(.seconds(2))
      #expect(rig.state.tempo == Tempo(decimal: "133"))
      #expect(timeline.tempo(at: rig.now) == Tempo(decimal: "133"))
      rig.perform("faster 1")
      #expect(rig.state.tempo == Tempo(decimal: "134"))
    }

    @Test func anAnnouncedStartEndsWithTheSession() throws {
      var session = session
      session.transport = " transport=1 play-at-raw=\((rig.now + .seconds(30)).nanoseconds)"
      link.send(session.source(at: rig.now))
      _ = rig.answers(link)
      #expect(rig.state.isPlaying)
      session.peers = 0
      link.send(session.source(at: rig.now))
      _ = rig.answers(link)
      #expect(!rig.state.isPlaying)
    }

    @Test func aSharedStartIsAtTheBarLine() throws {
      var session = session
      session.transport = " transport=1"
      link.send(session.source(at: rig.now).replacing("playing=1", with: "playing=0"))
      #expect(rig.answers(link) == ["done"])
      #expect(!rig.state.isPlaying)
      let barLine = session.origin + Nanoseconds(session.period * 8)
      session.transport = " transport=1 play-at-raw=\(barLine.nanoseconds)"
      follow(session, for: .seconds(1))
      #expect(rig.state.isPlaying)
      let first = timeline.knownBeat(0)
      #expect(first.position == 0)
      #expect(abs((first.instant - barLine).count) <= 1_000, "\(first.instant - barLine)")
      follow(session, for: .seconds(5))
      link.send(session.source(at: rig.now).replacing("playing=1", with: "playing=0"))
      #expect(rig.answers(link) == ["done"])
      #expect(!rig.state.isPlaying)
    }

    @Test(arguments: [true, false]) func theBeatGoesOnWithoutPeers(saysSo: Bool) throws {
      rig.perform("start")
      var session = session
      follow(session, for: .seconds(5))
      session.peers = 0
      if saysSo {
        link.send(session.source(at: rig.now))
        #expect(rig.answers(link) == ["done"])
      } else {
        rig.advance(.milliseconds(1_990))
        #expect(rig.state.source != nil)
        rig.advance(.milliseconds(20))
      }
      #expect(rig.state.source == nil)
      rig.advance(.seconds(3))
      #expect(rig.state.isPlaying)
      #expect(timeline.tempo(at: rig.now) == Tempo(decimal: "133"))
    }

    @Test(arguments: [
      ("source epoch=1 quarter=0 us-per-quarter=500000 playing=1", "source needs at-raw=… or at=…"),
      ("source quarter=0 at=1 us-per-quarter=500000 playing=1", "source needs epoch"),
      ("source epoch=1 quarter=0 at=9223372036854775807 us-per-quarter=500000 playing=1", "at is"),
      ("source epoch=1 quarter=0 at-raw=4611686018427387903 us-per-quarter=500000 playing=1", "the instant is"),
      ("source epoch=1 quarter=0 at=1 us-per-quarter=60060 playing=1", "us-per-quarter is"),
      ("source epoch=1 quarter=0 at=1 us-per-quarter=3000000.1 playing=1", "us-per-quarter is"),
    ])
    func wrongSourcesAreRefused(message: String, reason: String) {
      link.send(message)
      let answers = rig.answers(link)
      #expect(answers.count == 1)
      #expect(answers.first?.hasPrefix("refused why=\"\(reason)") == true, "\(answers)")
    }
  }

  extension String {
    fileprivate func replacing(_ part: String, with other: String) -> String {
      guard let range = firstRange(of: part) else { return self }
      return String(self[..<range.lowerBound]) + other + self[range.upperBound...]
    }
  }
#endif
