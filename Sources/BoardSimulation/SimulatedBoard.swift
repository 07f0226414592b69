import HardwareAbstraction
import MetronomeCore

/// A board of recording fakes in virtual time. It opens no real hardware.
public final class SimulatedBoard: Board {
  public struct Options {
    /// The instant at which its clock starts.
    public var start = Instant.zero
    /// The lines of outputs, and the buttons, that are wired.
    public var outputs = LineSet.all
    /// The names of the outputs and buttons in traces.
    public var names = BoxNames.standard
    public var buttons = Set(Button.all)
    /// The external input devices, with the buttons and dials requested of each.
    public var inputs: [InputRequest] = []
    /// The MIDI output ports.
    public var midi: [MIDIOutputRequest] = []
    /// Whether a display is configured.
    public var hasDisplay = false
    /// Whether the display is a screen, which shows pages.
    public var hasScreen = false
    /// nil: a board without sound.
    public var audio: AudioFormat? = AudioFormat(
      rate: 48_000, channels: 2, sampleFormat: .s16, periodFrames: 256, bufferFrames: 1_024)
    /// When, and by how much, NTP slews the clock.
    public var slews: [VirtualClock.Slew] = []
    /// Records what the sound card plays.
    public var recording: AudioRecording?
    /// The second sound card; nil: none.
    public var secondAudio: AudioFormat?
    /// Records what the second sound card plays.
    public var secondRecording: AudioRecording?
    /// The faults of the second sound card, and the drift of its crystal.
    public var secondFaults = FaultPlan()
    /// Where the state is saved; nil: nowhere. The disk faults of ``faults`` apply only to a ``SimulatedDisk``.
    public var stateFolder: (any StateFolder)?
    public var faults = FaultPlan()

    public init() {}
  }

  public let clock: VirtualClock
  /// The chip of lines and buttons.
  public let chip: SimulatedChip
  public let lines: RecordingLines
  public let buttons: ScriptedButtons
  public let inputs: ScriptedInputs?
  /// nil while no audio is configured.
  public var audio: SimulatedAudioPort? { cards[0].used }
  /// nil while no second card is configured.
  public var secondAudio: SimulatedAudioPort? { cards[1].used }
  public let midi: SimulatedMIDI?
  public var display: (any CharacterDisplay)? { characters }
  public let characters: SimulatedDisplay
  public let stateFolder: (any StateFolder)?
  private var cards: [SimulatedPort]

  /// Opens the board. Its lines are inactive, and its sound card is not open yet.
  ///
  /// - Throws: the plan's faults of `openChip` and `requestLines`.
  public init(_ options: Options = Options(), recorder: TraceRecorder) throws(HardwareError) {
    let clock = VirtualClock(startingAt: options.start, slews: options.slews)
    self.clock = clock
    chip = SimulatedChip(clock: clock)
    let faults = FaultInjector(options.faults, clock: clock)
    recorder.use(options.names)
    try faults.strike(.openChip)
    try faults.strike(.requestLines)
    lines = RecordingLines(options.outputs, clock: clock, faults: faults, recorder: recorder)
    buttons = ScriptedButtons(options.buttons, clock: clock, faults: faults, recorder: recorder)
    inputs = ScriptedInputs(options.inputs, clock: clock, recorder: recorder)
    midi = SimulatedMIDI(options.midi, clock: clock)
    characters = SimulatedDisplay(
      isConfigured: options.hasDisplay, isScreen: options.hasScreen, clock: clock, faults: faults, recorder: recorder)
    stateFolder = options.stateFolder
    (options.stateFolder as? SimulatedDisk)?.faults = faults
    let secondFaults = FaultInjector(options.secondFaults, clock: clock)
    cards = [
      SimulatedPort {
        SimulatedAudioPort(
          $0, name: "simulated card", recording: options.recording, since: options.start, clock: clock,
          faults: faults, recorder: recorder)
      },
      SimulatedPort {
        SimulatedAudioPort(
          $0, name: "second simulated card", recording: options.secondRecording, since: options.start, clock: clock,
          faults: secondFaults, recorder: recorder.ofSecondCard)
      },
    ]
    cards[0].use(options.audio)
    cards[1].use(options.secondAudio)
  }

