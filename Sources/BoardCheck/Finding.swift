import MetronomeCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One checked subject and its verdict.
public struct Finding: Hashable, Sendable {
  /// The areas of a report, in the order in which they are printed.
  public enum Area: String, Hashable, Sendable, CaseIterable {
    case configuration, computer, rights, lines, sound, inputs, midi, state, service, trial
  }

  public var area: Area
  /// The checked subject, the same in every run: `governor`, `light`.
  public var subject: String
  public var verdict: Verdict

  public init(_ area: Area, _ subject: String, _ verdict: Verdict) {
    (self.area, self.subject, self.verdict) = (area, subject, verdict)
  }
}

/// The state of a subject, and the fix.
public struct Verdict: Hashable, Sendable {
  /// The states, in order of severity.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// This machine does not have the subject, and does not need it.
    case absent
    case right
    /// The box plays, but perhaps not well or not reliably.
    case doubtful
    /// A configured part does not work.
    case wrong
  }

  public private(set) var state: State
  public private(set) var text: String
  /// The command or the change that fixes the problem. It is never nil for `doubtful` and `wrong`, and nil otherwise.
  public private(set) var remedy: String?
  /// Numbers for programs; the text also contains them. Names end with their units: `drift_ppm`.
  public private(set) var figures: [String: Double] = [:]

  public static func absent(_ text: String) -> Verdict { Verdict(state: .absent, text: text) }

  public static func right(_ text: String, figures: [String: Double] = [:]) -> Verdict {
    Verdict(state: .right, text: text, figures: figures)
  }

  public static func doubtful(_ text: String, remedy: String, figures: [String: Double] = [:]) -> Verdict {
    Verdict(state: .doubtful, text: text, remedy: remedy, figures: figures)
  }

  public static func wrong(_ text: String, remedy: String, figures: [String: Double] = [:]) -> Verdict {
    Verdict(state: .wrong, text: text, remedy: remedy, figures: figures)
  }
}

extension [Finding] {
  /// Findings on the subjects of an area, in the order of `verdicts`; a nil verdict gives no finding.
  init(_ area: Finding.Area, _ verdicts: KeyValuePairs<String, Verdict?>) {
    self = verdicts.compactMap { subject, verdict in verdict.map { Finding(area, subject, $0) } }
  }

  /// The worst state of the findings; `right` if all findings are right or absent.
  public var state: Verdict.State { [.wrong, .doubtful].first { count($0) > 0 } ?? .right }

  /// 2 if a finding is wrong, else 1 if a finding is doubtful, else 0.
  public var exitCode: Int32 {
    switch state {
    case .absent, .right: 0
    case .doubtful: 1
    case .wrong: 2
    }
  }

  public func count(_ state: Verdict.State) -> Int { filter { $0.verdict.state == state }.count }
}

/// Findings in human-readable form.
public struct FindingTable: Sendable {
  private let isColored: Bool

  public init(isColored: Bool = false) { self.isColored = isColored }

  /// The findings, grouped by area, and the number of findings in each state.
  public func text(_ findings: [Finding]) -> String { areas(findings) + summary(findings) }

  /// The findings, grouped by area; empty without findings.
  public func areas(_ findings: [Finding]) -> String {
    let width = findings.map(\.subject.count).max() ?? 0
    let lines = Finding.Area.allCases.flatMap { area in
      let members = findings.filter { $0.area == area }
      return members.isEmpty ? [] : [area.rawValue] + members.flatMap { self.lines($0, width) }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// One finding, as in the table.
  public func lines(_ finding: Finding, _ width: Int) -> [String] {
    let verdict = finding.verdict
    let subject = padded(shownName(finding.subject), width)
    var lines = ["  \(word(verdict.state))  \(subject)  \(shownName(verdict.text))"]
    if let remedy = verdict.remedy { lines.append("            → \(shownName(remedy))") }
    return lines
  }

  /// The number of findings in each state, in one line.
  public func summary(_ findings: [Finding]) -> String {
    let counts = [Verdict.State.right, .doubtful, .wrong].map { "\(findings.count($0)) \($0.rawValue)" }
    return counts.joined(separator: ", ") + "\n"
  }

  private func word(_ state: Verdict.State) -> String {
    let (word, color) =
      switch state {
      case .absent: ("–", "2")
      case .right: ("right", "32")
      case .doubtful: ("doubtful", "33")
      case .wrong: ("WRONG", "1;31")
      }
    let text = padded(word, 8)
    return isColored ? "\u{1B}[\(color)m\(text)\u{1B}[0m" : text
  }

}

/// A text, padded with trailing spaces to a width.
package func padded(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - text.count))
}

/// Findings in machine-readable form.
///
/// One object with these keys:
/// - `version`: 1.
/// - `state`: the worst state: `right`, `doubtful` or `wrong`.
/// - `exit`: 0, 1 or 2.
/// - `findings`: objects with `area` and `subject`, which are the same in every run; `state`, which may also be `absent` (this
///   machine does not have the subject, and does not need it); `text`; `remedy`, which is null if there is nothing to fix; and
///   `figures`, an object of numbers whose names end with their units: `drift_ppm`.
///
/// New keys may be added; existing keys stay.
public struct FindingJSON: Encodable {
  private let version = 1
  private let state: String
  private let exit: Int32
  private let findings: [Finding]

  public static func text(_ findings: [Finding]) throws -> String {
    try json(FindingJSON(state: findings.state.rawValue, exit: findings.exitCode, findings: findings)) + "\n"
  }
}

/// A value as JSON on one line, without a final line feed, with sorted keys.
package func json(_ value: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return String(decoding: try encoder.encode(value), as: UTF8.self)
}

extension Finding: Encodable {
  private enum Key: CodingKey { case area, subject, state, text, remedy, figures }

  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(area.rawValue, forKey: .area)
    try object.encode(subject, forKey: .subject)
    try object.encode(verdict.state.rawValue, forKey: .state)
    try object.encode(verdict.text, forKey: .text)
    // A missing remedy is encoded as null. It is not omitted.
    try object.encode(verdict.remedy, forKey: .remedy)
    try object.encode(verdict.figures, forKey: .figures)
  }
}
