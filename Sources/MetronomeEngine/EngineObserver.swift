import HardwareAbstraction
import MetronomeCore

/// Receives the events of the loops as they happen: a trace in the simulation, counters and a log on the real board. All
/// methods are optional. Each method's comment names the loop that calls it. Methods called by the beat or audio loop run on a
/// real-time thread and must not allocate or block.
public protocol EngineObserver: AnyObject, Sendable {
  /// The metronome's state has changed, or is reported for the first time. Control loop.
  func changed(to state: MetronomeState, at instant: Instant)
  /// Playback has stopped, or started again. Control loop.
  func practised(_ record: PracticeRecord, at now: Instant)
  /// A beat is on the lines. Called once per beat, in order, when the beat's first output is sent, which is early by that
  /// output's latency. A beat that one output skips and another still shows is reported before the next beat. `late` is the
  /// time from when that output was due to the loop's step. Beat loop.
  func showed(_ beat: Beat, late: Nanoseconds, at now: Instant)
  /// Some or all outputs skipped beats, because the loop was late by over half a beat. Each beat is reported once. Beat loop.
  func skipped(beats: Int64, at now: Instant)
  /// A click starts at a position in the stream. Audio loop.
  func placed(_ level: Level, isCountedIn: Bool, at position: FramePosition)
  /// Clicks were skipped because their frames had already been played. Audio loop.
  func missed(clicks: Int64, at now: Instant)
  /// A MIDI message was handed to a port, counted from 0. `late` is the time since it was due. MIDI loop.
  func sent(_ message: MIDIMessage, port: Int, late: Nanoseconds, at now: Instant)
  /// MIDI clocks were given up, because the port was full or the loop was late. MIDI loop.
  func lostClocks(_ count: Int64, port: Int, at now: Instant)
  /// A received clock gave a new estimate of the source. The first clocks, and those after a gap, give none. `deviation` is the
  /// mean deviation of its clocks from the estimate, `resyncs` how often the beats were resynchronized because the source jumped.
  /// Control loop.
  func followed(deviation: Nanoseconds, resyncs: Int, at now: Instant)
  /// After an underrun, the card played this many frames of silence. Audio loop.
  func underran(frames: Int64, at now: Instant)
  /// A card was opened or resumed, and now plays. Card manager.
  func plays(on card: String, at now: Instant)
  /// The audio state has changed, or is reported for the first time. Card manager.
  func changed(to state: AudioState, at instant: Instant)
  /// New figures of the card's clock, every second while the card plays. Card manager.
  func measured(_ state: AudioState, at instant: Instant)
  /// A hardware call failed. Called by the loop of the operation: `setLines` beats, `readAudioPosition` and `writeAudio` audio,
  /// `readEdges` control, `saveState` state and `writeDisplay` display (each once, until it works again).
  func failed(_ error: HardwareError, at now: Instant)
  /// The state can be saved again after a failure. State loop.
  func savingRecovered(at now: Instant)
  /// The display answers again after a failure. Display loop.
  func displayRecovered(at now: Instant)
}

extension EngineObserver {
  public func changed(to state: MetronomeState, at instant: Instant) {}
  public func practised(_ record: PracticeRecord, at now: Instant) {}
  public func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) {}
  public func skipped(beats: Int64, at now: Instant) {}
  public func placed(_ level: Level, isCountedIn: Bool, at position: FramePosition) {}
  public func missed(clicks: Int64, at now: Instant) {}
  public func sent(_ message: MIDIMessage, port: Int, late: Nanoseconds, at now: Instant) {}
  public func lostClocks(_ count: Int64, port: Int, at now: Instant) {}
  public func followed(deviation: Nanoseconds, resyncs: Int, at now: Instant) {}
  public func underran(frames: Int64, at now: Instant) {}
  public func plays(on card: String, at now: Instant) {}
  public func changed(to state: AudioState, at instant: Instant) {}
  public func measured(_ state: AudioState, at instant: Instant) {}
  public func failed(_ error: HardwareError, at now: Instant) {}
  public func savingRecovered(at now: Instant) {}
  public func displayRecovered(at now: Instant) {}
}

package final class SilentObserver: EngineObserver {
  package init() {}
}
