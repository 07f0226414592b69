import FaultFinder
import Foundation
import MetronomeCore

/// The counts of a campaign so far. Shared by its threads.
final class Tally: @unchecked Sendable {
  /// Guards all properties below, which makes this type Sendable.
  private let lock = NSLock()
  private let begin = Date()
  private var lives = 0
  private var unlivable = 0
  private var simulated = 0.0
  private var beats: Int64 = 0
  private var skipped: Int64 = 0
  private var clicks = 0
  private var steps: Int64 = 0
  private var boots = 0
  private var memory = 0
  /// The number of lives that contain a line of each kind.
  private var kinds: [String: Int] = [:]
  private var digests: [(seed: UInt64, digest: UInt64)] = []
  private var failure: (seed: UInt64, breach: Breach)?

  var elapsed: TimeInterval { Date().timeIntervalSince(begin) }

  var firstFailure: (seed: UInt64, breach: Breach)? { lock.withLock { failure } }

  /// Some of the lives whose digest was computed.
  var someDigests: [(seed: UInt64, digest: UInt64)] { lock.withLock { Array(digests.suffix(12)) } }

  func add(_ judgement: Judgement, seed: UInt64) {
    let life = Life(seed: seed)
    lock.withLock {
      // Other lives are killed after the first broken promise.
      guard failure == nil else { return }
      lives += 1
      simulated += Double(judgement.lived.count) / 1e9
      beats += judgement.beats
      skipped += judgement.skipped
      clicks += judgement.clicks
      steps += judgement.steps
      boots += judgement.boots
      memory = max(memory, judgement.memory)
      for kind in life.kinds { kinds[kind, default: 0] += 1 }
      if judgement.digest != 0 { digests.append((seed, judgement.digest)) }
      switch judgement.outcome {
      case .kept: break
      case .unlivable: unlivable += 1
      case .broken(let breach): failure = (seed, breach)
      }
    }
  }

  /// The counts as a few lines of text.
  var text: String {
    lock.withLock {
      let seconds = Date().timeIntervalSince(begin)
      let hours = simulated / 3_600
      var lines = [
        String(
          format: "%d lives, %.0f h simulated in %.0f s: %.0f × real time; %d invalid", lives, hours, seconds,
          simulated / seconds, unlivable),
        "\(beats) beats, \(skipped) skipped, \(clicks) clicks, \(steps) steps, \(boots) starts, \(memory >> 20) MiB",
      ]
      let counts = kinds.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      lines.append("lives with: \(counts.joined(separator: ", "))")
      return lines.joined(separator: "\n")
    }
  }
}
