#if LINUX_BOARD
  import BoardCheck
  import CLibrary
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeConfiguration
  import MetronomeCore
  import MetronomeEngine

  /// Tests each output in turn, then a click, then each button, which the user presses, and shows what MIDI pedals send.
  final class BoardTrial {
    /// How often, and how long, an output is active.
    private static let flashes = 3
    private static let flash = Nanoseconds.milliseconds(300)
    private static let pressTimeout = Nanoseconds.seconds(15)
    /// The MIDI ports are closed after this time without a message.
    private static let pedalTimeout = Nanoseconds.seconds(15)

    private let configuration: Configuration
    private let facts: BoardFacts
    private let board: LinuxBoard?
    private let clock = LinuxClock()
    private let prompt: TrialPrompt

    /// - Throws: `HardwareError` or `SystemError` if the board cannot be opened.
    static func run(_ configuration: Configuration, sounds: ClickSounds, _ facts: BoardFacts) throws -> [Finding] {
      let wiring = facts.wiringToTry(configuration.wiring)
      // Must come before any thread is created: all threads inherit the signal mask that blocks these signals.
      let signals = try SignalWatch()
      let hasLines = !(wiring.outputs.isEmpty && wiring.buttons.isEmpty)
      let silent = AudioRequest(device: .none)
      let board =
        hasLines ? try LinuxBoard.open(wiring: wiring, audio: silent, stateFolder: nil, notice: { _ in }) : nil
      defer { board?.release() }
      return try Terminal.withKeys {
        let trial = BoardTrial(configuration, facts, board, TrialPrompt(signals))
        if let chip = facts.untriedChip { return try [chip] + trial.click(sounds) + trial.pedals() }
        return try trial.outputs() + trial.click(sounds) + trial.buttons() + trial.pedals()
      }
    }

    private init(_ configuration: Configuration, _ facts: BoardFacts, _ board: LinuxBoard?, _ prompt: TrialPrompt) {
      (self.configuration, self.facts, self.board, self.prompt) = (configuration, facts, board, prompt)
    }

    private func outputs() throws -> [Finding] {
      let wiring = facts.wiringToTry(configuration.wiring)
      return try configuration.wiring.outputLines.map { output in
        guard let board, wiring.outputs[output] != nil else { return facts.untried(wiring.names[output]) }
        return try flash(output, of: board)
      }
    }

    private func flash(_ output: OutputLine, of board: LinuxBoard) throws -> Finding {
      let name = configuration.wiring.names[output]
      guard prompt.announce("\(name): switching it on \(BoardTrial.flashes) times") else { return skipped(name) }
      defer { try? board.lines.set(.inactive) }
      for _ in 0..<BoardTrial.flashes {
        for levels in [LineSet(output), .inactive] {
          try board.lines.set(levels)
          guard try prompt.wait(until: clock.now + BoardTrial.flash) == .deadline else { return skipped(name) }
        }
      }
      return Finding(
        .trial, name,
        .right(
          "was switched on \(BoardTrial.flashes) times; if you saw or heard nothing, check its wires, its polarity and"
            + " outputs.\(name).active"))
    }

    private func skipped(_ subject: String) -> Finding { Finding(.trial, subject, .absent("skipped")) }

    private func click(_ sounds: ClickSounds) throws -> [Finding] {
      guard facts.hasCard else { return [] }
      let port = ALSAPort(configuration.audio, notice: { _ in })
      guard prompt.announce("click: playing a bar of three beats") else { return [skipped("click")] }
      let card = try port.open()
      defer { port.close(card) }
      if try ClickTrial(card, sounds).play({ try prompt.wait(until: $0) != .deadline }) { return [skipped("click")] }
      let volume = decimal(thousandths: Int(configuration.volume * 1_000))
      return [
        Finding(
          .trial, "click",
          .right(
            "\(card.name) played a bar of three beats; if you heard nothing, run alsamixer, press F6 to choose the"
              + " card, and check whether it is muted; audio.volume is \(volume)"))
      ]
    }

    private func buttons() throws -> [Finding] {
      let wiring = facts.wiringToTry(configuration.wiring)
      let names = configuration.wiring.names
      return try names.buttons.filter { configuration.wiring.buttons[$0] != nil }.map { button in
        guard let board, let wire = wiring.buttons[button] else { return facts.untried(names[button]) }
        return try press(button, wire, on: board)
      }
    }

    private func press(_ button: Button, _ wire: ButtonWiring, on board: LinuxBoard) throws -> Finding {
      let name = configuration.wiring.names[button]
      let seconds = BoardTrial.pressTimeout.count / 1_000_000_000
      guard prompt.announce("\(name) (\(wire.line)): press it once, within \(seconds) s") else {
        return skipped(name)
      }
      while try board.buttons.next() != nil {}
      var trial = ButtonTrial(button, lockOut: configuration.lockOut, names: configuration.wiring.names)
      let deadline = clock.now + BoardTrial.pressTimeout
      while true {
        let end = trial.end.map { min($0, deadline) } ?? deadline
        switch try prompt.wait(until: end, or: board.fileDescriptors) {
        case .skipped: return skipped(name)
        case .readable: while let edge = try board.buttons.next() { trial.record(edge) }
        case .deadline:
          let verdict = trial.verdict(
            "buttons.\(name)", waitedFor: BoardTrial.pressTimeout, in: facts.configurationFile)
          prompt.say("  \(verdict.text)")
          return Finding(.trial, name, verdict)
        }
      }
    }
  }

  extension BoardTrial {
    /// Shows what arrives at the MIDI ports, and prints the entry of the configuration for it.
    private func pedals() throws -> [Finding] {
      let listener = MIDIListener()
      let used = listener.unopened.map { name in
        Finding(
          .trial, name, .absent("this MIDI port cannot be opened: another program uses it, or you have no permission"))
      }
      guard !listener.names.isEmpty else { return used }
      let seconds = BoardTrial.pedalTimeout.count / 1_000_000_000
      let names = listener.names.map { shownName($0) }.joined(separator: ", ")
      let isAsked = prompt.announce(
        "MIDI (\(names)): press each pedal, and turn each dial some detents forward, then back; this ends after \(seconds) s "
          + "without a message")
      guard isAsked else { return used + [skipped("MIDI")] }
      var trials = listener.names.map { (name: $0, trial: MIDITrial(device: $0)) }
      var deadline = clock.now + BoardTrial.pedalTimeout
      while try prompt.wait(until: deadline, or: listener.descriptors) == .readable {
        for (port, event) in listener.read() {
          if case .clock = event { continue }
          deadline = clock.now + BoardTrial.pedalTimeout
          guard let index = trials.firstIndex(where: { $0.name == port }) else { continue }
          if let line = trials[index].trial.record(event) { prompt.say("  \(line)") }
        }
      }
      let entries = trials.compactMap(\.trial.entry)
      if !entries.isEmpty {
        prompt.say("add this to \(facts.configurationFile), with the buttons you want:\ninputs:\n\(entries.joined())")
      }
      let findings = trials.flatMap(\.trial.findings)
      return used + (findings.isEmpty ? [Finding(.trial, "MIDI", .absent("nothing was received"))] : findings)
    }
  }

  /// Plays a bar of three clicks on a card.
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

    /// `wait` waits until an instant, and returns true to stop playing. Returns whether it did.
    func play(_ wait: (Instant) throws -> Bool) throws -> Bool {
      let format = card.format
      let perBeat = Int(ClickTrial.beat.count) * format.rate / 1_000_000_000
      let length = ClickTrial.beats.count * perBeat + format.bufferFrames
      var written = 0
      while written < length {
        if try card.status().available < format.periodFrames {
          if try wait(clock.now + format.periodDuration / 2) { return true }
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

  /// Prints the current test, and reads the keys that skip it.
  final class TrialPrompt {
    enum Event { case deadline, readable, skipped }

    private let signals: SignalWatch
    /// The descriptor of the keys, or -1, which poll(2) ignores.
    private var keys: Int32
    private var isOver = false

    init(_ signals: SignalWatch) {
      self.signals = signals
      keys = Terminal.hasKeys ? STDIN_FILENO : -1
      if keys >= 0 { say("any key skips the current test, q ends the tests") }
    }

    /// Announces the next test. Returns false if the user has ended the test.
    func announce(_ text: String) -> Bool {
      if !isOver { say(text) }
      return !isOver
    }

    func say(_ text: String) { standardError("\(text)\n") }

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
      // In this terminal mode Control-C (3) and Control-D (4) arrive as keys.
      let ends = [UInt8(ascii: "q"), 3, 4]
      if count <= 0 || bytes[..<count].contains(where: ends.contains) { isOver = true }
    }
  }
#endif