  /// Rewires what has changed. Only the options for outputs, buttons, inputs, MIDI, display and audio are used.
  func rewire(_ options: Options, _ changes: BoardChanges) {
    applyChipActions()
    if changes.outputs { lines.rewire(options.outputs, options.names) }
    if changes.buttons { buttons.rewire(options.buttons) }
    if changes.inputs { inputs?.rewire(options.inputs) }
    if changes.midi { midi?.rewire(options.midi) }
    if changes.display { characters.rewire(isConfigured: options.hasDisplay, isScreen: options.hasScreen) }
    if changes.audio { cards[0].use(options.audio) }
    if changes.secondAudio { cards[1].use(options.secondAudio) }
  }

  /// Prepares the board for the next metronome: lines are inactive, and earlier events are dropped.
  func begin() {
    pass()
    lines.acquire()
    characters.acquire()
  }

  /// Consumes the events up to now while no metronome runs.
  func pass() {
    applyChipActions()
    buttons.pass()
    inputs?.pass()
  }

  /// Applies the chip actions that are due by now.
  package func applyChipActions() {
    while let action = chip.nextAction() {
      switch action {
      case .unplug:
        lines.unplug()
        buttons.unplug()
      case .plug:
        lines.plug()
        buttons.plug()
      }
    }
  }
}

/// The port of a sound card that a configuration may leave out.
private struct SimulatedPort {
  let make: (AudioFormat) -> SimulatedAudioPort
  /// The newest port, kept also while it is not ``used``; nil before the first.
  private var port: SimulatedAudioPort?
  /// nil while no card is configured.
  private(set) var used: SimulatedAudioPort?

  init(make: @escaping (AudioFormat) -> SimulatedAudioPort) { self.make = make }

  /// Uses a card with this format; nil: none.
  mutating func use(_ format: AudioFormat?) {
    used = format.map { port ?? make($0) }
    if let format { used?.format = format }
    port = used ?? port
  }
}

/// A display that records each change of its text.
///
/// It keeps its text until the next one. The first text that is sent while it is unplugged, and every other one until it is plugged in
/// again, fails and leaves it blank.
public final class SimulatedDisplay: CharacterDisplay, PageDisplay {
  /// The text that is visible; a screen has none.
  public private(set) var text = DisplayText.blank
  /// The page that is visible; nil: none.
  package private(set) var page: ScreenPage?
  /// How many texts were sent, including failed ones.
  public private(set) var calls = 0
  public private(set) var isConfigured: Bool
  package private(set) var showsPages: Bool
  private var isReleased = false
  private let clock: VirtualClock
  private let faults: FaultInjector
  private let recorder: TraceRecorder

  init(isConfigured: Bool, isScreen: Bool, clock: VirtualClock, faults: FaultInjector, recorder: TraceRecorder) {
    (self.isConfigured, showsPages) = (isConfigured, isScreen)
    (self.clock, self.faults, self.recorder) = (clock, faults, recorder)
  }

  /// What is visible, in words.
  package var shown: String { page?.description ?? text.description }

  public func show(_ text: DisplayText) throws(HardwareError) {
    try send()
    change(to: text)
  }

  package func show(_ page: ScreenPage) throws(HardwareError) {
    try send()
    change(to: .blank, page)
  }

  private func send() throws(HardwareError) {
    precondition(isConfigured && !isReleased, "a text for a display that is not configured, or was released")
    calls += 1
    do throws(HardwareError) {
      try faults.strike(.writeDisplay)
    } catch {
      if error.kind == .gone { change(to: .blank) }
      throw error
    }
  }

  public func release() {
    change(to: .blank)
    isReleased = true
  }

  /// Uses the display again after a release.
  func acquire() { isReleased = false }

  func rewire(isConfigured: Bool, isScreen: Bool) {
    if !isConfigured || isScreen != showsPages { change(to: .blank) }
    (self.isConfigured, showsPages) = (isConfigured, isScreen)
  }

  private func change(to text: DisplayText, _ page: ScreenPage? = nil) {
    guard text != self.text || page != self.page else { return }
    (self.text, self.page) = (text, page)
    recorder.record(.display(shown), at: clock.now)
  }
}
