import Foundation

/// The seeds of random searches and property tests.
///
/// By default the tests use a few seeds, so that they end soon. They use all seeds if `METRONOME_THOROUGH` is set, as in
/// `.ci/run`.
public enum Seeds {
  /// Whether `METRONOME_THOROUGH` is set and not empty.
  public static let isThorough = ProcessInfo.processInfo.environment["METRONOME_THOROUGH"]?.isEmpty == false

  /// The number of times to repeat a search.
  public static func count(few: Int, full: Int) -> Int { isThorough ? full : few }

  /// Returns `count` of the arguments, evenly spread, or all arguments.
  public static func few<Argument>(_ count: Int, of all: [Argument]) -> [Argument] {
    isThorough ? all : (0..<count).map { all[$0 * all.count / count] }
  }

  /// Returns `count` of the seeds from 0 to `full` - 1, evenly spread, or all these seeds.
  public static func few(_ count: Int, of full: UInt64) -> [UInt64] { few(count, of: [UInt64](0..<full)) }
}
