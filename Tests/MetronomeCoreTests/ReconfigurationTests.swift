import MetronomeCore
import Testing

/// The effects of a new configuration on a metronome and on gestures in progress.
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
    _ metronome: inout Metronome, rules: Rules = Rules(), limit: NumeratorLimit = .none, tempo: Int? = nil,
    signature: Signature? = nil, at milliseconds: Int64
  ) {
    let now = at(milliseconds)
    metronome.reconfigure(
      rules: rules, limit: limit,
      music: MusicChange(tempo: tempo.map { Tempo(milliBPM: $0)! }, signature: signature),
      effective: now + ReconfigurationTests.lead, now: now)
  }

  @Test func unchangedConfigurationChangesNothing() {
    var metronome = Metronome()
    apply(.start, to: &metronome, at: 0)
    apply(.stepTempo(byMilliBPM: 3_000), to: &metronome, at: 700)
    let (timeline, settings, savedState) = (metronome.timeline, metronome.settings, metronome.savedState)
    reconfigure(&metronome, at: 900)
    #expect(metronome.timeline == timeline && metronome.settings == settings && metronome.savedState == savedState)
    // The press can still be undone.
    metronome.undo(Box.press(at: 700), for: .tellTempo, effective: at(1_001), now: at(1_000))
    #expect(metronome.settings.tempo == .initial)
  }

  /// A press before a reconfiguration cannot be undone: an undo must not restore its tempo or the old numerator limit.
  @Test func reconfigurationPreventsUndoingEarlierPresses() {
    var metronome = Metronome(Settings(limit: .none))
    apply(.setNumerator(7), to: &metronome, at: 0)
    reconfigure(&metronome, limit: .denominator, at: 100)
    metronome.undo(Box.press(at: 0), for: .tellTempo, effective: at(201), now: at(200))
    #expect(metronome.settings.limit == .denominator && metronome.settings.signature.numerator == 4)
    apply(.setNumerator(7), to: &metronome, at: 300)
    #expect(metronome.settings.signature.numerator == 4)
  }

  @Test func reconfigurationSetsTheHomeTempo() {
    var metronome = Metronome()
    apply(.setTempo(Tempo(milliBPM: 77_000)!), to: &metronome, at: 0)
    reconfigure(&metronome, rules: Rules(homeTempo: Tempo(milliBPM: 50_000)!), at: 100)
    #expect(metronome.settings.tempo.milliBPM == 77_000)
    apply(.resetTempo, to: &metronome, at: 200)
    #expect(metronome.settings.tempo.milliBPM == 50_000)
  }

  /// A tap run continues after a reconfiguration, unless the tempo changes. Two taps before it and one tap after it form a run;
  /// a new tempo ends the run, as a manual change does.
  @Test(arguments: [(nil, 100_000), (90_000, 90_000)] as [(Int?, Int)])
  func tapRunContinuesUnlessTheTempoChanges(tempo: Int?, milliBPM: Int) {
    var metronome = Metronome()
    for time in [0, 600] as [Int64] { apply(.tap, to: &metronome, at: time) }
    reconfigure(&metronome, rules: Rules(tapStarts: true), tempo: tempo, at: 900)
    apply(.tap, to: &metronome, at: 1_200)
    #expect(metronome.settings.tempo.milliBPM == milliBPM)
    #expect(metronome.timeline.isPlaying == (tempo == nil))
  }

  @Test func presetsAreKeptAndLimitedOnRecall() throws {
    var metronome = Metronome(Settings(limit: .none))
    apply(.setNumerator(7), to: &metronome, at: 0)
    apply(.storePreset(1), to: &metronome, at: 100)
    reconfigure(&metronome, limit: .denominator, at: 200)
    let stored = try #require(metronome.presets[place: 1])
    #expect(stored.signature.numerator == 7)
    apply(.recallPreset(1), to: &metronome, at: 300)
    #expect(metronome.settings.signature.numerator == 4)
  }

  // MARK: - Gestures in progress

  private func machine(_ origins: Int = 1) -> GestureMachine {
    GestureMachine(.standard, origins: origins)
  }

  /// The commands produced by the edges and deadlines up to an instant.
  private func commands(
    _ machine: inout GestureMachine, _ edges: [ButtonEdge], until milliseconds: Int64, isDown: Bool? = nil
  ) -> [Command] {
    var found: [Command] = []
    for edge in edges { machine.process(edge) { found.append($0.command) } }
    machine.settle(at: at(milliseconds), level: { _, _ in isDown }) { found.append($0.command) }
    return found
  }

  @Test func heldButtonHasNoEffectUntilItIsReleased() {
    var machine = machine()
    #expect(commands(&machine, [ButtonEdge(.faster, .down, at: at(0))], until: 100, isDown: true) != [])
    let other = GestureTable(shorts: [.faster: .toggleSilence])
    machine.rebind(to: other, lockOut: .milliseconds(10))
    #expect(machine.isDown(.faster))
    #expect(commands(&machine, [], until: 3_000, isDown: true) == [])
    #expect(commands(&machine, [ButtonEdge(.faster, .up, at: at(3_010))], until: 3_100, isDown: false) == [])
    #expect(commands(&machine, [ButtonEdge(.faster, .down, at: at(3_200))], until: 3_205) == [.toggleSilence])
  }

  @Test func renewedDevicesAreResetAndTheBoxKeepsItsState() {
    var machine = machine(2)
    let pedal = Origin(number: 1)
    let edges = [ButtonEdge(.faster, .down, at: at(0)), ButtonEdge(.tap, .down, at: at(1), from: pedal)]
    #expect(commands(&machine, edges, until: 50, isDown: true).count == 2)
    machine.renew(origins: 3)
    #expect(machine.isDown(.faster) && !machine.isDown(.tap, pedal) && !machine.isDown(.tap, Origin(number: 2)))
    // The box's button repeats; the pedal's held button produces nothing.
    #expect(commands(&machine, [], until: 510, isDown: true) == [.stepTempo(byMilliBPM: 1_000)])
    let press = ButtonEdge(.tap, .down, at: at(600), from: Origin(number: 2))
    #expect(commands(&machine, [press], until: 610, isDown: true) == [.tap])
  }
}
