// What the sound is made of, in figures: printed as tables, and held against what they should be.
//
// Usage: sound-benchmark [--seed N]. The same seed gives the same figures of the clock on every machine; what playing
// costs depends on the machine. Ends with 1 if a line does not hold.

let options: Options
do {
  options = try Options(arguments: CommandLine.arguments.dropFirst())
} catch {
  print(error.description)
  exitProcess(64)
}

let sections = [ClockSection.run(seed: options.seed), CostSection.run(), FigureSection.run()]
let failed = sections.reduce(0) { $0 + $1 }
print(failed == 0 ? "All lines hold." : "\(failed) lines do not hold.")
exitProcess(failed == 0 ? 0 : 1)
