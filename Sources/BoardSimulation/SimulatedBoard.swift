import HardwareAbstraction
import MetronomeCore

/// A board made of recording fakes under virtual time. It opens nothing real.
public final class SimulatedBoard: Board {
  /// What the board is made of.
  public struct Options {
    /// When its clock starts.
    public var start = Instant.zero
    /// Which outputs and buttons have a line. The others are not there.
    public var outputs = Set(Output.lines)
    public var buttons = Set(Button.allCases)
    /// The devices beside the box, with the buttons and dials that are asked for.
    public var inputs: [InputRequest] = []
    /// nil: a board without sound.
    public var audio: AudioFormat? = AudioFormat(
      rate: 48_000, channels: 2, sampleFormat: .s16, periodFrames: 256, bufferFrames: 1_024)
    /// When and how much the network's time slews the clock.
    public var slews: [VirtualClock.Slew] = []
    /// How much faster than nominal the sound card runs, in parts per thousand million.
    public var audioDriftPPB: Int64 = 0
    /// Takes in what the sound card plays.
    public var recording: SoundRecording?
    /// Where the state is kept; nil: nowhere. A ``SimulatedDisk`` fails as the faults say.
    public var store: (any StateFolder)?
    public var faults = FaultPlan()

    public init() {}
  }

  public let clock: VirtualClock
  /// What the lines and buttons are on.
  public let chip: SimulatedChip
  public let lines: RecordingLines
  public let buttons: ScriptedButtons
  /// With no devices while there are none beside the box.
  public let inputs: ScriptedInputs?
  /// nil while there is to be no sound.
  public private(set) var sound: SimulatedSoundPort?
  public let store: (any StateFolder)?
  /// Where sound is had from, also while there is to be none; nil before there was to be any.
  private var port: SimulatedSoundPort?
  private let makePort: (AudioFormat) -> SimulatedSoundPort

  /// Opens the board. Its lines are inactive, its sound card is yet to be opened.
  ///
  /// - Parameters:
  ///   - options: what it is made of.
  ///   - recorder: is told what happens on the lines and buttons.
  /// - Throws: the plan's faults of `openChip` and `requestLines`.
  public init(_ options: Options = Options(), recorder: TraceRecorder) throws(HardwareError) {
    let clock = VirtualClock(startingAt: options.start, slews: options.slews)
    self.clock = clock
    chip = SimulatedChip(clock: clock)
    let faults = FaultInjector(options.faults, clock: clock)
    try faults.strike(.openChip)
    try faults.strike(.requestLines)
    lines = RecordingLines(options.outputs, clock: clock, faults: faults, recorder: recorder)
    buttons = ScriptedButtons(options.buttons, clock: clock, faults: faults, recorder: recorder)
    inputs = ScriptedInputs(options.inputs, clock: clock, recorder: recorder)
    store = options.store
    (options.store as? SimulatedDisk)?.faults = faults
    makePort = {
      SimulatedSoundPort(
        format: $0, driftPPB: options.audioDriftPPB, recording: options.recording, clock: clock, faults: faults,
        recorder: recorder, since: options.start)
    }
    port = options.audio.map(makePort)
    sound = port
  }

  /// Wires the board otherwise from now on, where something has changed.
  ///
  /// - Parameter options: what is asked for of outputs, buttons, inputs and audio counts.
  func rewire(_ options: Options, _ changes: BoardChanges) {
    tend()
    if changes.outputs { lines.rewire(options.outputs) }
    if changes.buttons { buttons.rewire(options.buttons) }
    if changes.inputs { inputs?.rewire(options.inputs) }
    guard changes.sound else { return }
    if let format = options.audio {
      let port = port ?? makePort(format)
      port.grant(format)
      self.port = port
      sound = port
    } else {
      sound = nil
    }
  }

  /// Somebody has it from now on, after it was given back: its lines are inactive, and nothing of what happened meanwhile is
  /// to be read.
  func begin() {
    pass()
    lines.acquire()
  }

  /// Lets happen what has happened by now while nobody has it.
  func pass() {
    tend()
    buttons.pass()
    inputs?.pass()
  }

  /// Lets happen to the chip what has happened by now, as whoever sees to the real one's lines does.
  func tend() {
    while let action = chip.takeAction() {
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
