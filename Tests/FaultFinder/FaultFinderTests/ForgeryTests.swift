import BoardSimulation
import FaultFinder
import HardwareAbstraction
import MetronomeCore
import Testing

/// Each checker detects a false event of its kind.
@Suite struct ForgeryTests {
  /// A life that plays at 120 BPM with sound from the first second on.
  private static let playing = Life(seed: 1, length: .seconds(20), lines: ["1s press play 100ms"])

  private func promises(broken forgery: Forgery, at time: Nanoseconds = .milliseconds(10_250)) throws -> Set<Promise> {
    Set(try Trial(ForgeryTests.playing, forging: forgery, at: time).breaches.map(\.promise))
  }

  @Test func unmodifiedTraceBreaksNoPromise() throws {
    #expect(try Trial(ForgeryTests.playing).breaches == [])
  }

  @Test func repeatedBeatIsDetected() throws {
    #expect(try promises(broken: .beat(moved: .zero, index: 0)).contains(.eachBeatOnce))
  }

  @Test func missingBeatIsDetected() throws {
    #expect(try promises(broken: .beat(moved: .zero, index: 2)).contains(.eachBeatOnce))
  }

  @Test func earlyBeatIsDetected() throws {
    #expect(try promises(broken: .beat(moved: .milliseconds(500), index: 1)).contains(.onItsInstant))
  }

  @Test func shiftedBeatIsDetected() throws {
    let broken = try promises(broken: .beat(moved: .milliseconds(2), index: 1))
    #expect(broken.contains(.evenly))
    #expect(broken.contains(.phaseKept))
  }

  @Test func lightWithoutABeatIsDetected() throws {
    #expect(try promises(broken: .line(.light, isActive: true)).contains(.linesAgree))
  }

  @Test func clickWithoutABeatIsDetected() throws {
    #expect(try promises(broken: .click(.weak)).contains(.clicksOnTheBeat))
  }

  /// A life as above, in which every other bar is silent.
  private static let gapped = Life(
    seed: 1, length: .seconds(20), configuration: Life.File(name: "box.yaml", lines: ["trainer:", "  gap: 1/1"]),
    lines: ["1s press play 100ms"])

  /// The first beat comes 24 ms after the press, so this one is in bar 3.
  private static let silentBeat = Nanoseconds.milliseconds(7_524)

  @Test func unmodifiedGapBreaksNoPromise() throws {
    #expect(try Trial(ForgeryTests.gapped).breaches == [])
  }

  @Test(arguments: [Forgery.click(.weak), .line(.buzzer, isActive: true)])
  func soundOfASilentBeatIsDetected(forgery: Forgery) throws {
    let silent = try Trial(ForgeryTests.gapped, forging: forgery, at: ForgeryTests.silentBeat)
    #expect(silent.breaches.map(\.promise).contains(.silencesKept))
    // The same beat of the next bar sounds.
    let sounding = try Trial(ForgeryTests.gapped, forging: forgery, at: ForgeryTests.silentBeat + .seconds(2))
    #expect(!sounding.breaches.map(\.promise).contains(.silencesKept))
  }

  /// A life in a Link session, whose beats are at multiples of 0.5 s.
  private static let linked = Life(seed: 1, length: .seconds(40), lines: ["1s link join 120", "1s do start"])

  @Test func beatThatIsNotOfTheSessionIsDetected() throws {
    #expect(try Trial(ForgeryTests.linked).breaches == [])
    let moved = Forgery.beat(moved: .microseconds(500_200), index: 1)
    let trial = try Trial(ForgeryTests.linked, forging: moved, at: .milliseconds(30_250))
    #expect(trial.breaches.map(\.promise).contains(.followsSession))
  }

  @Test func commandThatDoesNotExistIsDetected() throws {
    #expect(try promises(broken: .command("no such command")).contains(.everyCommand))
  }

  @Test func commandWithoutAnEffectIsDetected() throws {
    #expect(try promises(broken: .command("faster")).contains(.everyPress))
  }

  @Test func unrequestedStateIsDetected() throws {
    let broken = try promises(broken: .state)
    #expect(broken.contains(.everyPress))
    #expect(broken.contains(.released))
  }

  @Test func falseFigureIsDetected() throws {
    let broken = try promises(broken: .missed)
    #expect(broken.contains(.figures))
    #expect(broken.contains(.everyClick))
  }
}
