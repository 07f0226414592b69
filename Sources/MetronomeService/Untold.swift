/// What the service manager has not been told yet because it takes no more for now: of each assignment the newest.
///
/// What is lost on the way to it would be lost for good: a box that said once that it is ready would never be.
public struct Untold: Hashable, Sendable {
  /// In the order in which it is to be told, as `READY=1`.
  public private(set) var news: [String] = []

  public init() {}

  /// Takes in what is to be told, too.
  public mutating func add(_ more: [String]) {
    for assignment in more {
      news.removeAll { Untold.name(of: $0) == Untold.name(of: assignment) }
      news.append(assignment)
    }
  }

  /// All of it is told.
  public mutating func clear() { news.removeAll() }

  private static func name(of assignment: String) -> Substring { assignment.prefix { $0 != "=" } }
}
