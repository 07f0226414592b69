import MetronomeCore

/// The hardware of a metronome: clock, output lines, buttons, sound, and a folder for the state. Its creator configures it.
public protocol Board {
  associatedtype Clock: MonotonicClock
  associatedtype Lines: OutputLines
  associatedtype Buttons: ButtonEdges
  associatedtype Inputs: ControlInputs
  associatedtype Audio: AudioPort
  associatedtype MIDI: MIDIOutputs

  var clock: Clock { get }
  var lines: Lines { get }
  var buttons: Buttons { get }
  /// The external input devices; nil if none are configured.
  var inputs: Inputs? { get }
  /// Opens the sound card; nil without sound.
  var audio: Audio? { get }
  /// Opens the second sound card, which has a clock of its own; nil without one.
  var secondAudio: Audio? { get }
  /// The MIDI output ports; nil if none are configured.
  var midi: MIDI? { get }
  /// The display, configured or not; nil: this board can have none.
  var display: (any CharacterDisplay)? { get }
  /// The folder of the saved state; nil if nothing is saved.
  var stateFolder: (any StateFolder)? { get }
}

extension Board {
  public var display: (any CharacterDisplay)? { nil }
  public var secondAudio: Audio? { nil }
}

/// The clock for all timing. It must never go back.
public protocol MonotonicClock {
  /// Any thread.
  var now: Instant { get }

  /// The current time on this clock and on the raw clock, which is never slewed. Any thread.
  var pair: ClockPair { get }
}

/// A folder of a few small persistent files. When a write returns, the file's data is on the disk. Its name is on the disk only
/// after ``synchronize()``: until then a power cut may undo creations, renames and removals, the newest first. Used by one thread, never
/// a real-time one: a write may block for a second.
public protocol StateFolder: AnyObject {
  /// Reads a whole file; nil if it does not exist. Throws a `HardwareError` with operation `loadState`.
  func read(_ name: String) throws(HardwareError) -> [UInt8]?

  /// Whether anything of this name exists, file or not; true if unknown.
  func exists(_ name: String) -> Bool

  /// Writes a file, replacing one of the same name, and flushes it to the disk. After a failure or a power cut the file may be
  /// partial or missing: write an important file under a temporary name, then rename it. Throws a `HardwareError` with
  /// operation `saveState`, like ``rename(_:to:)`` and ``synchronize()``.
  func write(_ name: String, _ bytes: [UInt8]) throws(HardwareError)

  /// Renames a file, replacing one of the new name. Returns false if there is no such file.
  @discardableResult
  func rename(_ name: String, to newName: String) throws(HardwareError) -> Bool

  /// Removes a file. Returns false if there is no such file. Throws a `HardwareError` with operation `saveState`.
  @discardableResult
  func remove(_ name: String) throws(HardwareError) -> Bool

  /// The names of everything in the folder, in no order. Throws a `HardwareError` with operation `loadState`.
  func list() throws(HardwareError) -> [String]

  /// Flushes the folder's entries (creations, renames and removals) to the disk.
  func synchronize() throws(HardwareError)
}

public struct UnusableStateFile: Hashable, Sendable {
  public enum Reason: Hashable, Sendable {
    case content(StateFileError)
    case refused(HardwareError)

    /// The text after the file's name in a message. `description` gives the system's text for an error number.
    public func text(_ description: (Int32) -> String) -> String {
      switch self {
      case .content(let error): error.text
      case .refused(let error): "cannot be read (\(error.reason(description)))"
      }
    }
  }

  public var name: String
  public var reason: Reason
  /// The new name of the file; nil if it ``isKept``, or if all such names are in use. In both cases nothing can be saved.
  public var newName: String?

  /// Whether the file is not renamed. It may be good, but this process may not read it.
  public var isKept: Bool { if case .refused(let error) = reason { error.kind == .denied } else { false } }

  public init(name: String, reason: Reason, newName: String?) {
    self.name = name
    self.reason = reason
    self.newName = newName
  }
}

/// Which parts of a board a new configuration changes.
public struct BoardChanges: Hashable, Sendable {
  /// Outputs have other names, lines or another active level.
  public var outputs: Bool
  /// Buttons have other names or lines, or are wired differently.
  public var buttons: Bool
  /// The external input devices changed.
  public var inputs: Bool
  /// The MIDI output ports changed, other than in their latency.
  public var midi: Bool
  /// The sound device or the audio parameters changed, or sound was turned on or off.
  public var audio: Bool
  /// The same of the second sound card.
  public var secondAudio: Bool
  /// The display has other lines, another bus, another address or another brightness.
  public var display: Bool

