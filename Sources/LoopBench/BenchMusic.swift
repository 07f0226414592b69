import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Music with four edges a beat, all equally far apart: the light goes on, half a beat later off, and the buzzer does the same
/// a quarter of a beat before.
public struct BenchMusic: Hashable, Sendable {
  public var tempo: Tempo
  public var signature: Signature

  /// As fast as it goes: a wait of 1.9 ms.
  public static let fastest = BenchMusic(
    tempo: Tempo(bpm: 999)!, signature: Signature(4, over: 32, limit: .denominator)!)
  /// What nobody plays faster: a wait of 50 ms.
  public static let playing = BenchMusic(tempo: Tempo(bpm: 300)!, signature: .initial)

  private static let edgesPerBeat: Int64 = 4

  /// From edge to edge, in nanoseconds.
  public var interval: Double {
    60e9 * 1_000 * 4 / Double(tempo.milliBPM) / Double(signature.denominator) / Double(BenchMusic.edgesPerBeat)
  }

  /// The same in whole nanoseconds.
  public var wait: Nanoseconds { Nanoseconds(Int64(interval.rounded())) }

  /// A pulse is never longer than half a beat.
  package var pattern: OutputPattern {
    let half = OutputPattern.Pulses(first: .atMost(.seconds(60)), regular: .atMost(.seconds(60)))
    return OutputPattern(light: half, buzzer: half)
  }

  package var latencies: OutputLatencies { OutputLatencies(buzzer: wait) }
}
