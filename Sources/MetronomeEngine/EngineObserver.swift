import HardwareAbstraction
import MetronomeCore

/// Told what the loops do, as they do it: a trace in the simulation, counters and a log on the real board.
///
/// Each method says which loop calls it. On the real board the beat and audio loops run on real-time threads: there an
/// observer may neither allocate nor wait.
public protocol EngineObserver: AnyObject, Sendable {
  /// The metronome's state is another one, or is told for the first time. Control loop.
  func changed(to state: MetronomeState, at instant: Instant)

  /// A beat is on the lines: told once a beat, in order, when the first of its outputs is sent, which is as much before the
  /// beat's instant as that output is late. What an output leaves out and another one still shows is told before the next
  /// beat. Beat loop.
  ///
  /// - Parameter late: how long after the instant at which that output was to be sent the loop made its step.
  func showed(_ beat: Beat, late: Nanoseconds, at now: Instant)

  /// Beats were left out, by some output or all, because the loop came too late for them: more than half a beat. Each is
  /// told once. Beat loop.
  func skipped(beats: Int64, at now: Instant)

  /// A click starts at a point of the stream. Audio loop.
  func placed(_ beat: Beat, at position: FramePosition)

  /// Clicks were left out because their frames had passed. Audio loop.
  func missed(clicks: Int64, at now: Instant)

  /// The card ran dry and played silence in place of so many frames. Audio loop.
  func underran(frames: Int64, at now: Instant)

  /// A card plays from now on: one that was opened, for the first time or anew, or woken. Sound keeper.
  func plays(on card: String, at now: Instant)

  /// It stands otherwise with the sound, or is told for the first time. Sound keeper.
  func changed(to state: AudioState, at instant: Instant)

  /// By now the card's clock is known better than when the state was told: every second while it plays. Sound keeper.
  func measured(_ state: AudioState, at instant: Instant)

  /// The hardware refused a call. The loop named by the operation: `setLines` the beat loop, `readAudioPosition` and
  /// `writeAudio` the audio loop, `readEdges` the control loop. `saveState` the state keeper, once: it is
  /// tried again, and told when it works.
  func failed(_ error: HardwareError, at now: Instant)

  /// The state can be saved again, after it could not. State keeper.
  func savesAgain(at now: Instant)
}

extension EngineObserver {
  public func plays(on card: String, at now: Instant) {}

  public func measured(_ state: AudioState, at instant: Instant) {}

  public func savesAgain(at now: Instant) {}
}

/// Told everything, and keeps nothing: for loops of which nothing is to be seen but what they do to their lines.
package final class SilentObserver: EngineObserver {
  package init() {}

  package func changed(to state: MetronomeState, at instant: Instant) {}

  package func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) {}

  package func skipped(beats: Int64, at now: Instant) {}

  package func placed(_ beat: Beat, at position: FramePosition) {}

  package func missed(clicks: Int64, at now: Instant) {}

  package func underran(frames: Int64, at now: Instant) {}

  package func changed(to state: AudioState, at instant: Instant) {}

  package func failed(_ error: HardwareError, at now: Instant) {}
}
