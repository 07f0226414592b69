import BoardSimulation
import MetronomeCore

/// A source whose song goes on at 0.3 to 3 times the tempo, at any clock: how many beats a metronome without sound plays until it is
/// in step again.
public enum TempoJumpTrial {
  /// A beat in step is this near to that of the source, apart from the mean delay of its clocks.
  private static let inStep = 2_000_000.0

  /// The beats after the jump until all are in step, for each seed, in order of size.
  public static func beats(with jitter: MIDIJitter, seeds: some Sequence<UInt64>) -> [Int] {
    seeds.map { beats(with: jitter, seed: $0) }.sorted()
  }

  private static func beats(with jitter: MIDIJitter, seed: UInt64) -> Int {
    var random = SeededRandom(seed: seed)
    let tempo = 60 + 120 * random.unit()
    let factor = 0.3 + 0.7 * random.unit()
    let jump = 24 * 8 + Int(24 * random.unit())
    let before = 2.5e9 / tempo
    let after = random.unit() < 0.5 ? before * factor : before / factor
    var (dues, arrivals): ([Double], [Int64]) = ([], [])
    var (due, late) = (1e9, 0.0)
    for clock in 0..<jump + 24 * 10 {
      let arrival = Int64(due) + jitter.late(Int64(due), &random)
      arrivals.append(max(arrival, arrivals.last ?? 0))
      dues.append(due)
      late += Double(arrivals[clock]) - due
      due += clock < jump ? before : after
    }
    let mean = late / Double(dues.count)
    let played = played(arrivals)
    let first = jump / 24 + 1
    var off = 0
    for beat in first..<played.count where abs(played[beat] - dues[beat * 24] - mean) > inStep {
      off = beat - first + 1
    }
    return off
  }

  /// The instants of the beats, with a lead of a millisecond.
  private static func played(_ arrivals: [Int64]) -> [Double] {
    var metronome = Metronome()
    metronome.use(SourceOptions(hasTransport: true))
    var follower = ClockFollower()
    _ = follower.receive(ClockMessage(.start, at: .zero))
    var played: [Double] = []
    for arrival in arrivals {
      let now = Instant(nanoseconds: arrival)
      while let beat = metronome.timeline.beat(Int64(played.count)), beat.instant <= now {
        played.append(Double(beat.instant.nanoseconds))
      }
      guard let seen = follower.receive(ClockMessage(.clock, at: now)) else { continue }
      let effective = now + .milliseconds(1)
      metronome.follow(seen, effective: effective, soonest: effective, now: now)
    }
    return played
  }
}
