import MetronomeCore
import Testing

@Suite struct GestureTableTests {
  @Test func indexesMatchAllCases() {
    #expect(Button.standard.map(\.index) == Array(Button.standard.indices))
  }

  @Test func urgentShortPressesOfTheStandardTableActOnPress() {
    let atEdge = Button.standard.filter { GestureTable.standard[$0].actsAtEdge }
    #expect(atEdge == [.play, .slower, .faster, .tap, .presetNext, .presetPrevious])
  }

  @Test func bindingsDecideWhichButtonsActOnPress() {
    var table = GestureTable()
    let chord = Gesture.chord(ButtonPair(.tap, .numerator)!)
    table.bind(.short(.numerator), to: .nextNumerator)
    #expect(table[.numerator].actsAtEdge)
    table.bind(.long(.numerator), to: .toggleSilence)
    #expect(!table[.numerator].actsAtEdge)
    table.bind(.long(.numerator), to: nil)
    #expect(table[.numerator].actsAtEdge)
    table.bind(.repeated(.numerator), to: .previousNumerator)
    #expect(!table[.numerator].actsAtEdge)
    table.bind(.repeated(.numerator), to: nil)
    table.bind(chord, to: .tellTempo)
    #expect(!table[.numerator].actsAtEdge)
    table.bind(.short(.numerator), to: .start)
    #expect(table[.numerator].actsAtEdge)
    table.bind(.short(.numerator), to: .nextNumerator)
    table.bind(chord, to: nil)
    #expect(table[.numerator].actsAtEdge)
    #expect(table.gestures == [.short(.numerator)])
  }

  private static let gestures: [Gesture] = [
    .short(.tap), .long(.tap), .repeated(.tap), .chord(ButtonPair(.play, .tap)!),
  ]

  @Test(arguments: gestures) func unbindingLeavesNothingBehind(gesture: Gesture) {
    var table = GestureTable()
    #expect(table[.tap].actsAtEdge)
    table.bind(gesture, to: .tap)
    #expect(table != GestureTable())
    table.bind(gesture, to: nil)
    #expect(table == GestureTable())
    #expect(table[.tap].actsAtEdge)
  }

  @Test func nonUrgentShortPressWaitsForTheReleaseIfOtherGesturesAreBound() {
    var table = GestureTable(shorts: [.tap: .nextNumerator])
    #expect(table[.tap].actsAtEdge)
    table.bind(.long(.tap), to: .togglePlaying)
    #expect(!table[.tap].actsAtEdge)
  }

  @Test func tempoButtonsStepByOneBPM() {
    let table = GestureTable.standard
    for gesture in [Gesture.short(.slower), .repeated(.slower)] {
      #expect(table[gesture] == .stepTempo(byMilliBPM: -1_000))
    }
    for gesture in [Gesture.short(.faster), .repeated(.faster)] {
      #expect(table[gesture] == .stepTempo(byMilliBPM: 1_000))
    }
  }

  @Test func buttonPairsAreUnordered() {
    #expect(ButtonPair(.slower, .faster) == ButtonPair(.faster, .slower))
    #expect(ButtonPair(.tap, .tap) == nil)
    #expect(GestureTable.standard[.chord(ButtonPair(.faster, .slower)!)] == .resetTempo)
  }

  @Test func boundGesturesAreListedOnce() {
    let gestures = GestureTable.standard.gestures
    #expect(gestures.count == 12 + 5 + 4 + 9)
    #expect(Set(gestures).count == gestures.count)
  }

  /// Bound chords are listed in order of their first buttons, then of their second buttons.
  @Test func boundChordsAreListedInOrder() {
    let pairs = [(Button.play, Button.tap), (.play, .preset4), (.slower, .faster), (.slower, .tap)]
    let gestures: [Gesture] =
      [.short(.slower), .repeated(.slower), .long(.tap)] + pairs.map { .chord(ButtonPair($0, $1)!) }
    var table = GestureTable()
    for gesture in gestures.reversed() { table.bind(gesture, to: .start) }
    #expect(table.gestures == gestures)
  }

  @Test func eachPlaceHasGesturesAndChords() {
    var table = GestureTable.standard
    let last = Button(index: 15)
    table.bind(.short(last), to: .stepTempo(byMilliBPM: 1_000))
    table.bind(.chord(ButtonPair(last, .slower)!), to: .storePreset(7))
    expect(
      "0 button_15 down, 60 button_15 up, 200 button_15 down, 300 slower down",
      "0 +1, 200 +1, 300 store7 not 200", table: table)
  }

  @Test func commandsMoveWithTheirButtons() {
    let turned = { (button: Button) in Button(index: 15 - button.index) }
    let moved = GestureTable.standard.moved(to: turned)
    #expect(moved[turned(.play)].long == .toggleSilence)
    #expect(moved[.chord(ButtonPair(turned(.slower), turned(.faster))!)] == .resetTempo)
    #expect(moved[.play].short == nil)
    #expect(moved.moved(to: turned) == .standard)
    #expect(GestureTable.standard.moved { $0 == .play ? nil : $0 }[.chord(ButtonPair(.play, .faster)!)] == nil)
  }

  @Test func reboundButtonUsesItsNewCommands() {
    var table = GestureTable.standard
    table.bind(.repeated(.faster), to: nil)
    table.bind(.long(.faster), to: .storePreset(7))
    table.bind(.short(.tap), to: nil)
    table.bind(.chord(ButtonPair(.slower, .faster)!), to: nil)
    expect(
      "0 faster down, 100 slower down, 900 faster up, 950 tap down",
      "0 +1, 100 -1, 500 store7 of 0 not 0, 600 -1 of 100, 900 -1 of 100", readings: [0, 950],
      table: table)
  }

  @Test func tableWithOnlyShortPressesActsOnPress() {
    let table = GestureTable(shorts: [.numerator: .nextNumerator, .tap: .stop])
    expect("0 numerator down, 100 tap down, 900 numerator up", "0 nextNumerator, 100 stop", table: table)
  }

  @Test(arguments: [(1, 5_000), (5, 25_000)]) func onlyTempoStepsAreMultiplied(steps: Int, milliBPM: Int) {
    #expect(Command.stepTempo(byMilliBPM: 5_000).inSteps(steps) == .stepTempo(byMilliBPM: milliBPM))
    #expect(Command.previousNumerator.inSteps(steps) == .previousNumerator)
  }
}
