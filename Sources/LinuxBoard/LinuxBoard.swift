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
  public let inputs: EventDevices?
  /// nil when no sound was asked for.
  public let sound: ALSAPort?
  public let store: (any StateFolder)?
  /// The chip that the lines are on, as `gpiochip0 [pinctrl-bcm2711]`.
  public let chip: String

  /// The version of libgpiod in use, as `1.6.3`.
  public static var gpiodVersion: String { String(cString: cgpiod_version()) }

  /// Takes the lines and the sound card. From now on the outputs are made inactive on every way out of the process that it
  /// can catch, but for SIGTERM, SIGINT and SIGHUP, which are the program's own.
  ///
  /// On the main thread, and once: the process has one box.
  ///
  /// - Parameters:
  ///   - store: where to remember the state; nil: nowhere.
  ///   - notice: told, in one line each, what a person should know but what stops nothing: that a
  ///     card grants another rate.
  /// - Throws: `HardwareError` with operation `openChip`, `requestLines` or `openAudio`, and a detail that says what to do.
  public static func open(
    wiring: Wiring, audio: AudioRequest, store: (any StateFolder)?, notice: @escaping (String) -> Void
  ) throws(HardwareError) -> LinuxBoard {
    let result = cgpiod_guard_install()
    if result < 0 {
      throw HardwareError(.requestLines, errno: -result, detail: "the outputs cannot be guarded against a crash")
    }
    let (lines, buttons, chip) = try takeLines(wiring)
    do throws(HardwareError) {
      let sound = audio.device == .none ? nil : ALSAPort(audio, notice: notice)
      try sound?.prepare()
      let inputs = openInputs(wiring.inputs, notice)
      return LinuxBoard(lines, buttons, inputs, chip, sound, store)
    } catch {
      lines.release()
      buttons.release()
      throw error
    }
  }

  private init(
    _ lines: GPIOOutputs, _ buttons: GPIOButtons, _ inputs: EventDevices?, _ chip: String, _ sound: ALSAPort?,
    _ store: (any StateFolder)?
  ) {
    self.lines = lines
    self.buttons = buttons
    self.inputs = inputs
    self.chip = chip
    self.sound = sound
    self.store = store
  }

  /// To be polled for reading: readable when there are edges of buttons. The inputs have a descriptor of their own.
  public var fileDescriptors: [Int32] { buttons.fileDescriptors }

  /// Makes every output inactive and gives the lines back. Once no other thread uses them; it may be called again. The sound
  /// card is given back by whoever opened it.
  public func release() {
    lines.release()
    buttons.release()
    inputs?.release()
  }

  /// What is beside the box is never missed so much that the box would not play.
  private static func openInputs(_ requests: [InputRequest], _ notice: @escaping (String) -> Void) -> EventDevices? {
    guard !requests.isEmpty else { return nil }
    do throws(SystemError) {
      return try EventDevices(requests, notice: notice)
    } catch {
      notice("no inputs: \(error.call): \(String(cString: strerror(error.errno)))")
      return nil
    }
  }

  private static func takeLines(_ wiring: Wiring) throws(HardwareError) -> (GPIOOutputs, GPIOButtons, String) {
    let chip = try ChipSearch(wiring).find(wiring.chip)
    let resolved = try ResolvedLines(wiring, on: chip)
    var outputs: GPIOOutputs?
    do throws(HardwareError) {
      let lines = try GPIOOutputs(wiring, resolved)
      outputs = lines
      return (lines, try GPIOButtons(wiring, resolved), chip.description)
    } catch {
      outputs?.release()
      throw resolved.refusal(errno: error.errno)
    }
  }
}
