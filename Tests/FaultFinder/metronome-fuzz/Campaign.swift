import FaultFinder
import Foundation
import MetronomeCore

/// A search of limited time or number through lives with consecutive seeds, several in parallel.
final class Campaign: @unchecked Sendable {
  /// The memory limit of a judge process, in bytes.
  private static let maxMemory = 600 << 20

  private let first: UInt64
  private let lives: UInt64
  private let jobs: Int
  private let seconds: Double
  private let tally = Tally()
  /// Guards ``next``, the only mutable property, which makes this type Sendable.
  private let lock = NSLock()
  private var next: UInt64

  init(first: UInt64, lives: UInt64, jobs: Int, seconds: Double) {
    self.first = first
    self.lives = lives
    self.jobs = jobs
    self.seconds = seconds
    next = first
  }

  /// - Returns: the first life that broke a promise, and the promise.
  func run() throws -> (seed: UInt64, breach: Breach)? {
    say("running lives from seed \(first), \(jobs) in parallel")
    // A write to a killed judge must not kill this process.
    signal(SIGPIPE, SIG_IGN)
    let group = DispatchGroup()
    for _ in 0..<jobs {
      group.enter()
      Thread.detachNewThread { [self] in
        work()
        group.leave()
      }
    }
    while group.wait(timeout: .now() + 60) == .timedOut { say(tally.text) }
    if tally.firstFailure == nil { try compareBytes() }
    say(tally.text)
    return tally.firstFailure
  }

  private var isOver: Bool { tally.elapsed >= seconds || tally.firstFailure != nil }

  private func work() {
    let judge = Judge()
    while !isOver {
      let seed = lock.withLock {
        defer { next += 1 }
        return next
      }
      guard seed - first < lives else { break }
      do {
        var judgement = try judge.judge("seed \(seed)" + (seed % 16 == 0 && isShort(seed) ? " digest" : ""))
        if judgement.memory > Campaign.maxMemory {
          judgement = Judgement(Breach(.boundedMemory, at: 0, "\(judgement.memory) bytes after many lives"))
        }
        tally.add(judgement, seed: seed)
      } catch {
        tally.add(Judgement(Breach(.continues, at: 0, "\(error)")), seed: seed)
      }
    }
    if tally.firstFailure != nil { Judge.killAll() }
  }

  private func isShort(_ seed: UInt64) -> Bool { Life(seed: seed).length < .seconds(120) }

  /// Compares the bytes in another process, where hash tables have another order.
  private func compareBytes() throws {
    let judge = Judge()
    for (seed, digest) in tally.someDigests {
      let again = try judge.judge("seed \(seed) digest")
      guard again.digest == digest else {
        let breach = Breach(.sameBytes, at: 0, "another process gives a different trace")
        return tally.add(Judgement(breach), seed: seed)
      }
    }
  }
}
