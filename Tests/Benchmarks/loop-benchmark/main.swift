// What the loops of the beat thread and the audio thread cost, what their figures add, and that they neither allocate nor
// count references in steady state: printed as tables, and held against what is allowed.
//
// Usage: loop-benchmark. Ends with 1 if a line does not hold.

import Foundation

let failed = LoopSections.run() + FigureSection.run()
print(failed == 0 ? "All lines hold." : "\(failed) lines do not hold.")
exit(failed == 0 ? 0 : 1)
