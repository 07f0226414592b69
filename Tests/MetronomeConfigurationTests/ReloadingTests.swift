import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import Synchronization
import Testing

/// A reload reads its files on a thread that may block. The tests replace this thread, and run its work when they want.
@Suite struct ReloadingTests {
  /// Stands for the reading thread: the pending work, and the configurations that it will read.
  private final class ReadingThread: Sendable {
    struct Refusal: Error, CustomStringConvertible { let description = "no such file" }

    let bodies = Mailbox<@Sendable () -> Void>()
    let files = Mutex<[LoadedConfiguration?]>([])
    let finished = Mutex(0)

    /// Runs the pending work.
    ///
    /// - Returns: the number of work items.
    @discardableResult
    func run() -> Int {
      let bodies = bodies.drain()
      for body in bodies { body() }
      return bodies.count
    }

    @Sendable func read() throws -> LoadedConfiguration {
      guard let reading = files.withLock({ $0.removeFirst() }) else { throw Refusal() }
      return reading
    }
  }

  private let readingThread = ReadingThread()
  private let first: LoadedConfiguration
  private let reloading: Reloading

  init() throws {
    first = try ReloadingTests.loaded(sound: 0.25)
    let readingThread = readingThread
    reloading = Reloading(
      first, read: readingThread.read, start: { readingThread.bodies.post($0) },
      finished: { readingThread.finished.withLock { $0 += 1 } })
  }

  private static func loaded(sound: Double) throws -> LoadedConfiguration {
    var loaded = try LoadedConfiguration(.standard)
    loaded.sounds = sounds(sound)
    return loaded
  }

  private static func sounds(_ volume: Double) -> ClickSounds { ClickSounds(volume: volume) }

  private struct NoChange: Error {}

  /// The outcome of a successful reload.
  private func change() throws -> Reloading.Change {
    guard case .read(let change)? = try reloading.consumeOutcome() else { throw NoChange() }
    return change
  }

  private func hasOutcome() throws -> Bool { try reloading.consumeOutcome() != nil }

  private func put(_ readings: LoadedConfiguration?...) { readingThread.files.withLock { $0 = readings } }

  @Test func beginningAReloadReadsNoFile() throws {
    put(first)
    try reloading.begin()
    #expect(readingThread.files.withLock { $0.count } == 1)
    #expect(try !hasOutcome())
    readingThread.run()
    #expect(readingThread.finished.withLock { $0 } == 1)
    let change = try change()
    #expect(!change.hasOtherSounds)
    #expect(change.news == "configuration reloaded: nothing changed")
    #expect(try !hasOutcome())
  }

  @Test func soundsAreComparedOnTheReadingThread() throws {
    put(try ReloadingTests.loaded(sound: 0.5))
    try reloading.begin()
    readingThread.run()
    let change = try change()
    #expect(change.hasOtherSounds)
    #expect(reloading.current.sounds == first.sounds)
    reloading.accept(change)
    #expect(reloading.current.sounds == ReloadingTests.sounds(0.5))
    // The replaced configuration is also freed on the reading thread.
    #expect(readingThread.run() == 1)
  }

  @Test func unreadableConfigurationIsRefusedInOneLine() throws {
    put(nil)
    try reloading.begin()
    readingThread.run()
    guard case .refused(let line)? = try reloading.consumeOutcome() else { throw NoChange() }
    #expect(line == "configuration not reloaded, the old one remains active: no such file")
  }

  @Test func severalProblemsAreRefusedInOneLine() {
    let line = LoadedConfiguration.refusal("a.yaml:1:1: one; two\na.yaml:2:1: three; four")
    #expect(
      line == "configuration not reloaded, the old one remains active: a.yaml:1:1: one; two"
        + " (and other problems, see \"metronome config --check FILE\")")
  }

  /// The file may have changed after it was read, so it is read once more. Only the second reading counts.
  @Test func requestsDuringAReloadCauseOneMoreReading() throws {
    put(try ReloadingTests.loaded(sound: 0.5), first)
    try reloading.begin()
    try reloading.begin()
    try reloading.begin()
    #expect(readingThread.run() == 1)
    #expect(try !hasOutcome())
    #expect(readingThread.run() == 1)
    let change = try change()
    #expect(!change.hasOtherSounds)
    #expect(readingThread.run() == 0)
  }
}
