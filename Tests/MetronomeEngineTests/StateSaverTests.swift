import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// When is saved, and when not.
@Suite struct StateSaverTests {
  // Unchecked: the test has one thread.
  private final class Log: EngineObserver, @unchecked Sendable {
    var lines: [String] = []

    func failed(_ error: HardwareError, at now: Instant) {
      lines.append("\(now.nanoseconds / 1_000_000) \(error.operation) \(error.errno)")
    }
    func savesAgain(at now: Instant) { lines.append("\(now.nanoseconds / 1_000_000) again") }
    func changed(to state: MetronomeState, at instant: Instant) {}
    func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) {}
    func skipped(beats: Int64, at now: Instant) {}
    func placed(_ beat: Beat, at position: FramePosition) {}
    func missed(clicks: Int64, at now: Instant) {}
    func underran(frames: Int64, at now: Instant) {}
    func changed(to state: AudioState, at instant: Instant) {}
  }

  private let disk = SimulatedDisk()
  private let log = Log()
  private let wakes = NotedWakes()

  private func memory(_ bpm: Int) -> SavedState { SavedState(tempo: Tempo(bpm: bpm)!) }

  private func keeper(saved: SavedState? = nil) -> StateSaver<Log> {
    StateSaver(StateArchive(disk), saved: saved, observer: log, wake: wakes.note)
  }

  private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private var bpmOnDisk: Int32? {
    let file = try? disk.read("state").map { try StateFile($0) }
    return file.map { $0.savedState.tempo.milliBPM / 1_000 }
  }

  /// A board around the disk, which fails in a span of milliseconds.
  private func fail(errno: Int32, _ span: Range<Int64>) throws -> SimulatedBoard {
    var options = SimulatedBoard.Options()
    options.store = disk
    options.faults.fail(.saveState, errno: errno, on: .during(at(span.lowerBound)..<at(span.upperBound)))
    return try SimulatedBoard(options, recorder: TraceRecorder(sinks: []))
  }

  @Test func theFirstChangeIsSavedAtOnceAndTheNextAfterTwoSeconds() throws {
    let keeper = keeper()
    #expect(keeper.step(at: at(0)) == nil)
    keeper.keep(memory(100))
    #expect(keeper.step(at: at(500)) == nil)
    #expect(bpmOnDisk == 100)
    keeper.keep(memory(101))
    keeper.keep(memory(102))
    #expect(keeper.step(at: at(700)) == at(2_500))
    #expect(keeper.step(at: at(2_499)) == at(2_500))
    #expect(bpmOnDisk == 100)
    #expect(keeper.step(at: at(2_500)) == nil)
    #expect(bpmOnDisk == 102)
  }

  @Test func whatHasNotChangedIsNotSaved() {
    let keeper = keeper(saved: memory(100))
    keeper.keep(memory(100))
    #expect(keeper.step(at: at(0)) == nil)
    keeper.flush(at: at(5_000))
    #expect(disk.steps == 0)
  }

  @Test func whatChangesBackInTimeIsNotSaved() {
    let keeper = keeper()
    keeper.keep(memory(100))
    _ = keeper.step(at: at(0))
    let steps = disk.steps
    keeper.keep(memory(101))
    #expect(keeper.step(at: at(10)) == at(2_000))
    keeper.keep(memory(100))
    #expect(keeper.step(at: at(2_000)) == nil)
    #expect(disk.steps == steps)
  }

  @Test func onlyNewsWakesIt() {
    let keeper = keeper()
    keeper.keep(memory(100))
    #expect(wakes.taken == [.state])
    keeper.keep(memory(100))
    #expect(wakes.taken == [])
  }

  @Test func atTheEndItSavesAtOnceWhatWasKeptBeforeTheSeal() throws {
    let keeper = keeper()
    keeper.keep(memory(100))
    _ = keeper.step(at: at(0))
    keeper.keep(memory(101))
    keeper.seal()
    keeper.keep(memory(102))
    keeper.flush(at: at(1))
    #expect(bpmOnDisk == 101)
  }

  @Test(arguments: [Int32(28), 30, 13]) func aDiskThatRefusesIsTriedAgainAndToldOnce(errno: Int32) throws {
    let board = try fail(errno: errno, 0..<100_000)
    let keeper = keeper()
    keeper.keep(memory(100))
    var wakes: [Int64] = []
    var next: Instant? = at(0)
    while let instant = next, wakes.count < 20 {
      board.clock.advance(to: instant)
      wakes.append(instant.nanoseconds / 1_000_000)
      next = keeper.step(at: instant)
    }
    #expect(wakes == [0, 2_000, 6_000, 14_000, 30_000, 62_000, 122_000])
    #expect(log.lines == ["0 saveState \(errno)", "122000 again"])
    #expect(bpmOnDisk == 100)
  }

  @Test func itSaysWhetherWhatWasKeptIsSaved() throws {
    let board = try fail(errno: 28, 0..<2_000)
    let keeper = keeper(saved: memory(99))
    #expect(keeper.saving == .done)
    keeper.keep(memory(99))
    #expect(keeper.saving == .done)
    keeper.keep(memory(100))
    #expect(keeper.saving == .pending)
    _ = keeper.step(at: at(0))
    #expect(keeper.saving == .refused(errno: 28))
    board.clock.advance(to: at(2_000))
    _ = keeper.step(at: at(2_000))
    #expect(keeper.saving == .done)
    keeper.keep(memory(101))
    #expect(keeper.saving == .pending)
  }

  @Test func aSecondRunOfRefusalsIsToldAgain() throws {
    let board = try fail(errno: 28, 0..<1_000)
    let keeper = keeper()
    for (time, bpm) in [(0, 100), (2_000, 100)] as [(Int64, Int)] {
      board.clock.advance(to: at(time))
      keeper.keep(memory(bpm))
      _ = keeper.step(at: at(time))
    }
    disk.cutStep = disk.steps
    keeper.keep(memory(101))
    _ = keeper.step(at: at(4_000))
    #expect(log.lines == ["0 saveState 28", "2000 again", "4000 saveState 5"])
  }

  @Test func whatIsKnownToBeRefusedIsNotToldAgain() throws {
    let board = try fail(errno: 13, 0..<1_000)
    let keeper = StateSaver(
      StateArchive(disk), saved: nil, refusal: HardwareError(.saveState, errno: 13), observer: log,
      wake: wakes.note)
    keeper.keep(memory(100))
    #expect(keeper.step(at: at(0)) == at(2_000))
    board.clock.advance(to: at(2_000))
    _ = keeper.step(at: at(2_000))
    #expect(log.lines == ["2000 again"])
  }
}
