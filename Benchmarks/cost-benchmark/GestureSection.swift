import MetronomeCore
import ThreadMeter

/// Measures how many edges per second the gesture machine processes, and whether it allocates, if allocations are counted. The
/// edges are random, and the same in every run: all buttons of several origins, with bounces, chords and holds.
enum GestureSection {
  private static let edgesPerRun = 2_000_000
  private static let leastEdgesPerSecond = 1_000_000.0

  /// Prints a table with the bounds. Returns the number of bounds that are exceeded.
  static func run() -> Int {
    var failed = 0
    for origins in [1, 4] {
      let edges = RandomEdges.make(edgesPerRun, origins: origins)
      var machine = GestureMachine(.standard, origins: origins)
      var (events, steps, settles) = (0, 0, 0)
      // Created once: a closure created for every edge would be allocated every time.
      let count = { (event: GestureEvent) in
        events += 1
        steps += event.steps
      }
      // Warms up: the Swift runtime allocates its caches on first use.
      var rehearsal = GestureMachine(.standard, origins: origins)
      for edge in edges.prefix(1_000) {
        rehearsal.process(edge, count)
        rehearsal.settle(at: edge.instant, level: { _, _ in nil }, count)
      }
      (events, steps) = (0, 0)
      // As in the control loop, the machine meets every deadline before the next edge.
      let prompt = cost {
        for edge in edges {
          while let deadline = machine.deadline, deadline < edge.instant {
            machine.settle(at: deadline, level: { _, _ in nil }, count)
            settles += 1
          }
          machine.process(edge, count)
        }
      }
      var lateMachine = GestureMachine(.standard, origins: origins)
      let late = cost {
        for edge in edges { lateMachine.process(edge, count) }
      }
      for (name, cost) in [("deadline by deadline", prompt), ("read late", late)] {
        let rate = Double(edges.count) / cost.seconds
        let holds = rate >= leastEdgesPerSecond && (cost.allocations ?? 0) == 0
        failed += holds ? 0 : 1
        let millions = Double((rate / 10_000).rounded()) / 100
        print(
          "\(origins * Button.standard.count) contacts, \(name): \(edges.count) edges, \(millions) million a second",
          "(at least \(Int(leastEdgesPerSecond / 1_000_000))), \(cost.allocations.map(String.init) ?? "uncounted")",
          "allocations (none): \(holds ? "holds" : "FAILS")")
      }
      print("  \(events) events in \(steps) steps of both; \(settles) deadlines of the first")
    }
    print()
    return failed
  }

  /// The cost of `work`: processor time of this thread in seconds, and heap allocations; nil if they are not counted.
  private static func cost(of work: () -> Void) -> (seconds: Double, allocations: UInt64?) {
    let (start, before) = (ThreadMeter.processorTime, ThreadMeter.allocations)
    work()
    let (end, after) = (ThreadMeter.processorTime, ThreadMeter.allocations)
    return (Double(end - start) / 1e9, before.flatMap { before in after.map { $0 - before } })
  }
}
