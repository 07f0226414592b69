import MetronomeCore
import TestSupport
import Testing

/// Presses, holds and chords while the metronome plays, from button edges to beats.
@Suite struct UndoPropertyTests {
  /// Buttons, a metronome, and the beats that the outputs have committed.
  private struct Player {
    var machine: GestureMachine
    var dials = DialMachine()
    var metronome: Metronome
    let lead: Nanoseconds
    var now = Instant.zero
    var beats: [Beat] = []
    var session: UInt32 = 0
    /// The longest beat interval of all tempi, signatures and beat units that were set.
    var longest = Nanoseconds.zero

    init(_ tempo: Tempo, _ signature: Signature, _ table: GestureTable, presets: PresetList, lead: Int64) {
      machine = GestureMachine(table, origins: 2)
      metronome = Metronome(Settings(Music(tempo: tempo, signature: signature), limit: .none), presets: presets)
      self.lead = .milliseconds(lead)
      metronome.apply(.start, pressed: now, effective: now + self.lead, now: now)
    }

    mutating func carryOut(_ event: GestureEvent) {
      let effective = max(event.instant, now) + lead
      let command = event.command.inSteps(event.steps)
      if let press = event.undoes {
        guard metronome.undo(press, for: command, effective: effective, now: now) else { return }
        updateLongest()
      }
      metronome.apply(
        command, pressed: event.press, provisional: event.provisional, effective: effective, now: now)
      updateLongest()
    }

    private mutating func updateLongest() {
      let settings = metronome.settings
      let (signature, unit) = (settings.signature, settings.unit)
      // The notes of the signature in a minute at 1 BPM are `denominator` times this fraction of a whole note.
      let wholes: (numerator: Int64, denominator: Int64) = (unit.isDotted ? 3 : 1, Int64(unit.denominator))
      let divisor = Int64(settings.tempo.milliBPM) * Int64(signature.denominator) * wholes.numerator
      let notes = Int64(Metre(signature, unit: unit).notesInBeat)
      longest = max(longest, Nanoseconds(60_000_000_000_000 * wholes.denominator * notes / divisor + 1))
    }

    mutating func advance(to end: Instant) {
      updateLongest()
      while let due = [machine.deadline, metronome.deadline].compactMap(\.self).min(), due <= end {
        now = max(now, due)
        readBeats()
        settle()
        metronome.catchUp(effective: now + lead, now: now)
      }
      now = end
      readBeats()
      settle()
    }

    mutating func settle() {
      var events: [GestureEvent] = []
      machine.settle(at: now, level: { _, _ in nil }) { events.append($0) }
      for event in events { carryOut(event) }
    }

    mutating func process(_ edge: ButtonEdge) {
      advance(to: edge.instant)
      var events: [GestureEvent] = []
      machine.process(edge) { events.append($0) }
      for event in events { carryOut(event) }
    }

    mutating func turn(_ dial: Dial, by detents: Int) {
      var events: [GestureEvent] = []
      dials.process(DialTurn(dial, by: detents, at: now, from: .box)) { events.append($0) }
      for event in events { carryOut(event) }
    }

