// How many edges a second the gesture machine takes: random ones of all buttons of several origins, with bounces, chords
// and holds; and whether it allocates, where allocations are counted. Prints a table beside the bounds.
//
// Usage: gesture-benchmark. The edges are the same every time. Ends with 1 if a bound is not held.

import MetronomeCore
import ThreadMeter

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

let edgesPerRun = 2_000_000
let leastEdgesPerSecond = 1_000_000.0

/// What a piece of work takes: processor time in seconds, whatever else the machine does not counted, and allocations on
/// the heap; nil where nobody counts.
func cost(of work: () -> Void) -> (seconds: Double, allocations: UInt64?) {
  let (start, before) = (ThreadMeter.processorTime, ThreadMeter.allocations)
  work()
  let (end, after) = (ThreadMeter.processorTime, ThreadMeter.allocations)
  return (Double(end - start) / 1e9, before.flatMap { before in after.map { $0 - before } })
}

var failed = 0
for origins in [1, 4] {
  let edges = RandomEdges.make(edgesPerRun, origins: origins)
  var machine = GestureMachine<Command>(.standard, origins: origins)
  var (events, steps, settles) = (0, 0, 0)
  // Made once: one that is made for every edge would be allocated every time.
  let count = { (event: GestureEvent<Command>) in
    events += 1
    steps += event.steps
  }
  // The Swift runtime makes what it needs when it needs it first.
  var rehearsal = GestureMachine<Command>(.standard, origins: origins)
  for edge in edges.prefix(1_000) {
    rehearsal.take(edge, count)
    rehearsal.settle(at: edge.instant, level: { _, _ in nil }, count)
  }
  (events, steps) = (0, 0)
  // As the control loop does it: whatever is due first.
  let prompt = cost {
    for edge in edges {
      while let deadline = machine.deadline, deadline < edge.instant {
        machine.settle(at: deadline, level: { _, _ in nil }, count)
        settles += 1
      }
      machine.take(edge, count)
    }
  }
  var lateMachine = GestureMachine<Command>(.standard, origins: origins)
  let late = cost {
    for edge in edges { lateMachine.take(edge, count) }
  }
  for (name, cost) in [("deadline by deadline", prompt), ("read late", late)] {
    let rate = Double(edges.count) / cost.seconds
    let holds = rate >= leastEdgesPerSecond && (cost.allocations ?? 0) == 0
    failed += holds ? 0 : 1
    let millions = Double((rate / 10_000).rounded()) / 100
    print(
      "\(origins * Button.allCases.count) contacts, \(name): \(edges.count) edges, \(millions) million a second",
      "(at least \(Int(leastEdgesPerSecond / 1_000_000))), \(cost.allocations.map(String.init) ?? "uncounted")",
      "allocations (none): \(holds ? "holds" : "FAILS")")
  }
  print("  \(events) events in \(steps) steps of both; \(settles) deadlines of the first")
}
exit(failed == 0 ? 0 : 1)
