import MetronomeCore

/// Findings as a person reads them.
public struct FindingTable: Sendable {
  private let isColoured: Bool

  /// - Parameter isColoured: with the codes that terminals make colours of.
  public init(isColoured: Bool = false) { self.isColoured = isColoured }

  /// All of them under their areas, and how many there are of each.
  public func text(_ findings: [Finding]) -> String {
    let width = findings.map(\.subject.count).max() ?? 0
    var lines: [String] = []
    for area in Finding.Area.allCases {
      let members = findings.filter { $0.area == area }
      guard !members.isEmpty else { continue }
      lines.append(area.rawValue)
      lines += members.flatMap { self.lines($0, width) }
    }
    return lines.joined(separator: "\n") + "\n" + summary(findings) + "\n"
  }

  /// One finding, as in the table.
  public func lines(_ finding: Finding, _ width: Int) -> [String] {
    let state = padded(FindingTable.word(finding.state), 8)
    let subject = padded(shownName(finding.subject), width)
    var lines = ["  \(coloured(state, finding.state))  \(subject)  \(shownName(finding.text))"]
    if let remedy = finding.remedy { lines.append("            → \(shownName(remedy))") }
    return lines
  }

  private func summary(_ findings: [Finding]) -> String {
    [Finding.State.right, .doubtful, .wrong].map { "\(findings.count($0)) \($0.rawValue)" }.joined(separator: ", ")
  }

  private static func word(_ state: Finding.State) -> String {
    switch state {
    case .absent: "–"
    case .right: "right"
    case .doubtful: "doubtful"
    case .wrong: "WRONG"
    }
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private func coloured(_ text: String, _ state: Finding.State) -> String {
    guard isColoured else { return text }
    let code =
      switch state {
      case .absent: "2"
      case .right: "32"
      case .doubtful: "33"
      case .wrong: "1;31"
      }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }
}
