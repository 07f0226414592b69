import MetronomeCore
import Testing

@Suite struct DebouncerTests {
  /// Feeds a contact's levels to a debouncer and returns the changes. The levels have one character per millisecond: `_` open,
  /// `#` closed. The changes are in the same columns: `P` a press, `R` a release, `D` a resumption after a momentary opening.
  /// The level is read at the debouncer's deadline, unless it changes at that moment.
  private func changes(_ contact: String) -> String {
    var debouncer = Debouncer()
    var wasDown = false
    var result: [Character] = []
    for (millisecond, level) in contact.enumerated() {
      let now = Instant.zero + .milliseconds(Int64(millisecond))
      let hasChanged = (level == "#") != wasDown
      var change = debouncer.settle(at: now, isDownNow: hasChanged ? nil : wasDown)
      if hasChanged {
        wasDown.toggle()
        change = debouncer.process(wasDown ? .down : .up, at: now) ?? change
      }
      result.append(change.map(DebouncerTests.letter) ?? "-")
    }
    return String(result)
  }

  private static func letter(_ change: Debouncer.Change) -> Character {
    switch change {
    case .press: "P"
    case .release: "R"
    case .resumption: "D"
    }
  }

  private func expect(_ contact: String, _ expected: String, _ location: SourceLocation = #_sourceLocation) {
    #expect(changes(contact) == expected, sourceLocation: location)
  }

  @Test func cleanPressCountsImmediately() {
    expect(
      "__############################____",
      "--P---------------------------R---")
  }

  @Test func bouncesOfThePressDoNotCount() {
    expect(
      "__#_##_#_#########################_____",
      "--P-------------------------------R----")
  }

  @Test func bouncesOfTheReleaseDoNotCount() {
    expect(
      "#############################_#__#____________________________###",
      "P----------------------------R--------------------------------P--")
  }

  @Test func pressShorterThanTheLockOutIsReleasedAtItsEnd() {
    expect(
      "##########____________________________",
      "P------------------------R------------")
  }

  @Test func shortPressWithABouncingReleaseIsOnePress() {
    expect(
      "########################_#_#_#_______________________________",
      "P------------------------R-----------------------------------")
  }

  @Test func edgeAtTheEndOfTheLockOutCounts() {
    expect("#########################_", "P------------------------R")
  }

  @Test func momentaryOpeningIsNotANewPress() {
    expect(
      "##############################_______________########################################______",
      "P-----------------------------R------------------------D-----------------------------R-----")
    expect(
      "##############################_________________________######",
      "P-----------------------------R------------------------P-----")
  }

  @Test func settleBeforeTheDeadlineDoesNothing() {
    var debouncer = Debouncer()
    #expect(debouncer.process(.down, at: .zero) == .press)
    #expect(debouncer.process(.up, at: milliseconds(25) - Nanoseconds(1)) == nil)
    #expect(debouncer.process(.up, at: milliseconds(25)) == .release)
  }

