import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import Synchronization
import Testing

/// A reload is read on a thread that may block: here, whenever the test runs what was to be run there.
@Suite struct ReloadingTests {
  /// What is to be run elsewhere, and what is read there.
  private final class Elsewhere: Sendable {
    struct Refusal: Error, CustomStringConvertible { let description = "no such file" }

    let bodies = Mailbox<@Sendable () -> Void>()
    let files = Mutex<[Reading?]>([])
    let finished = Mutex(0)

    /// Runs what was begun.
    ///
    /// - Returns: how much it was.
    @discardableResult
    func run() -> Int {
      let bodies = bodies.takeAll()
      for body in bodies { body() }
      return bodies.count
    }

    @Sendable func read(_ current: Reading) throws -> Reading {
      guard let reading = files.withLock({ $0.removeFirst() }) else { throw Refusal() }
      return reading
    }
  }

  private let elsewhere = Elsewhere()
  private let first: Reading
  private let reloading: Reloading

  init() throws {
    first = Reading(.standard, ReloadingTests.sounds(0.25))
    let elsewhere = elsewhere
    reloading = Reloading(
      first, read: elsewhere.read, start: { elsewhere.bodies.leave($0) },
      finished: { elsewhere.finished.withLock { $0 += 1 } })
  }

  private static func sounds(_ volume: Double) -> ClickSounds { ClickSounds(volume: volume) }

  private struct NoChange: Error {}

  /// What was read.
  private func change() throws -> Reloading.Change {
    guard case .read(let change)? = try reloading.takeOutcome() else { throw NoChange() }
    return change
  }

  private func hasOutcome() throws -> Bool { try reloading.takeOutcome() != nil }

  private func put(_ readings: Reading?...) { elsewhere.files.withLock { $0 = readings } }

  @Test func whoeverBeginsAReloadReadsNothing() throws {
    put(first)
    try reloading.begin()
    #expect(elsewhere.files.withLock { $0.count } == 1)
    #expect(try !hasOutcome())
    elsewhere.run()
    #expect(elsewhere.finished.withLock { $0 } == 1)
    let change = try change()
    #expect(!change.hasOtherSounds)
    #expect(change.news == "configuration read again: nothing changed")
    #expect(try !hasOutcome())
  }

  @Test func otherSoundsAreComparedThere() throws {
    put(Reading(.standard, ReloadingTests.sounds(0.5)))
    try reloading.begin()
    elsewhere.run()
    let change = try change()
    #expect(change.hasOtherSounds)
    #expect(reloading.current.sounds == first.sounds)
    reloading.accept(change)
    #expect(reloading.current.sounds == ReloadingTests.sounds(0.5))
    // What is in force no more is freed there, too.
    #expect(elsewhere.run() == 1)
  }

  @Test func whatCannotBeReadIsRefusedInALine() throws {
    put(nil)
    try reloading.begin()
    elsewhere.run()
    guard case .refused(let line)? = try reloading.takeOutcome() else { throw NoChange() }
    #expect(line == "the old configuration stays in force: no such file")
  }

  /// The file may have changed after it was read: it is read once more, and only that counts.
  @Test func whoAsksMeanwhileHasItReadOnceMore() throws {
    put(Reading(.standard, ReloadingTests.sounds(0.5)), first)
    try reloading.begin()
    try reloading.begin()
    try reloading.begin()
    #expect(elsewhere.run() == 1)
    #expect(try !hasOutcome())
    #expect(elsewhere.run() == 1)
    let change = try change()
    #expect(!change.hasOtherSounds)
    #expect(elsewhere.run() == 0)
  }
}
