import Foundation

/// The seeds of random searches and property tests.
///
/// By default the tests use a few seeds, so that they end soon. With `METRONOME_THOROUGH` set to a percentage they use this share of the
/// others, too, as in `.ci/run`; with any other text they use all, as in `.ci/nightly`.
public enum Seeds {
  /// How many of the seeds besides the few are used, in percent.
  private static let share: Int = {
    let text = ProcessInfo.processInfo.environment["METRONOME_THOROUGH"] ?? ""
    return text.isEmpty ? 0 : min(max(Int(text) ?? 100, 0), 100)
  }()

  /// The number of times to repeat a search.
  public static func count(few: Int, full: Int) -> Int { few + (full - few) * share / 100 }

  /// Returns `count` of the arguments or more, evenly spread, or all arguments.
  public static func few<Argument>(_ count: Int, of all: [Argument]) -> [Argument] {
    let count = Seeds.count(few: count, full: all.count)
    return (0..<count).map { all[$0 * all.count / count] }
  }

  /// Returns `count` of the seeds from 0 to `full` - 1 or more, evenly spread, or all these seeds.
  public static func few(_ count: Int, of full: UInt64) -> [UInt64] { few(count, of: [UInt64](0..<full)) }
}
