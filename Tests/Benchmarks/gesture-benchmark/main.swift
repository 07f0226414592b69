// How many edges a second the gesture machine takes: random ones of all buttons of several origins, with bounces, chords
// and holds. Prints a table beside the bound.
//
// Usage: gesture-benchmark. The edges are the same every time. Ends with 1 if the bound is not held.

import MetronomeCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

let edgesPerRun = 2_000_000
let leastEdgesPerSecond = 1_000_000.0

/// Processor time that a piece of work takes, in seconds: whatever else the machine does is not counted.
func seconds(of work: () -> Void) -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  let start = now()
  work()
  return now() - start
}

var failed = 0
for origins in [1, 4] {
  let edges = RandomEdges.make(edgesPerRun, origins: origins)
  var machine = GestureMachine<Command>(.standard, origins: origins)
  var (events, steps, settles) = (0, 0, 0)
  func count(_ event: GestureEvent<Command>) {
    events += 1
    steps += event.steps
  }
  // As the control loop does it: whatever is due first.
  let time = seconds {
    for edge in edges {
      while let deadline = machine.deadline, deadline < edge.instant {
        machine.settle(at: deadline, level: { _, _ in nil }, count)
        settles += 1
      }
      machine.take(edge, count)
    }
  }
  let late = seconds {
    var machine = GestureMachine<Command>(.standard, origins: origins)
    for edge in edges { machine.take(edge, count) }
  }
  for (name, time) in [("deadline by deadline", time), ("read late", late)] {
    let rate = Double(edges.count) / time
    let holds = rate >= leastEdgesPerSecond
    failed += holds ? 0 : 1
    let millions = Double((rate / 10_000).rounded()) / 100
    print(
      "\(origins * Button.allCases.count) contacts, \(name): \(edges.count) edges, \(millions) million a second",
      "(at least \(Int(leastEdgesPerSecond / 1_000_000))): \(holds ? "holds" : "FAILS")")
  }
  print("  \(events) events in \(steps) steps of both; \(settles) deadlines of the first")
}
exit(failed == 0 ? 0 : 1)
