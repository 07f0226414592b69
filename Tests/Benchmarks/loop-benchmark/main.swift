// What the loops of the beat thread and the audio thread cost, what their figures add, and that they neither allocate nor
// count references in steady state: printed as tables, and held against what is allowed.
//
// Usage: loop-benchmark [--figures FILE]. Some of it is written at the end of the file, too. Ends with 1 if a line does not
// hold.

import Foundation

let arguments = CommandLine.arguments.dropFirst()
guard arguments.isEmpty || (arguments.count == 2 && arguments.first == "--figures") else {
  print("Usage: loop-benchmark [--figures FILE]")
  exit(64)
}
let figures = FigureFile(path: arguments.last)
let failed = LoopSections.run(figures) + FigureSection.run()
try figures.write()
print(failed == 0 ? "All lines hold." : "\(failed) lines do not hold.")
exit(failed == 0 ? 0 : 1)
