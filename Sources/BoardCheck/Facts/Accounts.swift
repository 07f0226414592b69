/// The names of users and groups, and who is in which.
struct Accounts {
  private let users: [[Substring]]
  private let groups: [[Substring]]

  init(_ files: FileTree) {
    func entries(_ path: String) -> [[Substring]] {
      (files.text(path) ?? "").lines.map { $0.split(separator: ":", omittingEmptySubsequences: false) }
    }
    users = entries("/etc/passwd").filter { $0.count >= 4 }
    groups = entries("/etc/group").filter { $0.count >= 4 }
  }

  /// A user's name, or its number if it has none.
  func userName(_ id: UInt32) -> String { users.first { $0[2] == "\(id)" }.map { String($0[0]) } ?? "\(id)" }

  func groupName(_ id: UInt32) -> String { groups.first { $0[2] == "\(id)" }.map { String($0[0]) } ?? "\(id)" }

  func userNumber(_ name: String) -> UInt32? {
    UInt32(name) ?? users.first { $0[0] == name }.flatMap { UInt32($0[2]) }
  }

  /// The groups that a user is in, by name.
  func groups(of user: String) -> Set<String> {
    let primary = users.first { $0[0] == user }.flatMap { UInt32($0[3]) }.map(groupName)
    let others = groups.filter { $0[3].split(separator: ",").contains(Substring(user)) }.map { String($0[0]) }
    return Set(others + [primary].compactMap(\.self))
  }
}