    /// Reads the committed beats. Each beat must occur once, and no gap may be longer than the longest interval that was set.
    private mutating func readBeats() {
      let timeline = metronome.timeline
      guard timeline.isPlaying else { return beats = [] }
      if timeline.session != session { (session, beats) = (timeline.session, []) }
      while true {
        let next = timeline.knownBeat(beats.last.map { $0.index + 1 } ?? timeline.oldestIndex ?? 0)
        guard next.instant < now + lead else { return }
        if let last = beats.last {
          #expect(next.instant > last.instant)
          #expect(
            next.instant - last.instant <= longest,
            "beat \(next.index), \((next.instant - last.instant).count) ns after the last beat")
        }
        beats.append(next)
        if beats.count > 8 { beats.removeFirst() }
      }
    }
  }

  private static let presets = PresetList(("slow", 30, Signature(3, 4)), ("fast", 600, Signature(7, 8)))

  private static func table(_ random: inout Lehmer) -> GestureTable {
    var table = GestureTable.standard
    func tempo() -> Command { .setTempo(Tempo(milliBPM: 30_000 + random.below(570_001))!) }
    func step() -> Command { .stepTempo(byMilliBPM: random.below(400_001) - 200_000) }
    for button in [Button.preset1, .preset2, .preset3] {
      table.bind(.short(button), to: random.below(2) == 0 ? tempo() : step())
      let holds: [Command] = [
        tempo(), step(), .recallPreset(1 + random.below(2)), .resetTempo, .toggleSilence, .volumeUp, .volumeDown,
        .nextSubdivision, .previousSubdivision, .nextAccents,
      ]
      table.bind(.long(button), to: holds[random.below(holds.count)])
    }
    let shorts: [Command] = [.nextAccents, .nextSubdivision, .previousSubdivision, .volumeUp, .volumeDown]
    table.bind(.short(.presetNext), to: shorts[random.below(shorts.count)])
    table.bind(.chord(ButtonPair(.preset3, .numerator)!), to: .nextAccents)
    table.bind(.chord(ButtonPair(.preset3, .faster)!), to: .volumeDown)
    table.bind(.chord(ButtonPair(.presetNext, .slower)!), to: .previousSubdivision)
    table.bind(.chord(ButtonPair(.preset1, .preset4)!), to: tempo())
    table.bind(.chord(ButtonPair(.preset2, .numerator)!), to: .nextPreset)
    return table
  }

  /// No gap between beats exceeds the longest interval that was set. Tempi are 30 to 600 BPM, leads 1 to 400 ms, and presses
  /// 30 to 900 ms. Some presses overlap, and some begin at the same instant.
  @Test(arguments: 0..<200 as Range<UInt64>) func gapsNeverExceedTheLongestInterval(seed: UInt64) {
    var random = Lehmer(seed: seed)
    let table = UndoPropertyTests.table(&random)
    var player = Player(
      Tempo(milliBPM: 30_000 + random.below(570_001))!, Signature(1 + random.below(8), 4), table,
      presets: UndoPropertyTests.presets, lead: [1, 5, 24, 100, 400][random.below(5)])
    let buttons: [Button] = [
      .preset1, .preset2, .preset3, .preset4, .numerator, .denominator, .faster, .slower, .play, .presetNext,
    ]
    var edges: [ButtonEdge] = []
    var time = Instant.zero + .seconds(2)
    var free = [Instant](repeating: .zero, count: 24)
    for _ in 0..<40 {
      let (button, origin) = (buttons[random.below(buttons.count)], Origin(number: random.below(2)))
      let slot = origin.number * 12 + Button.standard.firstIndex(of: button)!
      guard free[slot] < time else { continue }
      let up = time + .milliseconds(Int64(30 + random.below(870)))
      free[slot] = up + .milliseconds(60)
      edges.append(ButtonEdge(button, .down, at: time, from: origin))
      edges.append(ButtonEdge(button, .up, at: up, from: origin))
      time =
        time
        + [.zero, .milliseconds(Int64(random.below(700))), .milliseconds(Int64(random.below(3_000)))][random.below(3)]
    }
    let order = edges.enumerated().sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }
    for (_, edge) in order {
      player.process(edge)
      if random.below(10) == 0 {
        let dials: [Dial] = [.tempo, .tempo, .volume, .subdivision]
        player.turn(dials[random.below(dials.count)], by: random.below(21) - 10)
      }
    }
    player.advance(to: player.now + .seconds(10))
  }

  /// An undo keeps the phase even after extra beats. In this example, which revealed an error, beats at 300 BPM have advanced
  /// the beat number, and the long press sets 80 BPM.
  @Test func undoAfterExtraBeatsKeepsThePhase() {
    var box = Box(60)
    box.press(.start, at: 1_000)
    box.press(.setTempo(Tempo(bpm: 300)!), at: 3_100)
    box.undo(3_100, for: .setTempo(Tempo(bpm: 80)!), at: 3_600)
    box.press(.setTempo(Tempo(bpm: 80)!), at: 3_600)
    #expect(box.beats(2...6) == "- 3304:0.3 3504:1.0 3924:1.1 4674:1.2")
  }

  @Test(arguments: [Int.min, -1, 0, 1, .max], [Int.min, -1, 0, 1, 5, .max])
  func extremeCommandArgumentsAreSafe(value: Int, steps: Int) {
    let commands: [Command] = [
      .stepTempo(byMilliBPM: value), .setNumerator(value), .setDenominator(value), .recallPreset(value),
      .storePreset(value),
    ]
    for command in commands {
      var box = Box(presets: UndoPropertyTests.presets)
      box.press(.start, at: 0)
      box.press(command.inSteps(steps), at: 100)
      #expect(Tempo.range.contains(box.metronome.settings.tempo.milliBPM))
      #expect((1...Signature.highestNumerator).contains(box.metronome.settings.signature.numerator))
    }
    #expect(
      Tempo.initial.stepped(byMilliBPM: value)
        == Tempo(clampingMilliBPM: value < -1 ? 0 : value > 1 ? .max : 120_000 + value))
    var dials = DialMachine()
    for dial in Dial.allCases {
      var count = 0
      dials.process(DialTurn(dial, by: value, at: .zero, from: .box)) { event in
        count += 1
        _ = event.command.inSteps(event.steps)
      }
      #expect(count <= 128)
    }
  }

  @Test func stepMultiplicationSaturates() {
    #expect(Command.stepTempo(byMilliBPM: .max).inSteps(2) == .stepTempo(byMilliBPM: .max))
    #expect(Command.stepTempo(byMilliBPM: .max).inSteps(-2) == .stepTempo(byMilliBPM: .min))
    #expect(Command.stepTempo(byMilliBPM: .min).inSteps(5) == .stepTempo(byMilliBPM: .min))
  }
}
