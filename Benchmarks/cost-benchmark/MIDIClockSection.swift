import ClockTrials

/// The accuracy of the estimate of a received MIDI clock, compared with other programs' formulas on the same clocks.
enum MIDIClockSection {
  private static let seeds: UInt64 = 20

  /// Prints the table; returns how many lines exceed their bound.
  static func run(seed: UInt64) -> Int {
    print("MIDI clock: 120 BPM, \(seeds) seeds from \(seed), errors of a beat half a beat ahead in µs, rms / largest")
    print()
    var table = Table(["clocks of", "Ardour's coefficient", "mean of 24", "1 Hz loop", "follower", "allowed", ""])
    var failed = 0
    for jitter in MIDIJitter.allCases {
      let figures = MIDIClockTrial.Estimator.allCases.map { estimator in
        MIDIClockTrial.errors(of: estimator, with: jitter, seeds: (0..<seeds).map { seed &* 1_000 &+ $0 })
      }
      let holds = figures[3].isWithin(jitter.allowed)
      failed += holds ? 0 : 1
      table.add([jitter.rawValue] + (figures + [jitter.allowed]).map(text) + [holds ? "holds" : "FAILS"])
    }
    table.print()
    print()
    print("Jumps to 0.3 to 3 times the tempo: beats until they are in step, typical / worst of 200")
    print()
    var jumps = Table(["clocks of", "beats", "allowed", ""])
    for jitter in [MIDIJitter.hardware, .usb, .grid] {
      let beats = TempoJumpTrial.beats(with: jitter, seeds: (0..<200).map { seed &* 1_000 &+ $0 })
      let holds = beats[199] <= 2
      failed += holds ? 0 : 1
      jumps.add([jitter.rawValue, "\(beats[100]) / \(beats[199])", "2", holds ? "holds" : "FAILS"])
    }
    jumps.print()
    print()
    return failed
  }

  private static func text(_ errors: MIDIClockTrial.Errors) -> String {
    "\(errors.rms.text(0)) / \(errors.worst.text(0))"
  }
}
