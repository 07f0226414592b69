import MetronomeCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One thing that was looked at, and what to think of it.
public struct Finding: Hashable, Sendable {
  /// What it is about, in the order in which it is told.
  public enum Area: String, Hashable, Sendable, CaseIterable {
    case configuration
    case computer
    case rights
    case lines
    case sound
    case inputs
    case state
    case service
    case trial
  }

  /// The worse the later.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// This machine has no such thing, and need not have it.
    case absent
    case right
    /// The box plays, but perhaps not as it could, or not for ever.
    case doubtful
    /// Something that was asked for does not work.
    case wrong
  }

  /// A number for programs; the text has it in words.
  public struct Figure: Hashable, Sendable {
    /// With its unit last: `drift_ppm`.
    public var name: String
    /// In thousandths.
    public var thousandths: Int

    public init(_ name: String, thousandths: Int) {
      self.name = name
      self.thousandths = thousandths
    }

    public init(_ name: String, _ value: Int) { self.init(name, thousandths: value * 1_000) }
  }

  public var area: Area
  /// What was looked at, alike from run to run: `governor`, `light`.
  public var subject: String
  public var state: State
  public var text: String
  /// The command or the change that mends it; nil where there is nothing to mend, never for what is doubtful or wrong.
  public var remedy: String?
  public var figures: [Figure]

  private init(
    _ area: Area, _ subject: String, _ state: State, _ text: String, remedy: String? = nil, figures: [Figure] = []
  ) {
    self.area = area
    self.subject = subject
    self.state = state
    self.text = text
    self.remedy = remedy
    self.figures = figures
  }

  public static func absent(_ area: Area, _ subject: String, _ text: String) -> Finding {
    Finding(area, subject, .absent, text)
  }

  public static func right(_ area: Area, _ subject: String, _ text: String, figures: [Figure] = []) -> Finding {
    Finding(area, subject, .right, text, figures: figures)
  }

  public static func doubtful(
    _ area: Area, _ subject: String, _ text: String, remedy: String, figures: [Figure] = []
  ) -> Finding {
    Finding(area, subject, .doubtful, text, remedy: remedy, figures: figures)
  }

  public static func wrong(
    _ area: Area, _ subject: String, _ text: String, remedy: String, figures: [Figure] = []
  ) -> Finding {
    Finding(area, subject, .wrong, text, remedy: remedy, figures: figures)
  }
}

/// How bad it is, all in all.
extension [Finding] {
  /// The worst state among them, at least `right`.
  public var state: Finding.State {
    for state in [Finding.State.wrong, .doubtful] where contains(where: { $0.state == state }) { return state }
    return .right
  }

  /// 0, 1 for something doubtful, 2 for something wrong.
  public var exitCode: Int32 {
    switch state {
    case .absent, .right: 0
    case .doubtful: 1
    case .wrong: 2
    }
  }

  /// How many are in a state.
  public func count(_ state: Finding.State) -> Int { filter { $0.state == state }.count }
}

extension BoardFacts {
  /// All that is to be said, in the order of the areas.
  public var findings: [Finding] {
    configurationFindings + computerFindings + clockFindings + rightsFindings + lineFindings + soundFindings
      + inputFindings + stateFindings + serviceFindings
  }
}

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

/// Findings as programs read them.
///
/// One object: `version` (1), `state` (`right`, `doubtful` or `wrong`: the worst), `exit` (0, 1 or 2), `findings`: objects
/// with `area` and `subject`, which stay the same from run to run, `state` (also `absent`: this machine has no such thing,
/// and does not need it), `text`, `remedy` (null where there is nothing to fix), and `figures`, an object of numbers whose
/// names end with their units: `drift_ppm`. Keys may be added; existing ones stay.
public struct FindingJSON: Encodable {
  private let version = 1
  private let state: String
  private let exit: Int32
  private let findings: [Finding]

  public static func text(_ findings: [Finding]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let report = FindingJSON(state: findings.state.rawValue, exit: findings.exitCode, findings: findings)
    return String(decoding: try encoder.encode(report), as: UTF8.self) + "\n"
  }
}

extension Finding: Encodable {
  private enum Key: CodingKey {
    case area, subject, state, text, remedy, figures
  }

  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(area.rawValue, forKey: .area)
    try object.encode(subject, forKey: .subject)
    try object.encode(state.rawValue, forKey: .state)
    try object.encode(text, forKey: .text)
    // Not left out where there is none.
    try object.encode(remedy, forKey: .remedy)
    let numbers = figures.map { ($0.name, Double($0.thousandths) / 1_000) }
    try object.encode(Dictionary(numbers, uniquingKeysWith: { $1 }), forKey: .figures)
  }
}
