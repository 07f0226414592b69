import MetronomeCore
import Testing

@Suite struct DebouncerTests {
  /// Plays a contact, a character a millisecond, `_` open and `#` closed, and writes what counted in the same places:
  /// `P` a press, `R` a release, `D` down again after it had let go for a moment. The contact is looked at again when the debouncer asks for it, unless it changes then.
  private func counted(_ contact: String) -> String {
    var debouncer = Debouncer()
    var wasDown = false
    var result: [Character] = []
    for (millisecond, level) in contact.enumerated() {
      let now = Instant.zero + .milliseconds(Int64(millisecond))
      let changes = (level == "#") != wasDown
      var said = debouncer.settle(at: now, isDownNow: changes ? nil : wasDown)
      if changes {
        wasDown.toggle()
        said = debouncer.take(wasDown ? .down : .up, at: now) ?? said
      }
      result.append(said.map(DebouncerTests.letter) ?? "-")
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
    #expect(counted(contact) == expected, sourceLocation: location)
  }

  @Test func aCleanPressCountsAtOnce() {
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

  @Test func aPressShorterThanTheLockOutEndsAfterIt() {
    expect(
      "##########____________________________",
      "P------------------------R------------")
  }

  @Test func aShortPressReleasedWithBouncesIsOnePress() {
    expect(
      "########################_#_#_#_______________________________",
      "P------------------------R-----------------------------------")
  }

  @Test func anEdgeAtTheEndOfTheLockOutCounts() {
    expect("#########################_", "P------------------------R")
  }

  @Test func aContactThatLetsGoForAMomentIsNotPressedAnew() {
    expect(
      "##############################_______________########################################______",
      "P-----------------------------R------------------------D-----------------------------R-----")
    expect(
      "##############################_________________________######",
      "P-----------------------------R------------------------P-----")
  }

  @Test func theLockOutEndsAtItsEnd() {
    var debouncer = Debouncer()
    #expect(debouncer.take(.down, at: .zero) == .press)
    #expect(debouncer.take(.up, at: milliseconds(25) - Nanoseconds(1)) == nil)
    #expect(debouncer.take(.up, at: milliseconds(25)) == .release)
  }

  private func milliseconds(_ count: Int64) -> Instant { .zero + .milliseconds(count) }

  /// A button that was pressed at 0 and, as its edges say, again at 100 ms.
  private func pressedAgain() -> Debouncer {
    var debouncer = Debouncer()
    #expect(debouncer.take(.down, at: .zero) == .press)
    #expect(debouncer.settle(at: milliseconds(25), isDownNow: true) == nil)
    #expect(debouncer.take(.down, at: milliseconds(100)) == .release)
    #expect(debouncer.deadline == milliseconds(125))
    return debouncer
  }

  @Test func downAndDownAgainIsAReleaseAndAPressIfTheLevelSaysSo() {
    var debouncer = pressedAgain()
    #expect(debouncer.settle(at: milliseconds(125), isDownNow: true) == .press)
    #expect(debouncer.deadline == milliseconds(150))
  }

  @Test(arguments: [nil, true]) func thatPressIsAsAnyOther(level: Bool?) {
    var debouncer = pressedAgain()
    #expect(debouncer.settle(at: milliseconds(125), isDownNow: true) == .press)
    #expect(debouncer.take(.up, at: milliseconds(130)) == nil)
    #expect(debouncer.settle(at: milliseconds(150), isDownNow: level.map { _ in false }) == .release)
    #expect(debouncer.take(.down, at: milliseconds(152)) == nil)
    #expect(debouncer.settle(at: milliseconds(155), isDownNow: level) == .resumption)
  }

  @Test func thatPressCountsWhenTheLevelIsRead() {
    var debouncer = pressedAgain()
    #expect(debouncer.settle(at: milliseconds(300), isDownNow: true) == nil)
    #expect(debouncer.deadline == milliseconds(300))
    #expect(debouncer.settle(at: milliseconds(300), isDownNow: true) == .press)
    #expect(debouncer.deadline == milliseconds(325))
  }

  @Test(arguments: [nil, false]) func downAndDownAgainIsAReleaseOtherwise(level: Bool?) {
    var debouncer = pressedAgain()
    #expect(debouncer.settle(at: milliseconds(125), isDownNow: level) == nil)
    #expect(debouncer.deadline == nil && !debouncer.isDown && !debouncer.isDoubtful)
    #expect(debouncer.take(.down, at: milliseconds(125)) == .press)
  }

  @Test func aReleaseWithoutAPressIsNothing() {
    var debouncer = Debouncer()
    #expect(debouncer.take(.up, at: .zero) == nil)
    #expect(debouncer.take(.down, at: milliseconds(1)) == nil)
    #expect(debouncer.deadline == milliseconds(25))
    #expect(debouncer.settle(at: milliseconds(25), isDownNow: true) == .press)
    #expect(debouncer.deadline == milliseconds(26))
  }

  /// A button that was pressed at 0, and of whose bounces the last edge read, at 3 ms, is one up.
  private func torn() -> Debouncer {
    var debouncer = Debouncer()
    #expect(debouncer.take(.down, at: .zero) == .press)
    #expect(debouncer.take(.up, at: milliseconds(3)) == nil)
    debouncer.mayHaveLost(until: milliseconds(60))
    #expect(debouncer.settle(at: milliseconds(60)) == .release)
    #expect(debouncer.deadline == milliseconds(28))
    #expect(debouncer.isDoubtful)
    return debouncer
  }

  @Test func aReleaseThatNobodySawIsNotBelieved() {
    var debouncer = torn()
    #expect(debouncer.settle(at: milliseconds(60), isDownNow: true) == nil)
    #expect(debouncer.isDoubtful && debouncer.deadline == nil)
    // A bounce of the release, its first edge lost.
    #expect(debouncer.take(.down, at: milliseconds(90)) == nil)
    #expect(debouncer.settle(at: milliseconds(115), isDownNow: false) == nil)
    #expect(debouncer.take(.down, at: milliseconds(170)) == .press)
  }

  @Test func anEdgeUpEndsTheDoubt() {
    var debouncer = torn()
    #expect(debouncer.take(.up, at: milliseconds(60)) == nil)
    #expect(debouncer.take(.down, at: milliseconds(61)) == nil)
    #expect(debouncer.deadline == milliseconds(85))
    #expect(debouncer.settle(at: milliseconds(90)) == nil)
    #expect(debouncer.take(.down, at: milliseconds(90)) == .press)
  }

  @Test func aLevelEndsTheDoubtAfterALockOut() {
    var debouncer = torn()
    #expect(debouncer.settle(at: milliseconds(60), isDownNow: false) == nil)
    #expect(debouncer.deadline == milliseconds(85) && !debouncer.isDoubtful)
    #expect(debouncer.take(.down, at: milliseconds(61)) == nil)
    #expect(debouncer.settle(at: milliseconds(85), isDownNow: false) == nil)
    #expect(debouncer.take(.down, at: milliseconds(86)) == .press)
  }

  /// Even one within the lock-out of what is in doubt.
  @Test func theNextEdgeAfterADoubtfulReleaseBeginsALockOut() {
    var debouncer = clicked(isLossPossible: true)
    #expect(debouncer.settle(at: milliseconds(25)) == .release)
    #expect(debouncer.isDoubtful && debouncer.deadline == milliseconds(28))
    #expect(debouncer.take(.down, at: milliseconds(27)) == nil)
    #expect(debouncer.deadline == milliseconds(52) && !debouncer.isDoubtful)
    #expect(debouncer.settle(at: milliseconds(52)) == nil)
    #expect(!debouncer.isDown)
  }

  @Test func aContactThatIsDownAgainIsLockedOutFromTheEdgeThatClosedIt() {
    var debouncer = Debouncer()
    #expect(debouncer.take(.down, at: .zero) == .press)
    #expect(debouncer.settle(at: milliseconds(25)) == nil)
    #expect(debouncer.take(.up, at: milliseconds(100)) == .release)
    #expect(debouncer.take(.down, at: milliseconds(110)) == nil)
    #expect(debouncer.settle(at: milliseconds(125)) == .resumption)
    #expect(debouncer.deadline == milliseconds(135))
    #expect(debouncer.take(.up, at: milliseconds(130)) == nil)
    #expect(debouncer.settle(at: milliseconds(135)) == .release)
  }

  /// What was lost until it was looked at, the level has told. The press after that is read after the level.
  @Test func aLevelEndsWhatMayBeLost() {
    var debouncer = Debouncer()
    #expect(debouncer.take(.down, at: .zero) == .press)
    debouncer.mayHaveLost(until: milliseconds(60))
    #expect(debouncer.settle(at: milliseconds(60), isDownNow: true) == nil)
    #expect(debouncer.take(.up, at: milliseconds(60)) == .release)
    #expect(debouncer.settle(at: milliseconds(85), isDownNow: true) == nil)
    #expect(debouncer.take(.down, at: milliseconds(85)) == .press)
  }

  /// Pressed at 0, and let go at 3 ms: what a level finds, late.
  private func clicked(isLossPossible: Bool) -> Debouncer {
    var debouncer = Debouncer()
    #expect(debouncer.take(.down, at: .zero) == .press)
    #expect(debouncer.take(.up, at: milliseconds(3)) == nil)
    if isLossPossible { debouncer.mayHaveLost(until: milliseconds(3)) }
    return debouncer
  }

  @Test func aReleaseThatIsSeenLateMayBounceYetIfEdgesAreLost() {
    var debouncer = clicked(isLossPossible: true)
    #expect(debouncer.settle(at: milliseconds(28), isDownNow: false) == .release)
    #expect(debouncer.deadline == milliseconds(53))
    debouncer = clicked(isLossPossible: true)
    #expect(debouncer.settle(at: milliseconds(28) - Nanoseconds(1), isDownNow: false) == .release)
    #expect(debouncer.deadline == milliseconds(28))
  }

  @Test(arguments: [nil, false, true]) func aReleaseIsLockedOutFromItsEdge(level: Bool?) {
    var debouncer = clicked(isLossPossible: false)
    // A level that says otherwise has seen the next edge before it was read.
    #expect(debouncer.settle(at: milliseconds(90), isDownNow: level) == .release)
    #expect(debouncer.deadline == milliseconds(28) && !debouncer.isDoubtful)
    #expect(debouncer.settle(at: milliseconds(90), isDownNow: level) == nil)
    #expect(debouncer.deadline == nil && !debouncer.isDown)
    #expect(debouncer.take(.down, at: milliseconds(90)) == .press)
  }

  @Test func whereEdgesMayBeLostALevelSaysThatItIsHeldOn() {
    var debouncer = clicked(isLossPossible: true)
    #expect(debouncer.settle(at: milliseconds(90), isDownNow: true) == nil)
    #expect(debouncer.isDown && debouncer.deadline == nil)
  }

  /// The last edge that may have company is of the instant of the loss.
  @Test(arguments: [(2, false), (3, true), (4, true)]) func doubtEndsWithTheLoss(until: Int64, isDoubtful: Bool) {
    var debouncer = clicked(isLossPossible: false)
    debouncer.mayHaveLost(until: milliseconds(until))
    #expect(debouncer.settle(at: milliseconds(25)) == .release)
    #expect(debouncer.isDoubtful == isDoubtful)
  }
}
