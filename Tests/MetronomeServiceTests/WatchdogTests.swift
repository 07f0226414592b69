import MetronomeCore
import MetronomeService
import Testing

@Suite struct WatchdogTests {
  private func make(_ environment: [String: String]) -> Watchdog? {
    Watchdog(environment: environment, process: 42, steps: 0, at: .zero)
  }

  @Test func intervalIsAQuarterOfTheTimeout() {
    #expect(make(["WATCHDOG_USEC": "5000000"])?.interval == .milliseconds(1_250))
    #expect(make(["WATCHDOG_USEC": "5000000", "WATCHDOG_PID": "42"]) != nil)
  }

  @Test(arguments: [
    [:], ["WATCHDOG_USEC": ""], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "-1"],
    ["WATCHDOG_USEC": "9223372036854775807"],
    ["WATCHDOG_USEC": "5000000", "WATCHDOG_PID": "41"],
  ]) func missingOrInvalidVariablesDisableTheWatchdog(environment: [String: String]) {
    #expect(make(environment) == nil)
  }

  /// The beat loop makes a step when it is woken, until it is stuck.
  @Test func stuckBeatLoopIsNotReportedAlive() throws {
    var watchdog = try #require(make(["WATCHDOG_USEC": "4000000"]))
    var steps: UInt64 = 0
    var alive: [Int64] = []
    var now = Instant.zero
    for _ in 0..<10 {
      let duty = watchdog.step(at: now, steps: steps)
      if duty.isAlive { alive.append((now - .zero).count / 1_000_000_000) }
      #expect(duty.rings)
      if now < .zero + .seconds(5) { steps += 1 }
      now = duty.next
    }
    #expect(alive == [1, 2, 3, 4, 5])
  }

  @Test func nothingIsDoneBetweenChecks() throws {
    var watchdog = try #require(make(["WATCHDOG_USEC": "4000000"]))
    _ = watchdog.step(at: .zero, steps: 0)
    let duty = watchdog.step(at: .zero + .milliseconds(999), steps: 7)
    #expect(!duty.isAlive && !duty.rings && duty.next == .zero + .seconds(1))
    #expect(watchdog.step(at: duty.next, steps: 7).isAlive)
  }
}
