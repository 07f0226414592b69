import MetronomeCore
import Testing

/// What a screen shows.
@Suite struct ScreenPageTests {
  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  /// The content of a screen at an instant of a score that was started at 0; stopped if `plays` is false.
  private func content(_ score: String, at instant: Instant, plays: Bool = true, name: String = "") throws
    -> PageContent
  {
    var metronome = Metronome()
    metronome.load(SetList(try Score(text: score), name: name))
    if plays { metronome.apply(.start, pressed: .zero, effective: .zero, now: .zero) }
    while let due = metronome.deadline, due < instant { metronome.catchUp(effective: due, now: due) }
    metronome.catchUp(effective: instant, now: instant)
    return PageContent(metronome.state, metronome.timeline, following: metronome.following)
  }

  private func page(_ score: String, _ milliseconds: Int64, plays: Bool = true, name: String = "") throws -> String {
    let instant = at(milliseconds)
    return try content(score, at: instant, plays: plays, name: name).page(at: instant).description
  }

  @Test func textsAreCutAtACharacter() {
    let page = ScreenPage(
      title: "Études d’été: nº 4 👩‍👩‍👧‍👧", place: "12/12", number: "12345", width: .bar, upper: "a\u{301}bcdefghijklmnop",
      lower: "123456789012", footer: "→ the last section of all")
    #expect(page.title == "Études d’…")
    #expect(page.number == "2345")
    #expect(page.upper == "a\u{301}bcdefghijklm…")
    #expect(page.lower == "1234567890…")
    #expect(page.footer == "→ the last section o…")
    #expect(page.description == "Études d’… 12/12|2345|\(page.upper)|1234567890…|→ the last section o…")
  }

  @Test func barsThatAreCountedInAreThoseLeft() throws {
    let score = "song \"Blue\" count=2\nverse: 2 120\n1 60"
    #expect(try page(score, 100) == "Blue|-2|verse|120 BPM|→ bar 3 60")
    #expect(try page(score, 2_100) == "Blue|-1|verse|120 BPM|→ bar 3 60")
    #expect(try page(score, 4_100) == "Blue|1|verse|120 BPM|→ bar 3 60")
    #expect(try page(score, 8_100) == "Blue|3|4/4|60 BPM|→ end")
  }

  @Test func theTempoIsThatOfTheBarLine() throws {
    let score = "2 60-120\n1 120"
    let instant = at(3_100)
    #expect(try content(score, at: instant).timeline.lastBeat(atOrBefore: instant)?.position != 0)
    #expect(try page(score, 3_100) == "song 1|1|4/4|60 BPM|→ bar 3")
    #expect(try page(score, 3_100, name: "Gig") == "Gig|1|4/4|60 BPM|→ bar 3")
  }

  @Test func whatComesNextHasWhatChanges() throws {
    #expect(try page("1 120\nout: 1 120", 100).hasSuffix("|→ out"))
    #expect(try page("1 120\nout: 1 3/4 96", 100).hasSuffix("|→ out 96 3/4"))
    #expect(try page("1 120\npause 4s\n1 120", 100).hasSuffix("|→ pause"))
    #expect(try page("song \"A\"\n1 120\nsong \"Ö\"\n1 120", 100).hasSuffix("|→ Ö"))
    #expect(try page("1 120", 100).hasSuffix("|→ end"))
  }

  @Test func aPauseThatWaitsSaysWhatGoesOn() throws {
    #expect(try page("1 120\npause wait\n1 120", 5_000).hasSuffix("|waits for play"))
  }

  @Test func stoppedItShowsTheNextSong() throws {
    #expect(
      try page("song \"Ärger\"\n1 3/8 140\nsong \"B\"\n1 120", 0, plays: false) == "Ärger 1/2|1|3/8|140 BPM|stopped")
  }

  @Test func withoutAScoreTheTempoIsLarge() throws {
    var state = MetronomeState(
      isPlaying: true,
      Music(tempo: try #require(Tempo(milliBPM: 133_749)), signature: try #require(Signature(text: "6/8"))))
    state.isSilent = true
    var content = PageContent(state)
    #expect(content.page(at: at(0)).description == "playing|133.7|BPM|6/8|silent")
    content.preset = ("Walzer für Anna", 7, 12)
    #expect(content.page(at: at(0)).description == "Walzer für… 7/12|133.7|BPM|6/8|silent")
    #expect(content.page(at: at(0), notice: "stored").footer == "stored")
    #expect(content.page(at: at(0), notice: "stored").hasNotice)
  }

  /// Beats are 500 ms apart.
  @Test func aQuietInstantIsNotCloseToABeat() throws {
    let content = try content("4 120", at: at(1_600))
    for (from, quiet) in [
      (1_600, 1_600), (1_960, 1_960), (1_961, 2_020), (2_000, 2_020), (2_019, 2_020), (2_020, 2_020),
    ] as [(Int64, Int64)] {
      #expect(content.quiet(from: at(from)) == at(quiet), "\(from)")
    }
    #expect(content.nextBar(after: at(1_600)) == at(2_020))
    #expect(content.nextBar(after: at(2_019)) == at(2_020))
    #expect(content.nextBar(after: at(2_020)) == at(4_020))
  }

  /// At 999 BPM beats are 60.06 ms apart.
  @Test func fastBeatsDoNotKeepAPageBack() throws {
    var metronome = Metronome()
    metronome.apply(.setTempo(Tempo(clampingMilliBPM: 999_000)), pressed: .zero, effective: .zero, now: .zero)
    metronome.apply(.start, pressed: .zero, effective: .zero, now: .zero)
    let content = PageContent(metronome.state, metronome.timeline)
    for time in stride(from: Int64(0), to: 500, by: 7) {
      let quiet = content.quiet(from: at(time))
      #expect(quiet >= at(time) && quiet <= at(time + 61))
      #expect(content.quiet(from: quiet) == quiet)
    }
  }
}
