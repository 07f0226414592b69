import FaultFinder
import Foundation
import MetronomeCore

/// A search of some length, through lives with numbers that follow each other, several at a time.
final class Campaign: @unchecked Sendable {
  /// A process that judges may not need more, in bytes.
  private static let mostMemory = 600 << 20

  private let first: UInt64
  private let jobs: Int
  private let seconds: Double
  private let tally = Tally()
  /// Guards ``next``: which, with nothing else that changes, is why this is Sendable.
  private let lock = NSLock()
  private var next: UInt64

  init(first: UInt64, jobs: Int, seconds: Double) {
    self.first = first
    self.jobs = jobs
    self.seconds = seconds
    next = first
  }

  /// - Returns: the first life that broke a promise, and which.
  func run() throws -> (seed: UInt64, breach: Breach)? {
    say("lives from \(first) on, \(jobs) at a time")
    // A judge that has been broken off reads nothing any more.
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
      do {
        var judgement = try judge.judge("seed \(seed)" + (seed % 16 == 0 && isShort(seed) ? " digest" : ""))
        if judgement.memory > Campaign.mostMemory {
          judgement = Judgement(Breach(.boundedMemory, at: 0, "\(judgement.memory) bytes after many lives"))
        }
        tally.add(judgement, seed: seed)
      } catch {
        tally.add(Judgement(Breach(.goesOn, at: 0, "\(error)")), seed: seed)
      }
    }
    if tally.firstFailure != nil { Judge.breakOff() }
  }

  private func isShort(_ seed: UInt64) -> Bool { Life(seed: seed).length < .seconds(120) }

  /// The same bytes in another process, where hash tables are in another order.
  private func compareBytes() throws {
    let judge = Judge()
    for (seed, digest) in tally.someDigests {
      let again = try judge.judge("seed \(seed) digest")
      guard again.digest == digest else {
        let breach = Breach(.sameBytes, at: 0, "in another process the trace is another")
        return tally.add(Judgement(breach), seed: seed)
      }
    }
  }
}
