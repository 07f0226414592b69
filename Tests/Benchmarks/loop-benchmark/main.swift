// Measures the cost of the loops of the beat thread and the audio thread and of counting their figures, and checks that they
// neither allocate nor count references in steady state. Prints tables with the bounds.
//
// Usage: loop-benchmark [--figures FILE]. Appends some of the figures to the file. Exits with 1 if a bound is exceeded.

import Foundation

let arguments = CommandLine.arguments.dropFirst()
guard arguments.isEmpty || (arguments.count == 2 && arguments.first == "--figures") else {
  print("Usage: loop-benchmark [--figures FILE]")
  exit(64)
}
let figures = FigureFile(path: arguments.last)
let failed = LoopSections.run(figures) + FigureSection.run()
try figures.write()
print(failed == 0 ? "All bounds are met." : "\(failed) bounds are exceeded.")
exit(failed == 0 ? 0 : 1)
