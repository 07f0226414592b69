// Measures how accurately a card's clock and a MIDI clock are tracked. Prints tables with the bounds.
//
// Usage: sound-benchmark [--seed N]. The same seed gives the same figures on every machine. Exits with 1 if a bound is
// exceeded.

let options: Options
do {
  options = try Options(arguments: CommandLine.arguments.dropFirst())
} catch {
  print(error.description)
  exitProcess(64)
}

let failed = ClockSection.run(seed: options.seed) + MIDIClockSection.run(seed: options.seed)
print(failed == 0 ? "All bounds are met." : "\(failed) bounds are exceeded.")
exitProcess(failed == 0 ? 0 : 1)
