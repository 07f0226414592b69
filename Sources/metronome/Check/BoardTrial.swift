#if LINUX_BOARD
  import BoardCheck
  import CLibrary
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeConfiguration
  import MetronomeCore
  import MetronomeEngine

  /// Each output in turn, then each button, pressed by somebody.
  final class BoardTrial {
    /// How often and for how long an output is active.
    private static let flashes = 3
    private static let flash = Nanoseconds.milliseconds(300)
    /// For how long a button is waited for.
    private static let patience = Nanoseconds.seconds(15)

    private let configuration: Configuration
    private let facts: BoardFacts
    /// nil when no line can be tried.
    private let board: LinuxBoard?
    private let clock = LinuxClock()
    private let desk: TrialDesk

    /// - Throws: `Failure` when the board cannot be had after all.
    static func run(_ configuration: Configuration, sounds: ClickSounds, _ facts: BoardFacts) throws -> [Finding] {
      let wiring = facts.wiringToTry(configuration.wiring)
      do {
        // Before any thread is made: all of them inherit that these signals wait to be read.
        let signals = try SignalWatch()
        let hasLines = !(wiring.outputs.isEmpty && wiring.buttons.isEmpty)
        let silent = AudioRequest(device: .none)
        let board =
          hasLines ? try LinuxBoard.open(wiring: wiring, audio: silent, store: nil, notice: { _ in }) : nil
        defer { board?.release() }
        return try Terminal.withKeys {
          let trial = BoardTrial(configuration, facts, board, TrialDesk(signals))
          return try trial.outputs() + trial.click(sounds) + trial.buttons()
        }
      } catch let error as HardwareError {
        throw Failure.noHardware(error)
      } catch let error as SystemError {
        throw Failure.noHardware("\(error.call): \(reason(error.errno))")
      }
    }

    private init(_ configuration: Configuration, _ facts: BoardFacts, _ board: LinuxBoard?, _ desk: TrialDesk) {
      self.configuration = configuration
      self.facts = facts
      self.board = board
      self.desk = desk
    }

    // MARK: Outputs

    private func outputs() throws -> [Finding] {
      let wiring = facts.wiringToTry(configuration.wiring)
      return try Output.lines.filter { configuration.wiring.outputs[$0] != nil }.map { output in
        guard let board, wiring.outputs[output] != nil else { return facts.untried(output.rawValue) }
        return try flash(output, of: board)
      }
    }

    private func flash(_ output: Output, of board: LinuxBoard) throws -> Finding {
      let name = output.rawValue
      guard desk.announce("\(name): on \(BoardTrial.flashes) times") else { return skipped(name) }
      defer { try? board.lines.set(.inactive) }
      for _ in 0..<BoardTrial.flashes {
        for levels in [OutputSet(output), .inactive] {
          try board.lines.set(levels)
          let isSkipped = try desk.wait(until: clock.now + BoardTrial.flash) != .deadline
          if isSkipped { return skipped(name) }
        }
      }
      return .right(
        .trial, name,
        "was on \(BoardTrial.flashes) times; if nothing was to be seen or heard, look after its wires, its"
          + " polarity and outputs.\(name).active")
    }

    private func skipped(_ subject: String) -> Finding { .absent(.trial, subject, "skipped") }

    // MARK: Sound

    private func click(_ sounds: ClickSounds) throws -> [Finding] {
      guard facts.hasCard else { return [] }
      let port = ALSAPort(configuration.audio, notice: { _ in })
      guard desk.announce("click: a bar of three") else { return [skipped("click")] }
      let card = try port.open()
      defer { port.close(card) }
      let isSkipped = try ClickTrial(card, sounds).play { try desk.wait(until: $0) == .deadline }
      if isSkipped { return [skipped("click")] }
      return [
        .right(
          .trial, "click",
          "\(card.name) has played a bar of three; if nothing was to be heard: alsamixer, in which F6"
            + " chooses the card, shows whether it is muted, and audio.volume is \(decimal(thousandths: Int(configuration.volume * 1_000)))"
        )
      ]
    }

    // MARK: Buttons

    private func buttons() throws -> [Finding] {
      let wiring = facts.wiringToTry(configuration.wiring)
      return try Button.allCases.filter { configuration.wiring.buttons[$0] != nil }.map { button in
        guard let board, let wire = wiring.buttons[button] else { return facts.untried(button.rawValue) }
        return try press(button, wire, on: board)
      }
    }

    private func press(_ button: Button, _ wire: ButtonWiring, on board: LinuxBoard) throws -> Finding {
      let seconds = BoardTrial.patience.count / 1_000_000_000
      guard desk.announce("\(button.rawValue) (\(wire.line)): press it once, within \(seconds) s") else {
        return skipped(button.rawValue)
      }
      while try board.buttons.next() != nil {}
      var trial = ButtonTrial(button, lockOut: configuration.lockOut)
      let deadline = clock.now + BoardTrial.patience
      while true {
        let end = trial.end.map { min($0, deadline) } ?? deadline
        switch try desk.wait(until: end, or: board.fileDescriptors) {
        case .skipped: return skipped(button.rawValue)
        case .readable: while let edge = try board.buttons.next() { trial.take(edge) }
        case .deadline:
          let finding = trial.finding(
            "buttons.\(button.rawValue)", waitedFor: BoardTrial.patience, in: facts.fileToChange)
          desk.say("  \(finding.text)")
          return finding
        }
      }
    }
  }

  /// A bar of three clicks on a card.
  struct ClickTrial {
    private static let beats: [Level] = [.strong, .weak, .weak]
    private static let beat = Nanoseconds.milliseconds(500)

    private let card: ALSAOutput
    private let mixer: ClickMixer
    private let clock = LinuxClock()

    init(_ card: ALSAOutput, _ sounds: ClickSounds) {
      self.card = card
      mixer = ClickMixer(format: card.format, sounds: sounds)
    }

    /// - Parameter wait: waits until an instant; answers false when nothing more is to be heard.
    /// - Returns: whether it was ended so.
    func play(_ wait: (Instant) throws -> Bool) throws -> Bool {
      let format = card.format
      let perBeat = Int(ClickTrial.beat.count) * format.rate / 1_000_000_000
      let length = ClickTrial.beats.count * perBeat + format.bufferFrames
      var written = 0
      while written < length {
        if try card.status().available < format.periodFrames {
          guard try wait(clock.now + format.periodDuration / 2) else { return true }
          continue
        }
        for (index, level) in ClickTrial.beats.enumerated() {
          let offset = index * perBeat - written
          if (0..<format.periodFrames).contains(offset) { mixer.start(level, atFrame: offset, fraction: 0) }
        }
        try write(mixer.nextPeriod())
        written += format.periodFrames
      }
      return false
    }

    private func write(_ frames: UnsafeRawBufferPointer) throws {
      var rest = frames
      while !rest.isEmpty {
        let count = try card.write(rest)
        guard count > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest[(count * card.format.bytesPerFrame)...])
      }
    }
  }

  /// What a person has before them whose box is tried: lines that say what happens, and keys to skip it.
  final class TrialDesk {
    enum Event {
      case deadline
      case readable
      case skipped
    }

    private let signals: SignalWatch
    /// -1 for none, which no poll reports.
    private var keys: Int32
    /// Nothing more is to be tried.
    private var isOver = false

    init(_ signals: SignalWatch) {
      self.signals = signals
      keys = Terminal.hasKeys ? STDIN_FILENO : -1
      if keys >= 0 { say("any key skips what is being tried, q ends it") }
    }

    /// Says what comes.
    ///
    /// - Returns: false if it is over and nothing comes.
    func announce(_ text: String) -> Bool {
      if !isOver { say(text) }
      return !isOver
    }

    func say(_ text: String) { standardError("\(text)\n") }

    /// Waits until an instant, unless something can be read before, or somebody has had enough.
    func wait(until deadline: Instant, or descriptors: [Int32] = []) throws -> Event {
      var wait = DescriptorWait([signals.descriptor, keys] + descriptors)
      guard try wait.wait(until: deadline) else { return .deadline }
      if signals.next() != nil { isOver = true }
      if wait.isReady(keys) { readKeys() } else if !isOver { return .readable }
      return .skipped
    }

    private func readKeys() {
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = read(keys, &bytes, bytes.count)
      if count <= 0 { keys = -1 }
      // Control-C is a key like any other while keys come one by one.
      let ends = [UInt8(ascii: "q"), 3, 4]
      if count <= 0 || bytes[..<count].contains(where: ends.contains) { isOver = true }
    }
  }
#endif
