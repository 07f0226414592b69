import MetronomeCore
import Testing

@Suite struct ChordTests {
  @Test func chordWorksInBothOrders() {
    expect(
      "0 slower down, 80 faster down, 300 slower up, 400 faster up", "0 -1, 80 resetTempo not 0")
    expect("0 faster down, 80 slower down, 300 slower up, 400 faster up", "0 +1, 80 resetTempo not 0")
    expect("0 play down, 499 faster down, 600 faster up, 700 play up", "0 play, 499 tellTempo not 0")
    expect("0 faster down, 20 play down, 600 faster up, 700 play up", "0 +1, 20 tellTempo not 0")
    expect("0 play down, 30 numerator down, 90 numerator up, 99 play up", "0 play, 30 tellSignature not 0")
  }

  @Test func chordThatLetsAPhoneInMustBeHeld() {
    for (first, second, start) in [("play", "denominator", "0 play, "), ("denominator", "play", "")] {
      let undone = start.isEmpty ? "" : " not 0"
      expect(
        "0 \(first) down, 80 \(second) down, 600 \(first) up, 700 \(second) up",
        "\(start)580 pair of 80\(undone)")
      // A release at exactly 500 ms is late enough, an earlier one is not, for either button.
      expect("0 \(first) down, 80 \(second) down, 580 \(second) up", "\(start)580 pair of 80\(undone)")
      expect("0 \(first) down, 80 \(second) down, 580 \(first) up", "\(start)580 pair of 80\(undone)")
      expect(
        "0 \(first) down, 80 \(second) down, 579.999999 \(second) up, 900 \(first) up", start.isEmpty ? "" : "0 play")
      expect(
        "0 \(first) down, 80 \(second) down, 579.999999 \(first) up, 900 \(second) up", start.isEmpty ? "" : "0 play")
    }
  }

  @Test func anyChordCanBeOneThatMustBeHeld() {
    var table = GestureTable.standard
    table.bind(.chord(ButtonPair(.slower, .faster)!), to: .resetTempo, isHeld: true)
    expect(
      "0 slower down, 80 faster down, 600 slower up, 700 faster up", "0 -1, 580 resetTempo of 80 not 0", table: table)
    expect("0 slower down, 80 faster down, 579 slower up, 900 faster up", "0 -1", table: table)
    table.bind(.chord(ButtonPair(.slower, .faster)!), to: .resetTempo)
    expect("0 slower down, 80 faster down, 300 slower up, 400 faster up", "0 -1, 80 resetTempo not 0", table: table)
  }

  @Test func buttonThatIsPressedAgainDoesNotHoldAChord() {
    expect(
      "0 play down, 80 denominator down, 200 play up, 300 play down, 900 play up, 990 denominator up",
      "0 play, 300 play, 800 silent of 300 not 300")
    expect(
      "0 play down, 80 denominator down, 200 tap down, 300 tap up, 900 play up", "0 play, 200 tap, 580 pair of 80 not 0"
    )
  }

  @Test func chordUndoesNothingIfTheFirstButtonActsOnRelease() {
    expect("0 numerator down, 30 play down, 90 numerator up, 99 play up", "30 tellSignature")
  }

  @Test func chordRequiresThatTheFirstButtonIsHeldForLessThanHalfASecond() {
    expect("0 play down, 499.999999 faster down, 600 faster up", "0 play, 499.999999 tellTempo not 0")
    expect(
      "0 play down, 500 faster down, 600 faster up, 700 play up", "0 play, 500 silent of 0 not 0, 500 +1")
    expect(
      "0 play down, 501 faster down, 600 faster up, 700 play up", "0 play, 500 silent of 0 not 0, 501 +1")
    expect(
      "0 slower down, 501 faster down, 600 faster up, 700 slower up", "0 -1, 500 -1 of 0, 501 +1")
    expect("0 slower down, 200 slower up, 210 faster down, 300 faster up", "0 -1, 210 +1")
  }

