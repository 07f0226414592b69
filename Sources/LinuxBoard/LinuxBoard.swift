import CGpiod
import Glibc
import HardwareAbstraction
import MetronomeCore

/// The real board: lines and buttons of a GPIO chip, external input devices, a sound card, a state folder.
public final class LinuxBoard: Board {
  public let clock = LinuxClock()
  public let lines: GPIOOutputs
  public let buttons: GPIOButtons
  /// nil when no external input devices are configured.
  public private(set) var inputs: EventDevices?
  /// Open only while the box learns, if no input devices are configured.
  private var learner: EventDevices?
  /// nil when no sound is configured.
  public private(set) var audio: ALSAPort?
  /// nil when no second card is configured.
  public private(set) var secondAudio: ALSAPort?
  /// Without ports until MIDI outputs are configured; nil if devices cannot be watched.
  public let midi: MIDIPorts?
  public var display: (any CharacterDisplay)? { manager.display }
  public let stateFolder: (any StateFolder)?
  private let manager: LineManager

  /// The version of libgpiod in use, such as `1.6.3`.
  public static var gpiodVersion: String { String(cString: cgpiod_version()) }

  /// Requests the lines and opens the sound card, or starts to wait for them. Must be called on the main thread, and only once.
  ///
  /// After this call, every exit of the process that can be caught makes the outputs inactive first. The program itself must
  /// do this for SIGTERM, SIGINT and SIGHUP.
  ///
  /// `patience` selects which missing hardware to wait for; the board always waits for hardware that was present once. `notice`
  /// receives one line per non-fatal problem for the user. The state is saved in `stateFolder`; nil: it is not saved.
  ///
  /// - Throws: `HardwareError` with operation `openChip`, `requestLines` or `openAudio`, and a detail that names the fix.
  public static func open(
    wiring: Wiring, audio: AudioRequest, secondAudio: AudioRequest = AudioRequest(device: .none),
    stateFolder: (any StateFolder)?, patience: WaitPolicy = .none,
    notice: @escaping (String) -> Void
  ) throws(HardwareError) -> LinuxBoard {
    let result = cgpiod_guard_install()
    if result < 0 {
      throw HardwareError(
        .requestLines, errno: -result, detail: "the crash handler that switches the outputs off cannot be installed")
    }
    let manager: LineManager
    do throws(SystemError) {
      manager = try LineManager(wiring)
    } catch {
      throw HardwareError(.requestLines, error)
    }
    do throws(HardwareError) {
      try manager.open(patience)
      let cards = [audio, secondAudio].map { request -> ALSAPort? in
        request.device == .none ? nil : ALSAPort(request, notice: notice)
      }
      for case let card? in cards { try card.prepare(patience) }
      return LinuxBoard(
        manager, openInputs(wiring.inputs, wiring.midiClock, notice), cards, openMIDI(wiring.midi, notice), stateFolder)
    } catch {
      manager.release()
      throw error
    }
  }

  private init(
    _ manager: LineManager, _ inputs: EventDevices?, _ cards: [ALSAPort?], _ midi: MIDIPorts?,
    _ stateFolder: (any StateFolder)?
  ) {
    self.manager = manager
    lines = manager.outputs
    buttons = manager.buttons
    self.inputs = inputs
    (audio, secondAudio) = (cards[0], cards[1])
    self.midi = midi
    self.stateFolder = stateFolder
  }

  /// Readable when button edges are queued. The descriptors change when the lines are lost, requested again or rewired.
  public var fileDescriptors: [Int32] { buttons.fileDescriptors }

  /// Readable when ``tend(at:)`` must be called because a chip may have appeared or disappeared. It never changes.
  public var descriptor: Int32 { manager.descriptor }

  /// The state of the lines. Control thread.
  public var linesState: LinesState { manager.state }

  /// The outputs whose lines are held. Control thread.
  public var workingOutputs: LineSet { manager.workingOutputs }
  package var outputNames: BoxNames { manager.wiring.names }

  /// Releases the lines of a removed chip, and requests pending lines, to which it applies the last levels set. This may take
  /// milliseconds. Control thread; the beat thread may set the lines meanwhile.
  ///
  /// - Returns: when to call again even if ``descriptor`` is not readable; nil: only when it is readable.
  /// - Throws: `HardwareError` when a chip that has appeared lacks a wired line.
  public func tend(at now: Instant) throws(HardwareError) -> Instant? {
    midi?.tend()
    while learner?.next() != nil {}
    return try manager.step(at: now)
  }

  /// Releases the lines that changed and requests the new lines, or waits for them. Applies the last levels set.
  /// Control thread, while the engine runs.
  ///
  /// - Throws: `HardwareError`, before anything changes, when a line does not exist, or when two names denote the same line.
  public func rewire(_ wiring: Wiring) throws(HardwareError) { try manager.rewire(wiring) }

  /// Closes the external input devices and opens the requested devices. Control thread.
  public func replaceInputs(_ wiring: Wiring, notice: @escaping (String) -> Void) {
    inputs?.release()
    inputs = nil
    inputs = LinuxBoard.openInputs(wiring.inputs, wiring.midiClock, notice)
  }

  /// Replaces the audio port, or removes it; an open card stays with the card manager. Control thread.
  public func replaceAudio(_ request: AudioRequest, notice: @escaping (String) -> Void) {
    audio = request.device == .none ? nil : ALSAPort(request, notice: notice)
  }

  /// The same for the second card.
  public func replaceSecondAudio(_ request: AudioRequest, notice: @escaping (String) -> Void) {
    secondAudio = request.device == .none ? nil : ALSAPort(request, notice: notice)
  }

  /// Makes every output inactive, releases the lines and closes the devices. Must be called only when no other thread uses
  /// them. Idempotent.
  public func release() {
    manager.release()
    inputs?.release()
    midi?.release()
  }

  private static func openMIDI(
    _ requests: [MIDIOutputRequest], _ notice: @escaping (String) -> Void
  ) -> MIDIPorts? {
    do throws(SystemError) {
      return try MIDIPorts(requests, notice: notice)
    } catch {
      if !requests.isEmpty { notice("MIDI outputs cannot be used: \(error.text)") }
      return nil
    }
  }

  /// Starts or ends learning: see ``EventDevices/learn(_:)``. ``tend(at:)`` may call `touched`, too. Returns false if input devices
  /// cannot be watched. Control thread.
  public func learnInputs(_ touched: ((InputTouch) -> Void)?) -> Bool {
    if let inputs {
      inputs.learn(touched)
      return true
    }
    learner?.release()
    learner = touched.flatMap { _ in LinuxBoard.openInputs([], nil, always: true) { _ in } }
    learner?.learn(touched)
    return touched == nil || learner != nil
  }

  /// Readable when the input devices have events, or those that the box listens to; nil: there are none.
  public var inputsDescriptor: Int32? { (inputs ?? learner)?.descriptor }

  /// Opens the input devices. nil: no devices are configured, or they cannot be watched; then the box plays without them.
  private static func openInputs(
    _ requests: [InputRequest], _ clock: MIDIDevice?, always: Bool = false, _ notice: @escaping (String) -> Void
  ) -> EventDevices? {
    guard always || !requests.isEmpty || clock != nil else { return nil }
    do throws(SystemError) {
      return try EventDevices(requests, clock: clock, notice: notice)
    } catch {
      notice("external inputs cannot be used: \(error.text)")
      return nil
    }
  }
}
