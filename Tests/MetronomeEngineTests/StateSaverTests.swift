import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// When the state saver saves and retries, and what it reports.
@Suite struct StateSaverTests {
  /// An observer that logs failed saves and their end. `@unchecked Sendable`: the test has one thread.
  private final class Log: EngineObserver, @unchecked Sendable {
    var lines: [String] = []

    func failed(_ error: HardwareError, at now: Instant) {
      lines.append("\(now.nanoseconds / 1_000_000) \(error.operation) \(error.errno ?? 0)")
    }
    func savingRecovered(at now: Instant) { lines.append("\(now.nanoseconds / 1_000_000) again") }
    func changed(to state: MetronomeState, at instant: Instant) {}
    func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) {}
    func skipped(beats: Int64, at now: Instant) {}
    func placed(_ level: Level, isCountedIn: Bool, at position: FramePosition) {}
    func missed(clicks: Int64, at now: Instant) {}
    func underran(frames: Int64, at now: Instant) {}
    func changed(to state: AudioState, at instant: Instant) {}
  }

  private let disk = SimulatedDisk()
  private let log = Log()
  private let wakes = WakeRecorder()

  private func state(_ bpm: Int) -> SavedState { SavedState(Music(tempo: Tempo(bpm: bpm)!)) }

  private func saver(saved: SavedState? = nil) -> StateSaver<Log> {
    StateSaver(StateArchive(disk), saved: saved, observer: log, wake: Waker(wakes.record))
  }

  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private var bpmOnDisk: Int32? {
    let file = try? disk.read("state").map { try StateFile($0) }
    return file.map { $0.savedState.tempo.milliBPM / 1_000 }
  }

  /// A board whose disk fails during a span of milliseconds.
  private func fail(_ kind: HardwareError.Kind, errno: Int32, _ span: Range<Int64>) throws -> SimulatedBoard {
    var options = SimulatedBoard.Options()
    options.stateFolder = disk
    options.faults.fail(.saveState, kind, errno: errno, on: .during(at(span.lowerBound)..<at(span.upperBound)))
    return try SimulatedBoard(options, recorder: TraceRecorder(sinks: []))
  }

  @Test func firstChangeIsSavedAtOnceAndTheNextAfterTwoSeconds() throws {
    let saver = saver()
    #expect(saver.step(at: at(0)) == nil)
    saver.keep(state(100))
    #expect(saver.step(at: at(500)) == nil)
    #expect(bpmOnDisk == 100)
    saver.keep(state(101))
    saver.keep(state(102))
    #expect(saver.step(at: at(700)) == at(2_500))
    #expect(saver.step(at: at(2_499)) == at(2_500))
    #expect(bpmOnDisk == 100)
    #expect(saver.step(at: at(2_500)) == nil)
    #expect(bpmOnDisk == 102)
  }

  @Test func unchangedStateIsNotSaved() {
    let saver = saver(saved: state(100))
    saver.keep(state(100))
    #expect(saver.step(at: at(0)) == nil)
    saver.flush(at: at(5_000))
    #expect(disk.steps == 0)
  }

  @Test func changeThatIsRevertedBeforeTheSaveIsNotSaved() {
    let saver = saver()
    saver.keep(state(100))
    _ = saver.step(at: at(0))
    let steps = disk.steps
    saver.keep(state(101))
    #expect(saver.step(at: at(10)) == at(2_000))
    saver.keep(state(100))
    #expect(saver.step(at: at(2_000)) == nil)
    #expect(disk.steps == steps)
  }

  @Test func onlyAChangeWakesTheLoop() {
    let saver = saver()
    saver.keep(state(100))
    #expect(wakes.newLoops == [.state])
    saver.keep(state(100))
    #expect(wakes.newLoops == [])
  }

  @Test func flushSavesTheLastStateBeforeTheSealAtOnce() throws {
    let saver = saver()
    saver.keep(state(100))
    _ = saver.step(at: at(0))
    saver.keep(state(101))
    saver.seal()
    saver.keep(state(102))
    saver.flush(at: at(1))
    #expect(bpmOnDisk == 101)
  }

  @Test(arguments: [(HardwareError.Kind.full, Int32(28)), (.readOnly, 30), (.denied, 13)])
  func failedSaveIsRetriedAndReportedOnce(kind: HardwareError.Kind, errno: Int32) throws {
    let board = try fail(kind, errno: errno, 0..<100_000)
    let saver = saver()
    saver.keep(state(100))
    var wakes: [Int64] = []
    var next: Instant? = at(0)
    while let instant = next, wakes.count < 20 {
      board.clock.advance(to: instant)
      wakes.append(instant.nanoseconds / 1_000_000)
      next = saver.step(at: instant)
    }
    #expect(wakes == [0, 2_000, 6_000, 14_000, 30_000, 62_000, 122_000])
    #expect(log.lines == ["0 saveState \(errno)", "122000 again"])
    #expect(bpmOnDisk == 100)
  }

  @Test func errorWithoutANumberIsReportedAsText() throws {
    let saver = saver(saved: state(99))
    var unreadable = state(100)
    unreadable.recalled = 500
    saver.keep(unreadable)
    _ = saver.step(at: at(0))
    #expect(saver.saving == .refused(.detail("the new state could not be read back")))
  }

  @Test func savingReportsWhetherTheStateIsSaved() throws {
    let board = try fail(.full, errno: 28, 0..<2_000)
    let saver = saver(saved: state(99))
    #expect(saver.saving == .done)
    saver.keep(state(99))
    #expect(saver.saving == .done)
    saver.keep(state(100))
    #expect(saver.saving == .pending)
    _ = saver.step(at: at(0))
    #expect(saver.saving == .refused(.errno(28)))
    board.clock.advance(to: at(2_000))
    _ = saver.step(at: at(2_000))
    #expect(saver.saving == .done)
    saver.keep(state(101))
    #expect(saver.saving == .pending)
  }

  @Test func secondSeriesOfFailuresIsReportedAgain() throws {
    let board = try fail(.full, errno: 28, 0..<1_000)
    let saver = saver()
    for (time, bpm) in [(0, 100), (2_000, 100)] as [(Int64, Int)] {
      board.clock.advance(to: at(time))
      saver.keep(state(bpm))
      _ = saver.step(at: at(time))
    }
    disk.cutStep = disk.steps
    saver.keep(state(101))
    _ = saver.step(at: at(4_000))
    #expect(log.lines == ["0 saveState 28", "2000 again", "4000 saveState 5"])
  }

  @Test func knownFailureIsNotReportedAgain() throws {
    let board = try fail(.denied, errno: 13, 0..<1_000)
    let saver = StateSaver(
      StateArchive(disk), saved: nil, refusal: HardwareError(.saveState, .denied, errno: 13), observer: log,
      wake: Waker(wakes.record))
    saver.keep(state(100))
    #expect(saver.step(at: at(0)) == at(2_000))
    board.clock.advance(to: at(2_000))
    _ = saver.step(at: at(2_000))
    #expect(log.lines == ["2000 again"])
  }
}
