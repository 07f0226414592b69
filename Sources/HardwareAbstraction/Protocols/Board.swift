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
