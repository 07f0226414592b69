import ClockTrials

/// The accuracy of the clock map of a card, compared with other programs' formulas on the same readings.
enum ClockSection {
  private static let seeds = 12

  /// Prints the tables; returns how many lines exceed their bound.
  static func run(seed: UInt64) -> Int {
    print("Clock map: a card 60 ppm fast, \(seeds) seeds from \(seed), errors of the next click in µs")
    print()
    let trials = Noise.allCases.map { noise in (noise, runs { ClockTrial(noise: noise, seed: seed &* 1_000 &+ $0) }) }
    return errors(trials) + locks(trials) + slews(seed: seed)
  }

  private static func runs(_ trial: (UInt64) -> ClockTrial) -> [ClockTrial] { (0..<UInt64(seeds)).map(trial) }

  private static func errors(_ trials: [(Noise, [ClockTrial])]) -> Int {
    var table = Table([
      "largest error, 30–125 s, median", "JACK", "zita", "map", "ratio", "allowed", "",
    ])
    var failed = 0
    for (noise, runs) in trials {
      let figures = ClockTrial.Filter.allCases.map { filter in median(runs.map { $0.worst(filter) }) }
      let ratio = figures[2] / min(figures[0], figures[1])
      let holds = ratio <= noise.allowedShare
      failed += holds ? 0 : 1
      table.add(
        [noise.rawValue] + figures[0...2].map { $0.text(2) }
          + [ratio.text(3), noise.allowedShare.text(3), verdict(holds)])
    }
    table.print()
    print()
    return failed
  }

  private static func locks(_ trials: [(Noise, [ClockTrial])]) -> Int {
    var table = Table([
      "largest error from a time on, worst seed", "from", "JACK", "zita", "map", "allowed", "",
    ])
    var failed = 0
    for (noise, runs) in trials {
      let figures = ClockTrial.Filter.allCases.map { filter in
        runs.map { $0.worst(filter, from: noise.lockSpan) }.max() ?? 0
      }
      let holds = figures[2] <= noise.lockError
      failed += holds ? 0 : 1
      table.add(
        [noise.rawValue, "\(noise.lockSpan.text(0)) s"] + figures[0...2].map { $0.text(1) }
          + [noise.lockError.text(0), verdict(holds)])
    }
    table.print()
    print()
    return failed
  }

  private static func slews(seed: UInt64) -> Int {
    var table = Table(["error added by a slew of 100 s, worst seed", "JACK", "zita", "map", "allowed", ""])
    var failed = 0
    for ppm in [500.0, -500] {
      let pairs = (0..<UInt64(seeds)).map { index in
        let number = seed &* 1_000 &+ index
        return (
          ClockTrial(noise: .quiet, seed: number),
          ClockTrial(noise: .quiet, card: Card(slewPPM: ppm), seed: number)
        )
      }
      let figures = [ClockTrial.Filter.jack, .zita, .map].map { filter in
        pairs.map { calm, slewed in slewed.excess(filter, over: calm) }.max() ?? 0
      }
      let holds = figures[2] <= ClockTrial.allowedSlew
      failed += holds ? 0 : 1
      table.add(
        ["\(ppm.text(0)) ppm, quiet interrupts"] + figures.map { $0.text(1) }
          + [ClockTrial.allowedSlew.text(0), verdict(holds)])
    }
    table.print()
    print()
    return failed
  }

  private static func verdict(_ holds: Bool) -> String { holds ? "holds" : "FAILS" }

  private static func median(_ figures: [Double]) -> Double {
    let sorted = figures.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
