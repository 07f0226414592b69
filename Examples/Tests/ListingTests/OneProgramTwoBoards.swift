#if canImport(LinuxBoard)
  import BoardSimulation
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeCore
  import Testing

  /// A program for every board: the light is on while the button is pressed.
  func showButton(on board: some Board) throws(HardwareError) {
    while let edge = try board.buttons.next() {
      try board.lines.set(edge.direction == .down ? [.light] : .inactive)
    }
  }

  /// The program on the real board: pin 11 is the light, pin 29 the button, of a Raspberry Pi or another computer.
  func openBoard(on chip: ChipID) throws(HardwareError) -> LinuxBoard {
    let wiring = Wiring(
      chip: chip, outputs: [.light: OutputWiring(line: .name("GPIO17"))],
      buttons: [.play: ButtonWiring(line: .name("GPIO5"))])
    return try LinuxBoard.open(wiring: wiring, audio: AudioRequest(device: .none), stateFolder: nil) { print($0) }
  }

  @Suite struct OneProgramTwoBoards {
    @Test func theLightFollowsTheButtonOfTheSimulatedBoard() throws {
      let board = try Simulation(sinks: []).board
      board.buttons.schedule([
        ButtonEdge(.play, .down, at: .zero + .milliseconds(10)), ButtonEdge(.play, .up, at: .zero + .milliseconds(90)),
      ])
      board.clock.advance(to: .zero + .milliseconds(50))
      try showButton(on: board)
      #expect(board.lines.levels == [.light])
      board.clock.advance(to: .zero + .milliseconds(100))
      try showButton(on: board)
      #expect(board.lines.levels == .inactive)
    }

    @Test @MainActor func aMissingChipOfTheRealBoardIsAnErrorWithTheKindGone() {
      let error = #expect(throws: HardwareError.self) {
        let board = try openBoard(on: .named("no-such-chip"))
        try showButton(on: board)
      }
      #expect(error?.operation == .openChip)
      #expect(error?.kind == .gone)
    }
  }
#endif
