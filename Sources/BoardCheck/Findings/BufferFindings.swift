import HardwareAbstraction
import MetronomeCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension BoardFacts {
  /// Nothing shorter is sound: a Raspberry Pi's headphones take 10 ms at a time, and an ordinary kernel that is busy wakes
  /// a program up by as much too late every now and then (at the worst 37 ms on a Pi 5 under full load, OSPERT 2024).
  private static let shortestBuffer = Nanoseconds.milliseconds(10)
  /// What is advised: at the least nearly the standard buffer, in periods no shorter than the standard's.
  private static let soundBuffer = Nanoseconds.milliseconds(20)
  private static let soundPeriod = 256

  /// Whether what is handed to the card in advance lasts until the program wakes up again.
  var buffer: Finding? {
    guard let request = configuration.audio, let sound else { return nil }
    switch sound.outcome {
    case .opened(let card): return buffer(card.format.bufferFrames, card.format.rate, request)
    // By the running metronome, as a rule: then it has got it as it was asked for.
    case .refused(let errno, _) where errno == EBUSY:
      return buffer(request.period * request.periods, request.rate, request)
    case .notWanted, .refused, .hangs: return nil
    }
  }

  private func buffer(_ frames: Int, _ rate: Int, _ request: AudioRequest) -> Finding? {
    let microseconds = frames * 1_000_000 / rate
    guard Nanoseconds.microseconds(Int64(microseconds)) < BoardFacts.shortestBuffer else { return nil }
    let text =
      "a buffer of \(decimal(thousandths: microseconds)) ms: below 10 ms a card runs dry whenever the machine is busy,"
      + " and clicks are lost"
    let figures = [Finding.Figure("buffer_ms", thousandths: microseconds)]
    guard let change = change(request, rate) else {
      return .doubtful(
        .sound, "buffer", text, remedy: "take another card: this one grants no more than that", figures: figures)
    }
    return .doubtful(.sound, "buffer", text, remedy: change, figures: figures)
  }

  /// What of the request is to be changed for a sound buffer; nil: it asks for one already.
  private func change(_ request: AudioRequest, _ rate: Int) -> String? {
    let period = max(request.period, BoardFacts.soundPeriod)
    let wanted = (rate * Int(BoardFacts.soundBuffer.count / 1_000_000) + 999) / 1_000
    let periods = max(request.periods, (wanted + period - 1) / period)
    var changes: [String] = []
    if period != request.period { changes.append("audio.period to \(period)") }
    if periods != request.periods { changes.append("audio.periods to \(periods)") }
    guard !changes.isEmpty else { return nil }
    return "set \(changes.joined(separator: " and ")) in \(configurationFile)"
  }
}
