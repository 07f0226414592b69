import MetronomeCore

/// What is wrong with a configuration file, for the person who wrote it. Only the first problem is told.
public struct ConfigurationError: Error, Hashable, Sendable {
  public var file: String
  /// Counted from 1; nil where it is the file as a whole.
  public var line: Int?
  /// Counted from 1, one for each Unicode scalar; nil where it is the file as a whole.
  public var column: Int?
  /// What is wrong.
  public var problem: String
  /// What would be right.
  public var remedy: String

  init(file: String, _ problem: Problem) {
    self.file = file
    line = problem.position?.line
    column = problem.position?.column
    self.problem = problem.what
    remedy = problem.remedy
  }
}

extension ConfigurationError: CustomStringConvertible {
  /// One line: `FILE:LINE:COLUMN: what is wrong; what would be right`.
  public var description: String { "\(fault); \(remedy)" }

  /// What is wrong, and where: `FILE:LINE:COLUMN: what is wrong`.
  public var fault: String {
    let name = shownName(file)
    guard let line, let column else { return "\(name): \(problem)" }
    return "\(name):\(line):\(column): \(problem)"
  }
}
