import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// How a card is had, lost and had again, and what is told of it.
@Suite struct SoundKeeperTests {
  private func states(_ bench: Bench, per unit: Nanoseconds = .milliseconds(1)) -> [String] {
    bench.lines(per: unit, [.sound])
  }

  private func fault(_ fault: CardFault, at milliseconds: Int64 = 1_000) -> FaultPlan {
    var plan = FaultPlan()
    plan.befall(fault, at: .zero + .milliseconds(milliseconds))
    return plan
  }

  @Test func aCardThatPlaysIsLocked() {
    let bench = Bench(sound: true).ended(after: .seconds(30))
    #expect(states(bench, per: .seconds(1)) == ["0 locking", "3 locked"])
  }

  @Test(arguments: [
    (CardFault.takesNothing(times: .max), "waiting deaf"), (.freezes, "waiting frozen"),
    (.fails(errno: 19), "waiting gone"),
    (.fails(errno: 5), "waiting failed"), (.sleeps(wakes: false), "waiting failed"),
  ])
  func aCardThatIsDeadIsLetGoAndAnotherHad(fault: CardFault, told: String) {
    let bench = Bench(sound: true, faults: self.fault(fault)).ended(after: .seconds(2))
    #expect(states(bench).map { $0.drop { $0 != " " }.dropFirst() } == ["locking", told[...], "locking"])
    #expect(bench.simulation.board.sound?.openings == 2)
  }

  @Test(arguments: [CardFault.takesNothing(times: 2), .stops, .sleeps(wakes: true)])
  func aCardThatRecoversIsKept(fault: CardFault) {
    let bench = Bench(sound: true, faults: self.fault(fault)).ended(after: .seconds(2))
    #expect(bench.simulation.board.sound?.openings == 1)
  }

  @Test func aCardThatFallsAsleepAgainAtOnceIsLetGo() {
    var plan = fault(.sleeps(wakes: true))
    plan.befall(.sleeps(wakes: true), at: .zero + .milliseconds(1_100))
    let bench = Bench(sound: true, faults: plan).ended(after: .seconds(2))
    #expect(bench.simulation.board.sound?.openings == 2)
  }

  /// After 100, 200 … 2,000 ms; and, once a card has played for ten seconds, after 100 ms again.
  @Test func theRestBetweenAttemptsGrowsAndIsForgotten() {
    var plan = FaultPlan()
    plan.unplugCard(during: .zero + .seconds(1)..<(.zero + .seconds(8)))
    plan.unplugCard(during: .zero + .seconds(30)..<(.zero + .milliseconds(30_050)))
    let bench = Bench(sound: true, faults: plan).ended(after: .seconds(32))
    // 1.0 s and a period, 100, 200, 400, 800, 1,600, 2,000, 2,000 ms.
    let times = states(bench).filter { $0.hasSuffix("locking") }.compactMap { Int($0.prefix { $0 != " " }) }
    #expect(times.count == 3 && times[0] == 0)
    #expect((8_100...8_106).contains(times[1]) && (30_100...30_106).contains(times[2]), "\(times)")
  }

  @Test func newsOfACardShortensTheWait() {
    var plan = FaultPlan()
    plan.unplugCard(during: .zero + .seconds(1)..<(.zero + .milliseconds(9_000)))
    let bench = Bench(sound: true, faults: plan)
    bench.simulation.run(until: .zero + .milliseconds(9_010))
    bench.simulation.noteThatCardsHaveChanged()
    bench.ended(after: .seconds(12))
    // Otherwise it would have been tried at 10.1 s.
    #expect(states(bench).last { $0.hasSuffix("locking") } == "9110 locking")
  }

  @Test func aCardThatIsNotThereAtTheStartIsHadLater() {
    var plan = FaultPlan()
    plan.fail(.openAudio, errno: 2, on: .during(.zero..<(.zero + .milliseconds(3_500))))
    var script = Script()
    script.press(.play, at: .milliseconds(100))
    let bench = Bench(sound: true, script: script, faults: plan).ended(after: .seconds(8))
    #expect(states(bench, per: .seconds(1)).prefix(2) == ["0 waiting gone", "5 locking"])
    // Without a card a press takes effect after a millisecond.
    #expect(bench.beats.first?.time == .milliseconds(101))
    #expect(bench.clicks.count >= 5 && bench.clicksBesideBeats == [])
    #expect(bench.lines(per: .seconds(1), [.incident]) == [])
  }
}
