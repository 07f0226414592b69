import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// The card manager opens, loses and reopens a card, and reports its states.
@Suite struct CardManagerTests {
  private func states(_ bench: Bench, per unit: Nanoseconds = .milliseconds(1)) -> [String] {
    bench.lines(per: unit, [.audio])
  }

  private func fault(_ fault: CardFault, at milliseconds: Int64 = 1_000) -> FaultPlan {
    var plan = FaultPlan()
    plan.schedule(fault, at: .zero + .milliseconds(milliseconds))
    return plan
  }

  @Test func playingCardIsLocked() {
    let bench = Bench(audio: true).ended(after: .seconds(30))
    #expect(states(bench, per: .seconds(1)) == ["0 locking", "3 locked"])
  }

  @Test(arguments: [
    (CardFault.acceptsNothing(times: .max), "waiting deaf"), (.freezes, "waiting frozen"),
    (.fails(.gone, errno: 19), "waiting gone"),
    (.fails(.other, errno: 5), "waiting failed"), (.sleeps(wakes: false), "waiting failed"),
  ])
  func failedCardIsClosedAndReopened(fault: CardFault, expected: String) {
    let bench = Bench(audio: true, faults: self.fault(fault)).ended(after: .seconds(2))
    #expect(states(bench).map { $0.drop { $0 != " " }.dropFirst() } == ["locking", expected[...], "locking"])
    #expect(bench.simulation.board.audio?.openings == 2)
  }

  @Test(arguments: [CardFault.acceptsNothing(times: 2), .stops, .sleeps(wakes: true)])
  func recoveredCardStaysOpen(fault: CardFault) {
    let bench = Bench(audio: true, faults: self.fault(fault)).ended(after: .seconds(2))
    #expect(bench.simulation.board.audio?.openings == 1)
  }

  @Test func cardSuspendedAgainAtOnceIsClosed() {
    var plan = fault(.sleeps(wakes: true))
    plan.schedule(.sleeps(wakes: true), at: .zero + .milliseconds(1_100))
    let bench = Bench(audio: true, faults: plan).ended(after: .seconds(2))
    #expect(bench.simulation.board.audio?.openings == 2)
  }

  /// The retry delay grows from 100 and 200 ms to 2,000 ms. It is 100 ms again after a card has played for ten seconds.
  @Test func retryDelayGrowsAndIsReset() {
    var plan = FaultPlan()
    plan.unplugCard(during: .zero + .seconds(1)..<(.zero + .seconds(8)))
    plan.unplugCard(during: .zero + .seconds(30)..<(.zero + .milliseconds(30_050)))
    let bench = Bench(audio: true, faults: plan).ended(after: .seconds(32))
    // 1.0 s and a period, 100, 200, 400, 800, 1,600, 2,000, 2,000 ms.
    let times = states(bench).filter { $0.hasSuffix("locking") }.compactMap { Int($0.prefix { $0 != " " }) }
    #expect(times.count == 3 && times[0] == 0)
    #expect((8_100...8_106).contains(times[1]) && (30_100...30_106).contains(times[2]), "\(times)")
  }

  @Test func notificationOfACardShortensTheRetryDelay() {
    var plan = FaultPlan()
    plan.unplugCard(during: .zero + .seconds(1)..<(.zero + .milliseconds(9_000)))
    let bench = Bench(audio: true, faults: plan)
    bench.simulation.run(until: .zero + .milliseconds(9_010))
    bench.simulation.cardsChanged()
    bench.ended(after: .seconds(12))
    // Without the notification the retry would have been at 10.1 s.
    #expect(states(bench).last { $0.hasSuffix("locking") } == "9110 locking")
  }

  @Test func missingCardIsOpenedLater() {
    var plan = FaultPlan()
    plan.fail(.openAudio, .gone, errno: 2, on: .during(.zero..<(.zero + .milliseconds(3_500))))
    var script = Script()
    script.press(.play, at: .milliseconds(100))
    let bench = Bench(audio: true, script: script, faults: plan).ended(after: .seconds(8))
    #expect(states(bench, per: .seconds(1)).prefix(2) == ["0 waiting gone", "5 locking"])
    // Without a card a press takes effect after a millisecond.
    #expect(bench.beats.first?.time == .milliseconds(101))
    #expect(bench.clicks.count >= 5 && bench.clicksBesideBeats == [])
    #expect(bench.lines(per: .seconds(1), [.incident]) == [])
  }
}
