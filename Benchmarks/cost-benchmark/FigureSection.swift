import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import ThreadMeter

/// The cost of counting the beat loop's figures: its steps with and without counting, in alternating blocks, so that both run
/// under the same conditions.
enum FigureSection {
  private static let blocks = 41
  private static let steps = 30_000
  /// The allowed ratio of the time per step, with counting to without.
  private static let allowedRatio = 1.1

  /// The cost of a block of steps.
  private struct Block {
    var processorTime: Int64
    /// The number of allocations; nil if they are not counted.
    var allocations: UInt64?
  }

  /// Prints the table; returns how many lines exceed their bound.
  static func run() -> Int {
    print("Figures: \(blocks) alternating blocks of \(steps) steps of the beat loop each; medians")
    print()
    let (figures, silence) = (LiveFigures(), SilentObserver())
    let counting = makeLoop(figures)
    let plain = makeLoop(silence)
    var (with, without): ([Block], [Block]) = ([], [])
    // The first two blocks warm up what is allocated once per process.
    for turn in 0...blocks {
      let first = block(of: plain) {}
      let second = block(of: counting) { figures.stepped(.beats) }
      guard turn > 0 else { continue }
      without.append(first)
      with.append(second)
    }
    let ratio = Double(median(with)) / Double(median(without))
    let allocations = with.reduce(0) { $0 + ($1.allocations ?? 0) }
    let holds = ratio <= allowedRatio && allocations == 0
    var table = Table(["beat loop", "ns per step", "with figures", "ratio", "allowed", "allocated", "allowed", ""])
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

  /// A running beat loop.
  private final class Player<Observer: EngineObserver> {
    let loop: BeatLoop<NoLines, Observer>
    var now = Instant.zero

    init(loop: BeatLoop<NoLines, Observer>) { self.loop = loop }
  }

  private static func block<Observer: EngineObserver>(of player: Player<Observer>, each: () -> Void) -> Block {
    let (allocated, start) = (ThreadMeter.allocations, ThreadMeter.processorTime)
    var now = player.now
    for _ in 0..<steps {
      guard let next = player.loop.step(at: now) else { preconditionFailure("the beat loop stopped") }
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

/// Unconnected lines.
private final class NoLines: OutputLines {
  func set(_ levels: LineSet) throws(HardwareError) {}

  func release() {}
}
