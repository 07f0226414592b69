import HardwareAbstraction
import MetronomeCore

/// Writes a trace as a value change dump (IEEE 1364-2005, chapter 18), the format of logic analysers. PulseView and
/// GTKWave display it.
///
/// One wire for each of `lines` and for each named button, high when active; beats, clicks, hits and MIDI clocks are events.
public final class VCDTrace: TraceSink {
  private let stream: ByteStream
  private var identifiers: [OutputLine: String]
  private var buttonIdentifiers: [Button: String]
  /// The wires of the header, by the names of their lines.
  private let wires: [String: String]
  /// The wires of the header, by the names of their buttons.
  private let buttonWires: [String: String]
  private var time = Nanoseconds.zero

  /// - Parameters:
  ///   - lines: events of other lines, and of buttons without a name, are ignored.
  ///   - names: the names of the wires.
  ///   - output: receives the bytes.
  public init(
    lines: LineSet = LineSet(of: .standard), names: BoxNames = .standard, to output: @escaping ByteStream.Output
  ) {
    let identifiers = VCDTrace.identifiers(lines, names)
    self.identifiers = identifiers
    wires = Dictionary(uniqueKeysWithValues: identifiers.map { (names[$0], $1) })
    let buttons = names.buttons
    buttonIdentifiers = Dictionary(uniqueKeysWithValues: buttons.map { ($0, VCDTrace.identifier($0)) })
    buttonWires = Dictionary(uniqueKeysWithValues: buttons.map { (names[$0], VCDTrace.identifier($0)) })
    stream = ByteStream(to: output)
    stream.write("$version metronome $end\n$timescale 1 ns $end\n$scope module metronome $end\n")
    for line in lines { declare("wire", identifiers[line, default: ""], names[line]) }
    for button in buttons { declare("wire", VCDTrace.identifier(button), "button_" + names[button]) }
    declare("event", "B", "beat")
    declare("event", "C", "click")
    declare("event", "H", "hit")
    declare("event", "M", "midi_clock")
    stream.write("$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n")
    for line in lines { change(identifiers[line, default: ""], false, at: .zero) }
    for button in buttons { change(VCDTrace.identifier(button), false, at: .zero) }
    stream.write("$end\n")
  }

  public func receive(_ event: TraceEvent) {
    switch event.what {
    case .line(let line, let isActive):
      if let identifier = identifiers[line] { change(identifier, isActive, at: event.time) }
    case .button(let button, let isDown):
      if let identifier = buttonIdentifiers[button] { change(identifier, isDown, at: event.time) }
    case .beat: change("B", true, at: event.time)
    case .click where event.card == .audio: change("C", true, at: event.time)
    case .hit: change("H", true, at: event.time)
    case .midi(.clock, _): change("M", true, at: event.time)
    case .click, .midi, .lostClocks, .state, .skipped, .missed, .underrun, .fault, .audio, .display, .ended, .began:
      break
    }
  }

  public func use(_ names: BoxNames) {
    identifiers = [:]
    for line in LineSet.all { identifiers[line] = wires[names[line]] }
    for button in Button.all { buttonIdentifiers[button] = buttonWires[names[button]] }
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

  /// For each line, the first letter of its name that no earlier line uses; without such a letter, a number of two digits.
  private static func identifiers(_ lines: LineSet, _ names: BoxNames) -> [OutputLine: String] {
    var taken = Set<Character>()
    var identifiers: [OutputLine: String] = [:]
    // The standard lines have the same letters in each trace.
    let standard: LineSet = [.light, .pendulum, .buzzer, .green, .blue]
    for line in Array(standard) + Array(lines.subtracting(standard)) {
      let letter = names[line].first { ("a"..."z").contains($0) && taken.insert($0).inserted }
      if lines.contains(line) { identifiers[line] = letter.map(String.init) ?? "\(10 + identifiers.count)" }
    }
    return identifiers
  }

  /// A printable ASCII character, counted up from "0".
  private static func identifier(_ button: Button) -> String {
    String(UnicodeScalar(UInt8(ascii: "0") + UInt8(button.index)))
  }
}