  private func milliseconds(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

  /// The debouncer of a button that was pressed at 0 and, according to its edges, again at 100 ms.
  private func pressedAgain() -> Debouncer {
    var debouncer = Debouncer()
    #expect(debouncer.process(.down, at: .zero) == .press)
    #expect(debouncer.settle(at: milliseconds(25), isDownNow: true) == nil)
    #expect(debouncer.process(.down, at: milliseconds(100)) == .release)
    #expect(debouncer.deadline == milliseconds(125))
    return debouncer
  }

  @Test func repeatedDownEdgeIsAReleaseEvenIfTheLevelIsDown() {
    var debouncer = pressedAgain()
    #expect(debouncer.isUncertain && !debouncer.isDown)
    #expect(debouncer.settle(at: milliseconds(125), isDownNow: true) == nil)
    #expect(debouncer.deadline == nil && debouncer.isUncertain && !debouncer.isDown)
  }

  @Test(arguments: [nil, false]) func pressCountsAfterMissingEdgesOnceReleased(level: Bool?) {
    var debouncer = pressedAgain()
    #expect(debouncer.settle(at: milliseconds(125), isDownNow: true) == nil)
    #expect(debouncer.process(.up, at: milliseconds(130)) == nil)
    #expect(debouncer.settle(at: milliseconds(155), isDownNow: level) == nil)
    #expect(!debouncer.isUncertain && debouncer.deadline == nil)
    #expect(debouncer.process(.down, at: milliseconds(155)) == .press)
    #expect(debouncer.deadline == milliseconds(180))
  }

  @Test func edgesOfAnUnsureContactRestartTheLockOut() {
    var debouncer = pressedAgain()
    #expect(debouncer.process(.up, at: milliseconds(110)) == nil)
    #expect(debouncer.deadline == milliseconds(135))
    #expect(debouncer.process(.down, at: milliseconds(130)) == nil)
    #expect(debouncer.process(.up, at: milliseconds(131)) == nil)
    #expect(debouncer.settle(at: milliseconds(156) - Nanoseconds(1), isDownNow: false) == nil)
    #expect(debouncer.isUncertain && debouncer.deadline == milliseconds(156))
    #expect(debouncer.settle(at: milliseconds(156), isDownNow: false) == nil)
    #expect(!debouncer.isUncertain)
  }

  @Test(arguments: [nil, false, true]) func openLevelEndsTheDoubtAfterARepeatedDownEdge(level: Bool?) {
    var debouncer = pressedAgain()
    #expect(debouncer.settle(at: milliseconds(125), isDownNow: level) == nil)
    #expect(debouncer.deadline == nil && !debouncer.isDown && debouncer.isUncertain == (level != false))
    #expect(debouncer.process(.down, at: milliseconds(125)) == (level == false ? .press : nil))
  }

  @Test func releaseWithoutAPressIsIgnored() {
    var debouncer = Debouncer()
    #expect(debouncer.process(.up, at: .zero) == nil)
    #expect(debouncer.process(.down, at: milliseconds(1)) == nil)
    #expect(debouncer.deadline == milliseconds(26))
    #expect(debouncer.settle(at: milliseconds(26), isDownNow: true) == nil)
    #expect(debouncer.deadline == nil && debouncer.isUncertain)
  }

  /// The debouncer of a button that was pressed at 0. The last edge that was read, at 3 ms, is an up edge that may be a bounce.
  private func unsure() -> Debouncer {
    var debouncer = Debouncer()
    #expect(debouncer.process(.down, at: .zero) == .press)
    #expect(debouncer.process(.up, at: milliseconds(3)) == nil)
    debouncer.mayHaveLost(until: milliseconds(60))
    #expect(debouncer.settle(at: milliseconds(60)) == .release)
    #expect(debouncer.deadline == milliseconds(85))
    #expect(debouncer.isUncertain)
    return debouncer
  }

  @Test func possiblyLostReleaseIsNotTrusted() {
    var debouncer = unsure()
    #expect(debouncer.settle(at: milliseconds(85), isDownNow: true) == nil)
    #expect(debouncer.isUncertain && debouncer.deadline == nil)
    // A bounce of the release, whose first edge was lost.
    #expect(debouncer.process(.down, at: milliseconds(90)) == nil)
    #expect(debouncer.settle(at: milliseconds(115), isDownNow: false) == nil)
    #expect(debouncer.process(.down, at: milliseconds(170)) == .press)
  }

  @Test func upEdgeAfterTheLossEndsTheDoubt() {
    var debouncer = unsure()
    #expect(debouncer.process(.up, at: milliseconds(61)) == nil)
    #expect(debouncer.process(.down, at: milliseconds(62)) == nil)
    #expect(debouncer.process(.up, at: milliseconds(63)) == nil)
    #expect(debouncer.deadline == milliseconds(88))
    #expect(debouncer.settle(at: milliseconds(90)) == nil)
    #expect(debouncer.process(.down, at: milliseconds(90)) == .press)
  }

  /// An up edge within the loss does not end the doubt, because further edges may be missing around it. Only a level ends
  /// the doubt.
  @Test(arguments: [nil, false]) func upEdgeWithinTheLossDoesNotEndTheDoubt(level: Bool?) {
    var debouncer = unsure()
    #expect(debouncer.process(.up, at: milliseconds(60)) == nil)
    #expect(debouncer.settle(at: milliseconds(85), isDownNow: level) == nil)
    #expect(debouncer.isUncertain)
    #expect(debouncer.deadline == level.map { _ in milliseconds(110) })
    #expect(debouncer.settle(at: milliseconds(110), isDownNow: level) == nil)
    #expect(debouncer.isUncertain == (level == nil))
  }

  @Test func openLevelEndsTheDoubtAfterALockOut() {
    var debouncer = unsure()
    #expect(debouncer.settle(at: milliseconds(85), isDownNow: false) == nil)
    #expect(debouncer.deadline == milliseconds(110) && debouncer.isUncertain)
    #expect(debouncer.settle(at: milliseconds(110), isDownNow: false) == nil)
    #expect(!debouncer.isUncertain)
    #expect(debouncer.process(.down, at: milliseconds(110)) == .press)
  }

  /// The next edge after a doubtful release starts a lock-out, even within the lock-out of that release.
  @Test func nextEdgeAfterADoubtfulReleaseStartsALockOut() {
    var debouncer = clicked(isLossPossible: true)
    #expect(debouncer.settle(at: milliseconds(25)) == .release)
    #expect(debouncer.isUncertain && debouncer.deadline == milliseconds(50))
    #expect(debouncer.process(.down, at: milliseconds(27)) == nil)
    #expect(debouncer.deadline == milliseconds(52) && debouncer.isUncertain)
    #expect(debouncer.settle(at: milliseconds(52)) == nil)
    #expect(!debouncer.isDown)
  }

  @Test func reclosedContactIsLockedOutFromItsClosingEdge() {
    var debouncer = Debouncer()
    #expect(debouncer.process(.down, at: .zero) == .press)
    #expect(debouncer.settle(at: milliseconds(25)) == nil)
    #expect(debouncer.process(.up, at: milliseconds(100)) == .release)
    #expect(debouncer.process(.down, at: milliseconds(110)) == nil)
    #expect(debouncer.settle(at: milliseconds(125)) == .resumption)
    #expect(debouncer.deadline == milliseconds(135))
    #expect(debouncer.process(.up, at: milliseconds(130)) == nil)
    #expect(debouncer.settle(at: milliseconds(135)) == .release)
  }

  /// A level reading ends the possible loss: the level accounts for all edges that were lost before. The next press is read
  /// after the level.
  @Test func levelReadingEndsPossibleLoss() {
    var debouncer = Debouncer()
    #expect(debouncer.process(.down, at: .zero) == .press)
    debouncer.mayHaveLost(until: milliseconds(60))
    #expect(debouncer.settle(at: milliseconds(60), isDownNow: true) == nil)
    #expect(debouncer.process(.up, at: milliseconds(60)) == .release)
    #expect(debouncer.settle(at: milliseconds(85), isDownNow: true) == nil)
    #expect(debouncer.process(.down, at: milliseconds(85)) == .press)
  }

  /// The debouncer of a button that was pressed at 0 and released at 3 ms. A level will show the release late.
  private func clicked(isLossPossible: Bool) -> Debouncer {
    var debouncer = Debouncer()
    #expect(debouncer.process(.down, at: .zero) == .press)
    #expect(debouncer.process(.up, at: milliseconds(3)) == nil)
    if isLossPossible { debouncer.mayHaveLost(until: milliseconds(3)) }
    return debouncer
  }

  @Test func releaseSeenLateMayStillBounceIfEdgesAreLost() {
    var debouncer = clicked(isLossPossible: true)
    #expect(debouncer.settle(at: milliseconds(28), isDownNow: false) == .release)
    #expect(debouncer.deadline == milliseconds(53) && debouncer.isUncertain)
    #expect(debouncer.settle(at: milliseconds(53), isDownNow: false) == nil)
    #expect(debouncer.deadline == nil && !debouncer.isUncertain)
  }

  @Test(arguments: [nil, false, true]) func releaseIsLockedOutFromItsEdge(level: Bool?) {
    var debouncer = clicked(isLossPossible: false)
    // A level that differs is due to the next edge, which has not been read yet.
    #expect(debouncer.settle(at: milliseconds(90), isDownNow: level) == .release)
    #expect(debouncer.deadline == milliseconds(28) && !debouncer.isUncertain)
    #expect(debouncer.settle(at: milliseconds(90), isDownNow: level) == nil)
    #expect(debouncer.deadline == nil && !debouncer.isDown)
    #expect(debouncer.process(.down, at: milliseconds(90)) == .press)
  }

  @Test func closedLevelKeepsThePressIfEdgesMayBeLost() {
    var debouncer = clicked(isLossPossible: true)
    #expect(debouncer.settle(at: milliseconds(90), isDownNow: true) == nil)
    #expect(debouncer.isDown && debouncer.deadline == nil)
  }

  /// The doubt ends with the loss. Edges may be missing up to and including the instant of the loss.
  @Test(arguments: [(2, false), (3, true), (4, true)]) func doubtEndsWithTheLoss(until: Int64, isUncertain: Bool) {
    var debouncer = clicked(isLossPossible: false)
    debouncer.mayHaveLost(until: milliseconds(until))
    #expect(debouncer.settle(at: milliseconds(25)) == .release)
    #expect(debouncer.isUncertain == isUncertain)
  }
}
