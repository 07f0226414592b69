import MetronomeCore

/// Findings as programs read them.
///
/// One object: `version` (1), `state` (`right`, `doubtful` or `wrong`: the worst), `exit` (0, 1 or 2), `findings`: objects
/// with `area` and `subject`, which stay the same from run to run, `state` (also `absent`: this machine has no such thing,
/// and need not), `text`, `remedy` (null where there is nothing to mend), and `figures`, an object of numbers whose names end
/// with their units: `drift_ppm`. Keys may be added; those there are stay.
public enum FindingJSON {
  public static func text(_ findings: [Finding]) -> String {
    let objects = findings.map { "    " + object($0) }.joined(separator: ",\n")
    return """
      {
        "version": 1,
        "state": \(quoted(findings.state.rawValue)),
        "exit": \(findings.exitCode),
        "findings": [
      \(objects)
        ]
      }

      """
  }

  private static func object(_ finding: Finding) -> String {
    let members = [
      ("area", quoted(finding.area.rawValue)), ("subject", quoted(finding.subject)),
      ("state", quoted(finding.state.rawValue)), ("text", quoted(finding.text)),
      ("remedy", finding.remedy.map(quoted) ?? "null"), ("figures", figures(finding.figures)),
    ]
    return "{" + members.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
  }

  private static func figures(_ figures: [Finding.Figure]) -> String {
    "{" + figures.map { "\(quoted($0.name)): \(number($0.thousandths))" }.joined(separator: ", ") + "}"
  }

  private static func number(_ thousandths: Int) -> String {
    (thousandths < 0 ? "-" : "") + decimal(thousandths: abs(thousandths))
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.unicodeScalars.map(escaped).joined() + "\""
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"", "\\": return "\\\(scalar)"
    case _ where scalar.value < 0x20 || scalar.value == 0x7F:
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: return String(Character(scalar))
    }
  }
}
