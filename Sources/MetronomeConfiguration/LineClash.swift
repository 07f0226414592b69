import HardwareAbstraction

/// Who uses which line, to notice a line that is used twice.
struct LineClash {
  /// An output or a button.
  struct User {
    /// Its section, as `outputs.light`.
    var path: String
    var line: LineID
    /// Where the file says so; nil where it is the default.
    var position: Position?
  }

  private var users: [User] = []

  mutating func add(_ user: User) { users.append(user) }

  /// Refuses the first line in the file that another user has already: one further up, or one that the file leaves where
  /// it is by default.
  func check() throws(Problem) {
    let defaults = users.filter { $0.position == nil }
    var earlier: [User] = []
    let written = users.compactMap { user in user.position.map { (user, $0) } }
    for (user, position) in written.sorted(by: { $0.1 < $1.1 }) {
      if let other = (earlier + defaults).first(where: { LineClash.isSame($0.line, user.line) }) {
        throw LineClash.problem(user, at: position, with: other)
      }
      earlier.append(user)
    }
  }

  private static func problem(_ user: User, at position: Position, with other: User) -> Problem {
    guard let place = other.position else {
      return Problem(
        "\(user.line) already belongs to \(other.path), by default",
        remedy: "choose another, or give \(other.path) another line or \"line: none\"", at: position)
    }
    return Problem(
      "\(user.line) already belongs to \(other.path), on line \(place.line) of the file",
      remedy: "choose another, or \"line: none\" for one of the two", at: position)
  }

  /// Whether two lines are one. On a Raspberry Pi `GPIO17` has the offset 17.
  private static func isSame(_ a: LineID, _ b: LineID) -> Bool {
    a == b || (a.bcm != nil && a.bcm == b.bcm)
  }
}
