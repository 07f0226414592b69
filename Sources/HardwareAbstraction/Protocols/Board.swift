import MetronomeCore

/// Everything the metronome touches of the world: a clock, lines out, buttons in, sound, and a place to remember.
///
/// The real one is opened by what knows the hardware; the simulated one opens nothing real. Configuration is no part of
/// it: a board is configured by whoever makes it.
public protocol Board {
  associatedtype Clock: MonotonicClock
  associatedtype Lines: OutputLines
  associatedtype Buttons: ButtonEdges
  associatedtype Inputs: ControlInputs
  associatedtype Sound: AudioPort

  var clock: Clock { get }
  var lines: Lines { get }
  var buttons: Buttons { get }
  /// The devices beside the box; nil when there are to be none.
  var inputs: Inputs? { get }
  /// Where sound cards are had from; nil when there is to be no sound.
  var sound: Sound? { get }
  /// Where to remember; nil when nothing is to be kept.
  var store: (any StateFolder)? { get }
}

/// The clock that everything is timed by. It never goes back.
public protocol MonotonicClock {
  /// The present. Callable from any thread.
  var now: Instant { get }

  /// The present, on this clock and on the raw one that nobody slews. Callable from any thread.
  var pair: ClockPair { get }
}

/// A folder of a few small files that outlive the program.
///
/// What is written is on the disk when the call returns; that a file has come, has another name or is gone is so only
/// after ``synchronize()``: until then a power cut may undo it, the newest first. Used by one thread, never a real-time
/// one: a disk may keep whoever writes waiting for a second.
public protocol StateFolder: AnyObject {
  /// All of a file, or nil if there is none of this name.
  ///
  /// - Throws: `HardwareError` with operation `loadState`.
  func read(_ name: String) throws(HardwareError) -> [UInt8]?

  /// Whether there is anything of this name, be it a file or not; also where that cannot be told.
  func exists(_ name: String) -> Bool

  /// Makes a file of these bytes, in place of one of this name, and brings them to the disk. A power cut before it returns,
  /// or a failure, leaves any part of them or no file: one that matters is written under another name and then renamed.
  ///
  /// - Throws: `HardwareError` with operation `saveState`, as do the others.
  func write(_ name: String, _ bytes: [UInt8]) throws(HardwareError)

  /// Gives a file another name, in place of what had that name.
  ///
  /// - Returns: false if there is no such file.
  @discardableResult
  func rename(_ name: String, to newName: String) throws(HardwareError) -> Bool

  /// Brings names to the disk.
  func synchronize() throws(HardwareError)
}

/// What of a board is another than before, when it takes over another configuration.
public struct BoardChanges: Hashable, Sendable {
  /// Its outputs are on other lines, or active at another voltage.
  public var outputs: Bool
  /// Its buttons are on other lines, or wired otherwise.
  public var buttons: Bool
  /// It has other devices beside it.
  public var inputs: Bool
  /// It has its sound from elsewhere, or otherwise, or none any more.
  public var sound: Bool

  public init(outputs: Bool = false, buttons: Bool = false, inputs: Bool = false, sound: Bool = false) {
    self.outputs = outputs
    self.buttons = buttons
    self.inputs = inputs
    self.sound = sound
  }

  /// From what was asked for to what is.
  public init(from old: Wiring, _ oldAudio: AudioRequest, to new: Wiring, _ newAudio: AudioRequest) {
    let isOtherChip = old.chip != new.chip
    outputs = isOtherChip || old.outputs != new.outputs
    buttons = isOtherChip || old.buttons != new.buttons
    inputs = old.inputs != new.inputs
    let isSilent = oldAudio.device == .none && newAudio.device == .none
    sound = oldAudio != newAudio && !isSilent
  }
}
