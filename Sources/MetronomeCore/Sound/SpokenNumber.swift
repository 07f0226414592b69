import RealModule

/// The words of the spoken count between beats, in the order of their places after those of the numbers: one *e and a* in four
/// slots, one *trip let* in three, one *and* in two.
package enum Syllable: Int, CaseIterable, Hashable, Sendable, BitwiseCopyable {
  case e = 33
  case and
  case a
  case trip
  case `let`

  /// nil for a beat, and for other divisions of it.
  init?(slot: Int, of slots: Int) {
    switch (slot, slots) {
    case (1, 4): self = .e
    case (1, 2), (2, 4): self = .and
    case (3, 4): self = .a
    case (1, 3): self = .trip
    case (2, 3): self = .let
    default: return nil
    }
  }

  /// A syllable nearer to a beat clicks: it could not be told from the number.
  package static let shortestDistance = Nanoseconds.milliseconds(115)
}

/// The recorded word for a number of the spoken count, or for a `Syllable`.
public struct SpokenNumber: Hashable, Sendable {
  /// A bar has at most this many beats.
  public static let numbers = 1...Signature.highestNumerator
  /// The numbers, and each `Syllable`.
  package static let places = 1...Syllable.let.rawValue
  /// The highest ``onset``: the beginnings of words such as "three" and "six" take up to 0.2 s.
  public static let longestOnset = Nanoseconds.milliseconds(300)
  /// The longest duration in seconds.
  public static let longest = 2

  public let recording: WAVSound
  /// The time from the first frame of the recording to where the word is perceived: see `WAVSound.perceivedOnset`. This
  /// instant falls on the beat. It is before the end of the recording.
  public let onset: Nanoseconds

  public init(_ recording: WAVSound, onset: Nanoseconds) {
    self.recording = recording
    self.onset = onset
  }

  /// The onset in frames at a rate, rounded to the nearest.
  public func onset(rate: Int) -> Int { Int((onset.count * Int64(rate) + 500_000_000) / 1_000_000_000) }
}

extension SpokenNumber {
  /// The built-in words, at ``places``.
  package static let english: [Int: SpokenNumber] = Dictionary(
    uniqueKeysWithValues: EnglishWords.words.map { word in
      let bytes = base64Bytes(word.samples)
      let samples = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
        Int16(bitPattern: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8)
      }
      return (
        word.place, SpokenNumber(WAVSound(rate: EnglishWords.rate, samples: samples), onset: .microseconds(word.onset))
      )
    })
}

/// The bytes that base64 text stands for.
package func base64Bytes(_ text: StaticString) -> [UInt8] {
  var bytes: [UInt8] = []
  var (word, bits): (UInt32, UInt32) = (0, 0)
  for letter in UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
  where letter != UInt8(ascii: "=") {
    let value: UInt8 =
      switch letter {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): letter - UInt8(ascii: "A")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): letter - UInt8(ascii: "a") + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0") + 52
      case UInt8(ascii: "+"): 62
      default: 63
      }
    (word, bits) = (word << 6 | UInt32(value), bits + 6)
    if bits >= 8 {
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: word >> bits))
    }
  }
  return bytes
}

extension WAVSound {
  /// Where a spoken word is perceived, from the first frame, in whole microseconds; nil if the recording has no rise in loudness.
  ///
  /// The estimator of Cummins and Port ("Rhythmic constraints on stress timing in English", 1998): the band from 700 to 1,300 Hz,
  /// rectified and smoothed at 10 Hz; the middle of the rise from 10 to 90 % of its peak. Filters run forwards and backwards, so that
  /// they delay nothing. Takes time: only for startup.
  package var perceivedOnset: Nanoseconds? {
    let padding = rate * 15 / 100
    var signal = [Double](repeating: 0, count: frames + 2 * padding)
    for channel in channels {
      for (frame, sample) in channel.enumerated() { signal[padding + frame] += Double(sample) }
    }
    Filter.band(700, 1_300, rate: rate).smooth(&signal)
    for frame in signal.indices { signal[frame] = signal[frame].magnitude }
    Filter.lowPass(10, rate: rate).smooth(&signal)
    guard let peak = signal.max(), peak > 1e-6, let top = signal.firstIndex(of: peak) else { return nil }
    let low = signal[..<top].lastIndex { $0 < peak / 10 } ?? 0
    guard let high = signal[low...top].firstIndex(where: { $0 >= peak * 9 / 10 }) else { return nil }
    let microseconds = (low + high - 2 * padding) * 500_000 / rate
    return .microseconds(Int64(max(0, microseconds)))
  }
}

/// A filter of second order, by the bilinear transform of an analog one.
private struct Filter {
  /// The factors of the last inputs, newest first, and of the last outputs.
  private let forward: (Double, Double, Double)
  private let back: (Double, Double)

  /// (b2·s² + b1·s + b0) / (s² + a1·s + a0), where s is scaled so that frequencies are tan(π·f/rate).
  private init(_ b2: Double, _ b1: Double, _ b0: Double, over a1: Double, _ a0: Double) {
    let scale = 1 + a1 + a0
    forward = ((b2 + b1 + b0) / scale, 2 * (b0 - b2) / scale, (b2 - b1 + b0) / scale)
    back = (2 * (a0 - 1) / scale, (1 - a1 + a0) / scale)
  }

  private static func warped(_ frequency: Double, _ rate: Int) -> Double { .tan(.pi * frequency / Double(rate)) }

  /// A Butterworth band-pass of first order on each side.
  static func band(_ low: Double, _ high: Double, rate: Int) -> Filter {
    let (low, high) = (warped(low, rate), warped(high, rate))
    return Filter(0, high - low, 0, over: high - low, low * high)
  }

  /// A Butterworth low-pass of second order.
  static func lowPass(_ frequency: Double, rate: Int) -> Filter {
    let corner = warped(frequency, rate)
    return Filter(0, 0, corner * corner, over: Double.sqrt(2) * corner, corner * corner)
  }

  /// Filters forwards, then backwards.
  func smooth(_ signal: inout [Double]) {
    for _ in 0..<2 {
      var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
      for frame in signal.indices {
        let x = signal[frame]
        let y = forward.0 * x + forward.1 * x1 + forward.2 * x2 - back.0 * y1 - back.1 * y2
        (x2, x1, y2, y1) = (x1, x, y1, y)
        signal[frame] = y
      }
      signal.reverse()
    }
  }
}
