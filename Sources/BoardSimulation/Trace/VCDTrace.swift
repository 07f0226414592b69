import HardwareAbstraction
import MetronomeCore

/// Writes a trace as a value change dump (IEEE 1364-2005, chapter 18), the format of logic analysers. PulseView and
/// GTKWave display it.
///
/// One wire for each of `outputs` and for each button, high when active; beats, clicks, hits and MIDI clocks are events.
public final class VCDTrace: TraceSink {
  private let stream: ByteStream
  private let outputs: OutputSet
  private var time = Nanoseconds.zero

  /// - Parameters:
  ///   - outputs: events of other outputs are ignored.
  ///   - output: receives the bytes.
  public init(outputs: OutputSet = Output.pulsed, to output: @escaping ByteStream.Output) {
    self.outputs = outputs
    stream = ByteStream(to: output)
    stream.write("$version metronome $end\n$timescale 1 ns $end\n$scope module metronome $end\n")
    for output in outputs { declare("wire", VCDTrace.identifiers[output], output.rawValue) }
    for button in Button.allCases { declare("wire", VCDTrace.identifier(button), "button_" + button.rawValue) }
    declare("event", "B", "beat")
    declare("event", "C", "click")
    declare("event", "H", "hit")
    declare("event", "M", "midi_clock")
    stream.write("$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n")
    for output in outputs { change(VCDTrace.identifiers[output], false, at: .zero) }
    for button in Button.allCases { change(VCDTrace.identifier(button), false, at: .zero) }
    stream.write("$end\n")
  }

  public func receive(_ event: TraceEvent) {
    switch event.what {
    case .line(let output, let isActive):
      if outputs.contains(output) { change(VCDTrace.identifiers[output], isActive, at: event.time) }
    case .button(let button, let isDown): change(VCDTrace.identifier(button), isDown, at: event.time)
    case .beat: change("B", true, at: event.time)
    case .click: change("C", true, at: event.time)
    case .hit: change("H", true, at: event.time)
    case .midi(.clock, _): change("M", true, at: event.time)
    case .midi, .lostClocks, .state, .skipped, .missed, .underrun, .fault, .audio, .display, .ended, .began: break
    }
  }

  public func finish(at end: Nanoseconds) {
    advance(to: end)
    stream.flush()
  }

  private func declare(_ type: String, _ identifier: String, _ name: String) {
    stream.write("$var \(type) 1 \(identifier) \(name) $end\n")
  }

  private func change(_ identifier: String, _ isHigh: Bool, at time: Nanoseconds) {
    advance(to: time)
    stream.write(isHigh ? "1" : "0")
    stream.write(identifier)
    stream.write("\n")
  }

  private func advance(to time: Nanoseconds) {
    guard time != self.time else { return }
    self.time = time
    stream.write("#")
    stream.write(time.count)
    stream.write("\n")
  }

  /// For each output, the first letter of its name that no earlier output uses.
  private static let identifiers: PerOutput<String> = {
    var taken = Set<Character>()
    return PerOutput { output in
      output.rawValue.first { taken.insert($0).inserted }.map(String.init) ?? output.rawValue
    }
  }()

  /// A printable ASCII character, counted up from "0".
  private static func identifier(_ button: Button) -> String {
    String(UnicodeScalar(UInt8(ascii: "0") + UInt8(button.index)))
  }
}
