import MetronomeCore
import Testing

@Suite struct DebouncerTests {
  /// Plays a contact, a character a millisecond, `_` open and `#` closed, and writes what counted in the same places:
  /// `P` a press, `R` a release. The contact is looked at again when the debouncer asks for it.
  private func counted(_ contact: String) -> String {
    var debouncer = Debouncer()
    var wasDown = false
    var result: [Character] = []
    for (millisecond, level) in contact.enumerated() {
      let now = Instant.zero + .milliseconds(Int64(millisecond))
      var said = debouncer.settle(at: now)
      if (level == "#") != wasDown {
        wasDown = level == "#"
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
    case .pressAnew: "N"
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

  @Test func aSecondPressWithinTheLockOutCountsWhenItEnds() {
    expect("#________________________##", "P------------------------RP")
  }

  @Test func aPressAfterALostReleaseCountsAsBoth() {
    var debouncer = Debouncer()
    #expect(debouncer.take(.down, at: .zero) == .press)
    #expect(debouncer.settle(at: .zero + .milliseconds(25), isDownNow: true) == nil)
    #expect(debouncer.take(.down, at: .zero + .milliseconds(25)) == .pressAnew)
    #expect(debouncer.take(.up, at: .zero + .microseconds(49_999)) == nil)
    #expect(debouncer.deadline == .zero + .milliseconds(50))
    #expect(debouncer.settle(at: .zero + .milliseconds(50)) == .release)
  }

  @Test func aReleaseWithoutAPressIsNothing() {
    var debouncer = Debouncer()
    #expect(debouncer.take(.up, at: .zero) == nil)
    #expect(debouncer.deadline == nil)
    #expect(debouncer.take(.down, at: .zero + .milliseconds(1)) == .press)
  }
}
