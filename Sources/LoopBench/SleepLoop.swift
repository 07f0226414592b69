import Glibc
import LinuxBoard
import MetronomeCore
import Synchronization

/// The loop that people write: a relative sleep, and another, on an ordinary thread.
enum SleepLoop {
  static func run(for length: Nanoseconds, waits wait: Nanoseconds) throws(SystemError) -> Waits {
    let result = Mutex(Waits([]))
    let done = Doorbell()
    let thread = try PatientThread(name: "sleeps") {
      let clock = LinuxClock()
      var ends: [Instant] = []
      ends.reserveCapacity(Int(length.count / wait.count) + 2)
      let before = ThreadTime.now
      let start = clock.now
      ends.append(start)
      while ends[ends.count - 1] - start < length {
        var time = timespec(tv_sec: Int(wait.count / 1_000_000_000), tv_nsec: Int(wait.count % 1_000_000_000))
        nanosleep(&time, nil)
        ends.append(clock.now)
      }
      let cost = ThreadTime.now - before
      result.withLock { $0 = Waits(ends: ends, interval: wait, processorTime: cost) }
      done.ring()
    }
    done.wait(until: nil)
    _ = thread.join(until: Instant(nanoseconds: .max))
    return result.withLock { $0 }
  }
}

/// What the calling thread has taken of the processors.
enum ThreadTime {
  static var now: Nanoseconds {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Nanoseconds(Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
