import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Writes a trace as JSON Lines: one object a line, `t` in nanoseconds since the simulation began.
public final class JSONLinesTrace: TraceSink {
  private let stream: ByteStream

  private var names = BoxNames.standard

  public init(to output: @escaping ByteStream.Output) { stream = ByteStream(to: output) }

  public func use(_ names: BoxNames) { self.names = names }

  public func finish(at end: Nanoseconds) { stream.flush() }

  public func receive(_ event: TraceEvent) {
    switch event.what {
    case .button(let button, let isDown):
      begin(event.time, "button")
      field("name", names[button])
      stream.write(isDown ? ",\"value\":1" : ",\"value\":0")
    case .state(let state):
      begin(event.time, "state")
      stream.write(state.isPlaying ? ",\"playing\":true" : ",\"playing\":false")
      field("tempo", state.tempoText)
      field("signature", state.signature.description)
      if state.rhythm != Rhythm() { field("rhythm", state.rhythm.text) }
      stream.write(state.isSilent ? ",\"silent\":true" : ",\"silent\":false")
      if state.volume != .full { field("volume", state.volume.description) }
      if state.set != .click { field("set", state.set.name) }
      if !state.trainer.isEmpty { field("trainer", state.trainer) }
      if let score = state.score {
        field("song", Int64(score.song))
        if let label = score.label { field("label", label) }
        field("bar", score.firstBar)
        field("speed", thousandths: Int64(score.speed))
        if score.isWaiting { stream.write(",\"waiting\":true") }
      }
    case .beat(let beat):
      begin(event.time, "beat")
      field("index", beat.index)
      field("bar", beat.bar)
      field("position", Int64(beat.position))
      field("kind", beat.isCountedIn ? "count-in" : beat.level.word)
      stream.write(beat.parity == .even ? ",\"parity\":\"even\"" : ",\"parity\":\"odd\"")
      if beat.isSilent { stream.write(",\"silent\":true") }
    case .hit(let hit):
      begin(event.time, "hit")
      field("voice", Int64(hit.voice))
      field("level", hit.level.rawValue)
      field("beat", hit.position.whole)
      field("slot", hit.position)
      if hit.isSilent { stream.write(",\"silent\":true") }
    case .line(let line, let isActive):
      begin(event.time, "line")
      field("name", names[line])
      stream.write(isActive ? ",\"value\":1" : ",\"value\":0")
    case .click(let position, let level, let isCountedIn):
      begin(event.time, "click")
      field("frame", thousandths: position.thousandths)
      field("kind", isCountedIn ? "count-in" : level.word)
    case .skipped(let beats): begin(event.time, "skipped"); field("beats", beats)
    case .missed(let clicks): begin(event.time, "missed"); field("clicks", clicks)
    case .underrun(let frames): begin(event.time, "underrun"); field("frames", frames)
    case .fault(let error):
      begin(event.time, "fault")
      field("operation", error.operation.rawValue)
      field("kind", error.kind.rawValue)
      field("errno", Int64(error.errno ?? 0))
    case .audio(.off): begin(event.time, "audio"); field("state", "off")
    case .audio(.waiting(_, let absence)):
      begin(event.time, "audio")
      field("state", "waiting")
      field("cause", absence.cause.rawValue)
    case .audio(.locking): begin(event.time, "audio"); field("state", "locking")
    case .audio(.locked(let lock)):
      begin(event.time, "audio")
      field("state", "locked")
      field("ppm", thousandths: lock.ratePPB)
    case .display(let text): begin(event.time, "display"); field("text", text)
    case .ended(let ending): begin(event.time, "end"); field("cause", ending.rawValue)
    case .midi(let message, let port):
      begin(event.time, "midi")
      field("port", Int64(port + 1))
      field("bytes", message.text)
    case .lostClocks(let count, let port):
      begin(event.time, "lost clocks")
      field("port", Int64(port + 1))
      field("count", count)
    case .began: begin(event.time, "begin")
    }
    if event.card == .secondAudio { field("card", 2) }
    stream.write("}\n")
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

  /// A number with three decimals.
  private func field(_ name: StaticString, thousandths: Int64) {
    stream.write(",\"")
    stream.write(name)
    stream.write(thousandths < 0 ? "\":-" : "\":")
    let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1_000)
    stream.write(Int64(whole))
    stream.write(".")
    for divisor in [100, 10, 1] as [UInt64] { stream.write(Int64(rest / divisor % 10)) }
  }

  /// The fraction of a position, without making a string.
  private func field(_ name: StaticString, _ position: Position) {
    stream.write(",\"")
    stream.write(name)
    stream.write("\":\"")
    stream.write(position.numerator)
    if position.numerator > 0 {
      stream.write("/")
      stream.write(position.denominator)
    }
    stream.write("\"")
  }

  /// Quotation marks and backslashes, which the name of a song may contain, are escaped.
  private func field(_ name: StaticString, _ word: String) {
    stream.write(",\"")
    stream.write(name)
    stream.write("\":\"")
    let isPlain = !word.utf8.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
    stream.write(isPlain ? word : word.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined())
    stream.write("\"")
  }
}

extension FramePosition {
  /// In thousandths of a frame, rounded to the nearest.
  fileprivate var thousandths: Int64 { whole * 1_000 + Int64((fraction * 1_000).rounded()) }
}

/// Buffers bytes and outputs them in large chunks. Numbers are written without making strings, because a day's trace has
/// millions of them.
public final class ByteStream {
  /// Receives a chunk, which is valid only during the call.
  public typealias Output = (UnsafeRawBufferPointer) -> Void

  private static let capacity = 1 << 16
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
  private let digits = UnsafeMutableRawBufferPointer.allocate(byteCount: 20, alignment: 1)
  // Exclusivity checks are off: no re-entrancy.
  @exclusivity(unchecked) private var count = 0
  private let output: Output

  public init(to output: @escaping Output) { self.output = output }

  deinit {
    buffer.deallocate()
    digits.deallocate()
  }

  public func flush() {
    if count > 0 { output(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
    count = 0
  }

  func write(_ text: StaticString) {
    write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  func write(_ text: String) {
    var text = text
    text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    if count + bytes.count > ByteStream.capacity { flush() }
    guard bytes.count <= ByteStream.capacity else { return output(bytes) }
    if let first = bytes.baseAddress, let start = buffer.baseAddress {
      (start + count).copyMemory(from: first, byteCount: bytes.count)
    }
    count += bytes.count
  }

  func write(zeros: Int) {
    var left = zeros
    while left > 0 {
      if count == ByteStream.capacity { flush() }
      let piece = min(left, ByteStream.capacity - count)
      buffer[count..<count + piece].initializeMemory(as: UInt8.self, repeating: 0)
      count += piece
      left -= piece
    }
  }

  func write(_ number: Int64) {
    if number < 0 { write("-") }
    var rest = number.magnitude
    // Lowest digits first, from the end of a number of the greatest length.
    var place = 20
    repeat {
      place -= 1
      digits[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(digits)[place..<20]))
  }
}
