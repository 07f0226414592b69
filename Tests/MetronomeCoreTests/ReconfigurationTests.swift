import MetronomeCore
import Testing

/// What a configuration that is taken over changes of a metronome and of what hands are doing.
@Suite struct ReconfigurationTests {
  private static let lead = Nanoseconds.milliseconds(1)

  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private func apply(_ command: Command, to metronome: inout Metronome, at milliseconds: Int64) {
    let now = at(milliseconds)
    metronome.apply(
      command, pressed: now, provisional: Box.press(at: milliseconds), effective: now + ReconfigurationTests.lead,
      now: now)
  }

  private func reconfigure(
    _ metronome: inout Metronome, rules: Rules = Rules(), limit: NumeratorLimit = .denominator, tempo: Int? = nil,
    signature: Signature? = nil, at milliseconds: Int64
  ) {
    let now = at(milliseconds)
    metronome.reconfigure(
      rules: rules, limit: limit, tempo: tempo.map { Tempo(milliBPM: $0)! }, signature: signature,
      effective: now + ReconfigurationTests.lead, now: now)
  }

  @Test func nothingElseThanBeforeLeavesItAsItWas() {
    var metronome = Metronome()
    apply(.start, to: &metronome, at: 0)
    apply(.stepTempo(byMilliBPM: 3_000), to: &metronome, at: 700)
    let (timeline, settings, memory) = (metronome.timeline, metronome.settings, metronome.savedState)
    reconfigure(&metronome, at: 900)
    #expect(metronome.timeline == timeline && metronome.settings == settings && metronome.savedState == memory)
    // A press is still to be taken back.
    metronome.takeBack(Box.press(at: 700), for: .tellTempo, effective: at(1_001), now: at(1_000))
    #expect(metronome.settings.tempo == .initial)
  }

  /// What a press did before cannot come back: not its tempo, and not the limit that held then.
  @Test func noPressIsTakenBackPastIt() {
    var metronome = Metronome(Settings(limit: .none))
    apply(.setNumerator(7), to: &metronome, at: 0)
    reconfigure(&metronome, limit: .denominator, at: 100)
    metronome.takeBack(Box.press(at: 0), for: .tellTempo, effective: at(201), now: at(200))
    #expect(metronome.settings.limit == .denominator && metronome.settings.signature.numerator == 4)
    apply(.setNumerator(7), to: &metronome, at: 300)
    #expect(metronome.settings.signature.numerator == 4)
  }

  @Test func theWayHomeIsAnother() {
    var metronome = Metronome()
    apply(.setTempo(Tempo(milliBPM: 77_000)!), to: &metronome, at: 0)
    reconfigure(&metronome, rules: Rules(homeTempo: Tempo(milliBPM: 50_000)!), at: 100)
    #expect(metronome.settings.tempo.milliBPM == 77_000)
    apply(.resetTempo, to: &metronome, at: 200)
    #expect(metronome.settings.tempo.milliBPM == 50_000)
  }

  /// Two taps before and one after it are a run; another tempo ends it, as when it is set by hand.
  @Test(arguments: [(nil, 100_000), (90_000, 90_000)] as [(Int?, Int)])
  func aRunOfTapsGoesOnUnlessTheTempoChanges(tempo: Int?, milliBPM: Int) {
    var metronome = Metronome()
    for time in [0, 600] as [Int64] { apply(.tap, to: &metronome, at: time) }
    reconfigure(&metronome, rules: Rules(tapStarts: true), tempo: tempo, at: 900)
    apply(.tap, to: &metronome, at: 1_200)
    #expect(metronome.settings.tempo.milliBPM == milliBPM)
    #expect(metronome.timeline.isPlaying == (tempo == nil))
  }

  @Test func presetsStayAndAreLimitedWhenTheyAreRecalled() throws {
    var metronome = Metronome(Settings(limit: .none))
    apply(.setNumerator(7), to: &metronome, at: 0)
    apply(.storePreset(1), to: &metronome, at: 100)
    reconfigure(&metronome, limit: .denominator, at: 200)
    let stored = try #require(metronome.presets[place: 1])
    #expect(stored.signature.numerator == 7)
    apply(.recallPreset(1), to: &metronome, at: 300)
    #expect(metronome.settings.signature.numerator == 4)
  }

  // MARK: - Hands

  private func machine(_ origins: Int = 1) -> GestureMachine<Command> {
    GestureMachine(.standard, origins: origins)
  }

  /// What comes of edges and of the time until an instant.
  private func meanings(
    _ machine: inout GestureMachine<Command>, _ edges: [ButtonEdge], until milliseconds: Int64, isDown: Bool? = nil
  ) -> [Command] {
    var found: [Command] = []
    for edge in edges { machine.take(edge) { found.append($0.meaning) } }
    machine.settle(at: at(milliseconds), level: { _, _ in isDown }) { found.append($0.meaning) }
    return found
  }

  @Test func aButtonThatIsHeldHasToGoUpFirst() {
    var machine = machine()
    #expect(meanings(&machine, [ButtonEdge(.faster, .down, at: at(0))], until: 100, isDown: true) != [])
    let other = GestureTable<Command>(shorts: [.faster: .toggleSilence])
    machine.rebind(to: other, lockOut: .milliseconds(10))
    #expect(machine.isDown(.faster))
    #expect(meanings(&machine, [], until: 3_000, isDown: true) == [])
    #expect(meanings(&machine, [ButtonEdge(.faster, .up, at: at(3_010))], until: 3_100, isDown: false) == [])
    #expect(meanings(&machine, [ButtonEdge(.faster, .down, at: at(3_200))], until: 3_205) == [.toggleSilence])
  }

  @Test func otherDevicesAreNewAndTheBoxIsAsItWas() {
    var machine = machine(2)
    let pedal = Origin(number: 1)
    let edges = [ButtonEdge(.faster, .down, at: at(0)), ButtonEdge(.tap, .down, at: at(1), from: pedal)]
    #expect(meanings(&machine, edges, until: 50, isDown: true).count == 2)
    machine.renew(origins: 3)
    #expect(machine.isDown(.faster) && !machine.isDown(.tap, pedal) && !machine.isDown(.tap, Origin(number: 2)))
    // The first repetition of the box's, and nothing of what the pedal was held for.
    #expect(meanings(&machine, [], until: 510, isDown: true) == [.stepTempo(byMilliBPM: 1_000)])
    let press = ButtonEdge(.tap, .down, at: at(600), from: Origin(number: 2))
    #expect(meanings(&machine, [press], until: 610, isDown: true) == [.tap])
  }
}
