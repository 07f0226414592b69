import Foundation
import MetronomeCore

/// The result of a life that ran in another process, as one line.
public struct Judgement: Hashable, Sendable {
  public enum Outcome: Hashable, Sendable {
    case kept
    case broken(Breach)
    /// One of its texts is invalid.
    case unlivable(String)
  }

  public var outcome: Outcome
  public var lived = Nanoseconds.zero
  public var beats: Int64 = 0
  public var skipped: Int64 = 0
  public var clicks = 0
  public var steps: Int64 = 0
  public var boots = 0
  public var digest: UInt64 = 0
  /// The current memory of the process, in bytes.
  public var memory = 0

  /// The process ended without a result.
  public init(_ breach: Breach) { outcome = .broken(breach) }

  /// Runs a life; with `isDigested` twice, to compare the traces.
  public init(_ life: Life, isDigested: Bool) {
    do throws(Trial.Unlivable) {
      let trial = try Trial(life, isDigested: isDigested, isAlone: true)
      outcome = trial.breaches.first.map(Outcome.broken) ?? .kept
      lived = trial.lived
      beats = trial.beats
      skipped = trial.skipped
      clicks = trial.clicks
      steps = trial.steps
      boots = trial.boots
      digest = trial.digest ?? 0
      if isDigested, outcome == .kept, try Trial(life, isDigested: true).digest != trial.digest {
        outcome = .broken(Breach(.sameBytes, at: lived.count, "a second run gives a different trace"))
      }
    } catch {
      outcome = .unlivable(error.description)
    }
    memory = ResidentMemory.bytes ?? 0
  }

  /// The result as one line.
  public var line: String {
    let figures = "\(lived.count) \(beats) \(skipped) \(clicks) \(steps) \(boots) \(digest) \(memory)"
    switch outcome {
    case .kept: return "kept \(figures)"
    case .broken(let breach): return "broken \(figures) \(breach.time) \(breach.promise.rawValue): \(breach.text)"
    case .unlivable(let reason): return "unlivable \(figures) \(reason.replacing("\n", with: "; "))"
    }
  }

  /// Parses ``line``; nil if the text is anything else.
  public init?(line: String) {
    let words = line.split(separator: " ", maxSplits: 10, omittingEmptySubsequences: false).map(String.init)
    let numbers = words.dropFirst().prefix(8).compactMap(UInt64.init).map { Int64(truncatingIfNeeded: $0) }
    guard let kind = words.first, numbers.count == 8 else { return nil }
    switch kind {
    case "kept": outcome = .kept
    case "unlivable": outcome = .unlivable(words.dropFirst(9).joined(separator: " "))
    case "broken":
      guard words.count == 11, let time = Int64(words[9]), let colon = words[10].range(of: ": "),
        let promise = Promise(rawValue: String(words[10][..<colon.lowerBound]))
      else { return nil }
      outcome = .broken(Breach(promise, at: time, String(words[10][colon.upperBound...])))
    default: return nil
    }
    (lived, beats, skipped) = (Nanoseconds(numbers[0]), numbers[1], numbers[2])
    (clicks, steps, boots) = (Int(numbers[3]), numbers[4], Int(numbers[5]))
    (digest, memory) = (UInt64(bitPattern: numbers[6]), Int(numbers[7]))
  }
}