  @Test func pressesHalfASecondApartAreNoChord() {
    expect("0 faster down, 500 play down, 600 play up, 700 faster up", "0 +1, 500 play, 500 +1 of 0")
    var table = GestureTable()
    table.bind(.short(.tap), to: .tap)
    table.bind(.chord(ButtonPair(.tap, .play)!), to: .tellTempo)
    expect("0 tap down, 499.999999 play down", "0 tap, 499.999999 tellTempo not 0", table: table)
    expect("0 tap down, 500 play down", "0 tap", table: table)
  }

  @Test func chordButtonsDoNothingMoreUntilReleased() {
    expect("0 slower down, 80 faster down, 3000 slower up, 4000 faster up", "0 -1, 80 resetTempo not 0")
    expect("0 play down, 80 numerator down, 3000 play up, 4000 numerator up", "0 play, 80 tellSignature not 0")
    expect("0 play down, 80 numerator down, 100 numerator up, 110 play up", "0 play, 80 tellSignature not 0")
  }

  @Test func nextPressAfterAChordActsNormally() {
    expect(
      "0 slower down, 80 faster down, 200 slower up, 300 slower down, 400 slower up, 500 faster up",
      "0 -1, 80 resetTempo not 0, 300 -1")
  }

  @Test func thirdButtonActsIndependently() {
    expect(
      "0 slower down, 80 faster down, 100 tap down, 120 play down, 300 play up",
      "0 -1, 80 resetTempo not 0, 100 tap, 120 play")
    expect(
      "0 slower down, 10 tap down, 80 faster down, 300 slower up, 300 faster up",
      "0 -1, 10 tap, 80 resetTempo not 0")
    expect(
      "0 faster down, 40 play down, 90 numerator down, 200 numerator up",
      "0 +1, 40 tellTempo not 0, 200 nextNumerator of 90")
  }

  @Test func chordIsFormedWithTheLaterOfTwoHeldButtons() {
    // Slower and play have no chord; faster has one with each of them.
    expect(
      "0 slower down, 40 play down, 90 faster down, 200 faster up",
      "0 -1, 40 play, 90 tellTempo not 40, 500 -1 of 0, 800 -1 of 0, 1040 -1 of 0", readings: [0, 40, 90, 200, 1_200])
  }

  @Test func chordWithASimultaneousPairTakesTheLowerButtonIndex() {
    expect(
      "0 slower down, 0 play down, 90 faster down, 200 faster up", "0 -1, 0 play, 90 tellTempo not 0", readings: [300])
    expect(
      "0 play down, 0 slower down, 90 faster down, 200 faster up", "0 play, 0 -1, 90 tellTempo not 0", readings: [300])
  }

  @Test func unboundPairsActIndependently() {
    expect("0 tap down, 30 play down, 90 tap up, 99 play up", "0 tap, 30 play")
    expect(
      "0 numerator down, 30 preset_1 down, 90 numerator up, 99 preset_1 up", "90 nextNumerator of 0, 99 recall1 of 30")
  }

  @Test func chordsWorkAcrossOrigins() {
    expect("0 slower@1 down, 80 faster down, 300 slower@1 up, 400 faster up", "0 -1, 80 resetTempo not 0")
    expect("0 play@1 down, 80 faster@2 down, 300 play@1 up, 400 faster@2 up", "0 play, 80 tellTempo not 0")
  }

  @Test func simultaneousEdgesActInTheOrderRead() {
    expect("5 slower down, 5 faster down, 100 slower up, 100 faster up", "5 -1, 5 resetTempo not 5")
  }

  @Test func chordsAreRecognisedInTimingDiagrams() {
    expect(
      rows: """
        slower ..######......###
        faster ....####.........
        """, column: 50, "100 -1, 200 resetTempo not 100, 700 -1")
    expect(
      rows: """
        play   #####################
        faster ............##.......
        tap    .#.#.#.#.............
        """, column: 50, "0 play, 50 tap, 150 tap, 250 tap, 350 tap, 500 silent of 0 not 0, 600 +1")
  }
}
