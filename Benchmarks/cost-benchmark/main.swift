// Measures the cost of the loops of the beat thread and the audio thread and of counting their figures, and checks that they
// neither allocate nor count references in steady state (`loops`); how many edges per second the gesture machine processes
// (`gestures`); how accurately a card's clock and a MIDI clock are tracked (`clocks`). Prints tables with the bounds.
//
// Usage: cost-benchmark loops [--figures FILE] | gestures | clocks [--seed N]
//
// Some of the figures of the loops are appended to the file. The same seed gives the same figures of the clocks on every
// machine. Exits with 1 if a bound is exceeded.

import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
var failed = 0
switch (arguments.first, arguments.count, arguments.dropFirst().first) {
case ("loops", 1, nil), ("loops", 3, "--figures"):
  let figures = FigureFile(path: arguments.count == 3 ? arguments[2] : nil)
  failed = LoopSections.run(figures) + FigureSection.run()
  try figures.write()
case ("gestures", 1, nil):
  failed = GestureSection.run()
case ("clocks", 1, nil):
  failed = clocks(seed: 1)
case ("clocks", 3, "--seed") where UInt64(arguments[2]) != nil:
  failed = clocks(seed: UInt64(arguments[2]) ?? 1)
default:
  print("Usage: cost-benchmark loops [--figures FILE] | gestures | clocks [--seed N]; N is a non-negative integer")
  exit(64)
}
print(failed == 0 ? "All bounds are met." : "\(failed) bounds are exceeded.")
exit(failed == 0 ? 0 : 1)

func clocks(seed: UInt64) -> Int { ClockSection.run(seed: seed) + MIDIClockSection.run(seed: seed) }
