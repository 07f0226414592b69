import Foundation

/// How much random searches and property tests search.
///
/// A few seeds while somebody waits for them; all with `METRONOME_THOROUGH` set, as `.ci/run` does.
public enum Seeds {
  public static let isThorough = ProcessInfo.processInfo.environment["METRONOME_THOROUGH"]?.isEmpty == false

  /// How often a search is repeated.
  public static func count(few: Int, full: Int) -> Int { isThorough ? full : few }

  /// So many of the arguments, evenly spread, or all of them.
  public static func few<Argument>(_ count: Int, of all: [Argument]) -> [Argument] {
    isThorough ? all : (0..<count).map { all[$0 * all.count / count] }
  }

  /// The same of the seeds from 0 on.
  public static func few(_ count: Int, of full: UInt64) -> [UInt64] { few(count, of: [UInt64](0..<full)) }
}