  public init(
    outputs: Bool = false, buttons: Bool = false, inputs: Bool = false, midi: Bool = false, audio: Bool = false,
    secondAudio: Bool = false, display: Bool = false
  ) {
    self.outputs = outputs
    self.buttons = buttons
    self.inputs = inputs
    self.midi = midi
    self.audio = audio
    self.secondAudio = secondAudio
    self.display = display
  }

  /// From the old configuration to the new one.
  ///
  /// - Parameters:
  ///   - old: the wiring until now.
  ///   - oldAudio: the request of the first sound card until now.
  ///   - new: the wiring from now on.
  ///   - newAudio: the request of the first sound card from now on.
  ///   - second: the old and the new request of the second sound card.
  public init(
    from old: Wiring, _ oldAudio: AudioRequest, to new: Wiring, _ newAudio: AudioRequest,
    second: (old: AudioRequest, new: AudioRequest) = (AudioRequest(device: .none), AudioRequest(device: .none))
  ) {
    let isOtherChip = old.chip != new.chip
    outputs = isOtherChip || old.outputs != new.outputs || old.names.outputNames != new.names.outputNames
    buttons = isOtherChip || old.buttons != new.buttons || old.names.buttonNames != new.names.buttonNames
    inputs = old.inputs != new.inputs || old.midiClock != new.midiClock
    midi = old.midi != new.midi
    func isOther(_ old: AudioRequest, _ new: AudioRequest) -> Bool {
      old != new && !(old.device == .none && new.device == .none)
    }
    audio = isOther(oldAudio, newAudio)
    secondAudio = isOther(second.old, second.new)
    display = old.display != new.display || old.display.isPresent && isOtherChip
  }
}

/// An error from the hardware, or from the kernel on its behalf.
public struct HardwareError: Error, Hashable, Sendable {
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    case openChip, requestLines, setLines, readEdges, openAudio, readAudioPosition, writeAudio, loadState, saveState,
      writeDisplay
  }

  /// The kind of failure, which alone decides how the loops react. The back end sets it where the error occurs.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The device is missing or was unplugged. It may return.
    case gone
    /// Another program uses the device.
    case busy
    /// This process may not use the device.
    case denied
    /// The card is suspended until it is resumed.
    case suspended
    /// After an underrun the card has stopped until it is resumed.
    case underrun
    /// The card has stopped counting frames.
    case stalled
    /// The card counts frames faster than it can play them.
    case racing
    /// The card accepts no frames although it reports free space.
    case deaf
    /// Several devices match.
    case ambiguous
    /// The hardware is present, but lacks something that the configuration requires.
    case invalid
    /// The device or its driver does not support the operation.
    case unsupported
    /// The file system cannot be written to.
    case readOnly
    /// The disk, or a quota, is full.
    case full
    case timedOut
    case other
  }

  public var operation: Operation
  public var kind: Kind
  /// The kernel's error number, positive: `EIO`, `ENODEV`, … For messages only. nil if there is no number.
  public var errno: Int32?
  /// Details for the user: which line, which program holds the line, how to fix the problem. May be empty. Always empty on the
  /// real-time threads, which must not allocate text.
  public var detail: String

  public init(_ operation: Operation, _ kind: Kind, errno: Int32? = nil, detail: String = "") {
    self.operation = operation
    self.kind = kind
    self.errno = errno
    self.detail = detail
  }

  /// A short human-readable reason: the system's text for the error number, or the detail if there is no number.
  public func reason(_ description: (Int32) -> String) -> String { errno.map(description) ?? detail }
}

/// A display of four characters. Not for a real-time thread.
public protocol CharacterDisplay: AnyObject {
  /// Whether a display is configured. Any thread.
  var isConfigured: Bool { get }

  /// Sends a text to the display, which shows it until the next one. Takes milliseconds, on an I²C bus 0.1 s, and seconds if the bus
  /// hangs. One thread at a time.
  ///
  /// Throws a `HardwareError` with operation `writeDisplay` if the display does not answer, or its lines cannot be requested or
  /// are stuck. The text may have been sent despite the error; the next call tries again.
  func show(_ text: DisplayText) throws(HardwareError)

  /// Switches the display off and releases its lines. Errors are ignored, and later texts, too. Control thread, at the end.
  func release()
}

/// A display that may be a screen, which shows pages instead of texts. Not for a real-time thread.
package protocol PageDisplay: CharacterDisplay {
  /// Whether it is a screen. Any thread.
  var showsPages: Bool { get }

  /// Sends a page, or what has changed of it, as ``CharacterDisplay/show(_:)`` sends a text.
  func show(_ page: ScreenPage) throws(HardwareError)
}
