import BenchmarkTable
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import ThreadMeter

/// What it costs the beat loop that its figures are counted: its steps with and without, in blocks by turns, so that both
/// meet the same machine.
enum FigureSection {
  private static let blocks = 41
  private static let steps = 30_000
  /// Of the time of a step without.
  private static let allowedRatio = 1.1

  /// What a block of steps took.
  private struct Block {
    var processorTime: Int64
    /// nil where nobody counts.
    var allocations: UInt64?
  }

  /// Prints the table; returns how many lines do not hold.
  static func run() -> Int {
    print("Figures: \(blocks) blocks of \(steps) steps of the beat loop each, by turns; medians")
    print()
    let (figures, silence) = (LiveFigures(), SilentObserver())
    let counting = makeLoop(figures)
    let plain = makeLoop(silence)
    var (with, without): ([Block], [Block]) = ([], [])
    // What is made once in a process is made in the first two.
    for turn in 0...blocks {
      let first = block(of: plain) {}
      let second = block(of: counting) { figures.wokeForBeats() }
      guard turn > 0 else { continue }
      without.append(first)
      with.append(second)
    }
    let ratio = Double(median(with)) / Double(median(without))
    let allocations = with.reduce(0) { $0 + ($1.allocations ?? 0) }
    let holds = ratio <= allowedRatio && allocations == 0
    var table = Table(["beat loop", "ns a step", "with figures", "ratio", "allowed", "allocated", "allowed", ""])
    table.add([
      "120 BPM", (Double(median(without)) / Double(steps)).text(1), (Double(median(with)) / Double(steps)).text(1),
      ratio.text(3), allowedRatio.text(2), ThreadMeter.allocations == nil ? "–" : "\(allocations)", "0",
      holds ? "holds" : "FAILS",
    ])
    table.print()
    print()
    return holds ? 0 : 1
  }

  private static func makeLoop<Observer: EngineObserver>(_ observer: Observer) -> Player<Observer> {
    let publication = TimelinePublication()
    publication.publish(
      Timeline(session: 1, firstBeat: .zero, tempo: Tempo(clampingMilliBPM: 120_000), signature: .initial))
    return Player(
      loop: BeatLoop(
        lines: NoLines(), publication: publication, observer: observer))
  }

  /// A beat loop on its way.
  private final class Player<Observer: EngineObserver> {
    let loop: BeatLoop<NoLines, Observer>
    var now = Instant.zero

    init(loop: BeatLoop<NoLines, Observer>) { self.loop = loop }
  }

  private static func block<Observer: EngineObserver>(of player: Player<Observer>, each: () -> Void) -> Block {
    let (allocated, start) = (ThreadMeter.allocations, ThreadMeter.processorTime)
    var now = player.now
    for _ in 0..<steps {
      guard let next = player.loop.step(at: now) else { preconditionFailure("it plays without end") }
      each()
      now = next
    }
    let time = ThreadMeter.processorTime - start
    player.now = now
    return Block(
      processorTime: time, allocations: allocated.flatMap { before in ThreadMeter.allocations.map { $0 - before } })
  }

  private static func median(_ blocks: [Block]) -> Int64 { blocks.map(\.processorTime).sorted()[blocks.count / 2] }
}

/// Lines that nothing hangs on.
private final class NoLines: OutputLines {
  func set(_ levels: OutputSet) throws(HardwareError) {}

  func release() {}
}
