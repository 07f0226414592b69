// How truly the card's clock is followed, in figures: printed as tables, and held against what they should be.
//
// Usage: sound-benchmark [--seed N]. The same seed gives the same figures on every machine. Ends with 1 if a line does not
// hold.

let options: Options
do {
  options = try Options(arguments: CommandLine.arguments.dropFirst())
} catch {
  print(error.description)
  exitProcess(64)
}

let failed = ClockSection.run(seed: options.seed)
print(failed == 0 ? "All lines hold." : "\(failed) lines do not hold.")
exitProcess(failed == 0 ? 0 : 1)
