import HardwareAbstraction
import MetronomeCore

/// Writes a trace as JSON Lines: one object a line, `t` in nanoseconds since the simulation began.
///
/// The buttons are left out: they are what was put in, not what came out.
public final class JSONLinesTrace: TraceSink {
  private let stream: ByteStream

  public init(to output: @escaping ByteStream.Output) { stream = ByteStream(to: output) }

  public func finish(at end: Nanoseconds) { stream.flush() }

  public func take(_ event: TraceEvent) {
    switch event.what {
    case .button: return
    case .state(let state): begin(event.time, "state"); write(state)
    case .beat(let beat): begin(event.time, "beat"); write(beat)
    case .line(let output, let isActive): begin(event.time, "line"); write(output, isActive)
    case .click(let frame, let accent):
      begin(event.time, "click")
      field("frame", frame)
      field("kind", accent)
    case .skipped(let beats): begin(event.time, "skipped"); field("beats", beats)
    case .missed(let clicks): begin(event.time, "missed"); field("clicks", clicks)
    case .underrun(let frames): begin(event.time, "underrun"); field("frames", frames)
    case .fault(let error):
      begin(event.time, "fault")
      stream.write(",\"operation\":\"")
      stream.write(error.operation.rawValue)
      stream.write("\"")
      field("errno", Int64(error.errno))
    }
    stream.write("}\n")
  }

  private func write(_ state: MetronomeState) {
    stream.write(state.isPlaying ? ",\"playing\":true" : ",\"playing\":false")
    stream.write(",\"tempo\":\"")
    stream.write(state.tempo.description)
    stream.write("\",\"signature\":\"")
    stream.write(state.signature.description)
    stream.write("\"")
  }

  private func write(_ beat: Beat) {
    field("index", beat.index)
    field("bar", beat.bar)
    field("position", Int64(beat.position))
    field("kind", beat.accent)
    switch beat.parity {
    case .even: stream.write(",\"parity\":\"even\"")
    case .odd: stream.write(",\"parity\":\"odd\"")
    }
  }

  private func write(_ output: Output, _ isActive: Bool) {
    switch output {
    case .light: stream.write(",\"name\":\"light\"")
    case .pendulum: stream.write(",\"name\":\"pendulum\"")
    case .buzzer: stream.write(",\"name\":\"buzzer\"")
    }
    stream.write(isActive ? ",\"value\":1" : ",\"value\":0")
  }

  private func begin(_ time: Nanoseconds, _ event: StaticString) {
    stream.write("{\"t\":")
    stream.write(time.count)
    stream.write(",\"event\":\"")
    stream.write(event)
    stream.write("\"")
  }

  private func field(_ name: StaticString, _ value: Int64) {
    stream.write(",\"")
    stream.write(name)
    stream.write("\":")
    stream.write(value)
  }

  private func field(_ name: StaticString, _ accent: Accent) {
    stream.write(",\"")
    stream.write(name)
    switch accent {
    case .first: stream.write("\":\"first\"")
    case .regular: stream.write("\":\"regular\"")
    }
  }
}
