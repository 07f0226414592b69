import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Several threads set the lead at the same time. No change is lost, in whatever order the threads run.
@Suite struct SharedLeadTests {
  private static let rounds = Seeds.count(few: 5_000, full: 20_000)
  private static let held = Lead(duration: .milliseconds(700))

  private static func format(periodFrames: Int) -> AudioFormat {
    AudioFormat(
      rate: 48_000, channels: 2, sampleFormat: .s16, periodFrames: periodFrames, bufferFrames: 4 * periodFrames)
  }

  private let leads = (0..<SharedLeadTests.rounds).map { _ in SharedLead() }

  /// A held lead is not overwritten by a concurrent fit. A fit checks whether the lead is held, computes the lead and sets it;
  /// another thread must not be able to hold the lead between these steps.
  @Test func heldLeadIsNotOverwrittenByAConcurrentFit() {
    let barrier = Barrier(of: 2)
    let heldCount = Atomic(0)
    onThreads(
      {
        for lead in self.leads {
          barrier.wait()
          lead.hold(SharedLeadTests.held)
          heldCount.wrappingAdd(1, ordering: .releasing)
        }
      },
      {
        for (index, lead) in self.leads.enumerated() {
          barrier.wait()
          repeat {
            lead.fit(SharedLeadTests.format(periodFrames: 64))
          } while heldCount.load(ordering: .acquiring) <= index
        }
      })
    #expect(leads.count { $0.current != SharedLeadTests.held } == 0)
  }

  @Test func concurrentFitsOfCardAndLatenciesBothCount() {
    let barrier = Barrier(of: 2)
    let format = SharedLeadTests.format(periodFrames: 256)
    let latencies = OutputLatencies(audio: .milliseconds(30))
    onThreads(
      {
        for lead in self.leads {
          barrier.wait()
          lead.fit(format)
        }
      },
      {
        for lead in self.leads {
          barrier.wait()
          lead.fit(latencies)
        }
      })
    let expected = Lead(format, latencies: latencies)
    #expect(expected != Lead(format) && expected != Lead(nil, latencies: latencies))
    #expect(leads.count { $0.current != expected } == 0)
  }
}

/// A reusable barrier: threads wait for each other and continue at the same time.
private final class Barrier: Sendable {
  private let size: Int
  private let arrived = Atomic(0)

  init(of size: Int) { self.size = size }

  /// Returns when all threads have arrived.
  func wait() {
    let all = (arrived.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue / size + 1) * size
    while arrived.load(ordering: .acquiring) < all { sched_yield() }
  }
}
