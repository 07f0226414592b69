/// Everything the metronome touches of the world: a clock, lines out, buttons in, sound, and a place to remember.
///
/// The real one is opened by what knows the hardware; the simulated one opens nothing real. Configuration is no part of
/// it: a board is configured by whoever makes it.
public protocol Board {
  associatedtype Clock: MonotonicClock
  associatedtype Lines: OutputLines
  associatedtype Buttons: ButtonEdges
  associatedtype Audio: AudioOutput
  associatedtype Store: StateStore

  var clock: Clock { get }
  var lines: Lines { get }
  var buttons: Buttons { get }
  /// nil when the board has no sound.
  var audio: Audio? { get }
  var store: Store { get }
}
