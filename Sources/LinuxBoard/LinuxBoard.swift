import CGpiod
import Glibc
import HardwareAbstraction
import MetronomeCore

/// The real board: lines and buttons of a GPIO chip, devices beside it, a sound card, a folder.
public final class LinuxBoard: Board {
  public let clock = LinuxClock()
  public let lines: GPIOOutputs
  public let buttons: GPIOButtons
  /// nil when no devices beside the box were asked for.
  public private(set) var inputs: EventDevices?
  /// nil when no sound was asked for.
  public private(set) var sound: ALSAPort?
  public let store: (any StateFolder)?
  private let keeper: LineKeeper

  /// The version of libgpiod in use, as `1.6.3`.
  public static var gpiodVersion: String { String(cString: cgpiod_version()) }

  /// Takes the lines and the sound card, or begins to wait for them. From now on the outputs are made inactive on every way
  /// out of the process that it can catch, but for SIGTERM, SIGINT and SIGHUP, which are the program's own.
  ///
  /// On the main thread, and once: the process has one box.
  ///
  /// - Parameters:
  ///   - store: where to remember the state; nil: nowhere.
  ///   - patience: for what to wait instead of failing. What has been there once is waited for in any case.
  ///   - notice: told, in one line each, what a person should know but what stops nothing: that a
  ///     card grants another rate.
  /// - Throws: `HardwareError` with operation `openChip`, `requestLines` or `openAudio`, and a detail that says what to do.
  public static func open(
    wiring: Wiring, audio: AudioRequest, store: (any StateFolder)?, patience: WaitPolicy = .none,
    notice: @escaping (String) -> Void
  ) throws(HardwareError) -> LinuxBoard {
    let result = cgpiod_guard_install()
    if result < 0 {
      throw HardwareError(.requestLines, errno: -result, detail: "the outputs cannot be guarded against a crash")
    }
    let keeper = try makeKeeper(wiring)
    do throws(HardwareError) {
      try keeper.open(patience)
      let sound = audio.device == .none ? nil : ALSAPort(audio, notice: notice)
      try sound?.prepare(patience)
      return LinuxBoard(keeper, openInputs(wiring.inputs, notice), sound, store)
    } catch {
      keeper.release()
      throw error
    }
  }

  private init(_ keeper: LineKeeper, _ inputs: EventDevices?, _ sound: ALSAPort?, _ store: (any StateFolder)?) {
    self.keeper = keeper
    lines = keeper.outputs
    buttons = keeper.buttons
    self.inputs = inputs
    self.sound = sound
    self.store = store
  }

  /// To be polled for reading: readable when there are edges of buttons. Others after the lines were lost, had again or
  /// rewired. The inputs have a descriptor of their own.
  public var fileDescriptors: [Int32] { buttons.fileDescriptors }

  /// To be polled for reading: readable when ``tend(at:)`` is to be called because a chip may have come or gone. Always the
  /// same.
  public var descriptor: Int32 { keeper.descriptor }

  /// How it stands with the lines. Control thread.
  public var linesState: LinesState { keeper.state }

  /// The outputs whose lines are held. Control thread.
  public var workingOutputs: Set<Output> { keeper.workingOutputs }

  /// Sees to the lines: gives back those of a chip that is gone, and takes those that are waited for. It may take
  /// milliseconds. Control thread; the beat thread may set the lines meanwhile, and what it has set last is shown on lines that
  /// come.
  ///
  /// - Returns: when to call again though ``descriptor`` is not readable; nil: not before.
  /// - Throws: `HardwareError` when the chip that has come cannot be the one: it has no such line.
  public func tend(at now: Instant) throws(HardwareError) -> Instant? { try keeper.step(at: now) }

  /// Takes other lines in place of those held: what differs is given back, what is new is asked for, and waited for if it is
  /// not to be had yet; what was set last is shown on the new ones. With the same chip, outputs and buttons nothing happens.
  /// The devices beside the box stay as they are. Control thread, while the engine runs.
  ///
  /// - Throws: `HardwareError` when there are no such lines, or two of them are one. All is then as it was.
  public func rewire(_ wiring: Wiring) throws(HardwareError) { try keeper.rewire(wiring) }

  /// Takes other devices beside the box in place of those it has, which are given back. Control thread.
  public func takeInputs(_ requests: [InputRequest], notice: @escaping (String) -> Void) {
    inputs?.release()
    inputs = LinuxBoard.openInputs(requests, notice)
  }

  /// Has its sound from elsewhere from now on, or none. Nothing is opened, and the card that is open is left to whoever has
  /// opened it. Control thread.
  public func takeSound(_ request: AudioRequest, notice: @escaping (String) -> Void) {
    sound = request.device == .none ? nil : ALSAPort(request, notice: notice)
  }

  /// Makes every output inactive and gives the lines back. Once no other thread uses them; it may be called again. The sound
  /// card is given back by whoever opened it.
  public func release() {
    keeper.release()
    inputs?.release()
  }

  private static func makeKeeper(_ wiring: Wiring) throws(HardwareError) -> LineKeeper {
    do throws(SystemError) {
      return try LineKeeper(wiring)
    } catch {
      throw HardwareError(.requestLines, errno: error.errno, detail: text(error))
    }
  }

  /// What is beside the box is never missed so much that the box would not play.
  private static func openInputs(_ requests: [InputRequest], _ notice: @escaping (String) -> Void) -> EventDevices? {
    guard !requests.isEmpty else { return nil }
    do throws(SystemError) {
      return try EventDevices(requests, notice: notice)
    } catch {
      notice("no inputs: \(text(error))")
      return nil
    }
  }

  private static func text(_ error: SystemError) -> String {
    "\(error.call): \(String(cString: strerror(error.errno)))"
  }
}
