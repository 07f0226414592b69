import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// One thing that happened in a simulation, and when.
public struct TraceEvent: Hashable, Sendable {
  public enum What: Hashable, Sendable {
    case state(MetronomeState)
    /// A beat, as the beat loop began it.
    case beat(Beat)
    /// An output went on or off.
    case line(Output, isActive: Bool)
    /// A click began to sound, at this point of the card's stream.
    case click(FramePosition, Accent)
    /// A button's contact closed or opened.
    case button(Button, isDown: Bool)
    case skipped(beats: Int64)
    case missed(clicks: Int64)
    case underrun(frames: Int64)
    case fault(HardwareError)
    case audio(AudioState)
    /// The metronome has ended, and the board goes on.
    case ended(Simulation.Ending)
    /// It has begun again.
    case began
  }

  /// Since the simulation began.
  public var time: Nanoseconds
  public var what: What

  public init(_ time: Nanoseconds, _ what: What) {
    self.time = time
    self.what = what
  }
}

/// Takes in the events of a simulation, in order of time.
public protocol TraceSink: AnyObject {
  func take(_ event: TraceEvent)
  /// No more events come; the simulation lasted so long.
  func finish(at end: Nanoseconds)
}
