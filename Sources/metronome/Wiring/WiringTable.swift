import HardwareAbstraction

/// A report of the wiring as it is printed.
struct WiringTable {
  private let report: WiringReport

  init(_ report: WiringReport) { self.report = report }

  func write(asJSON: Bool) throws {
    try OutputFile.print(asJSON ? json : table)
  }

  // MARK: For people

  private static let header = ["", "line", "BCM", "pin", "ground", "active", "bias", "what hangs on it"]

  private var table: String {
    let cells = [WiringTable.header] + report.rows.map(cells)
    let widths = WiringTable.header.indices.map { column in cells.map { $0[column].count }.max()! }
    let lines = cells.map { row in
      let padded = row.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return (2...4).contains(column) ? space + cell : cell + space
      }
      return trimmed(padded.joined(separator: "  ")) + "\n"
    }
    return lines.joined() + WiringTable.supplies + warnings
  }

  private func cells(_ row: WiringReport.Row) -> [String] {
    let bcm = row.pin == nil ? "?" : row.line.bcm.map(String.init) ?? "?"
    let pins = [row.pin, row.pin?.nearestGround].map { $0.map { String($0.number) } ?? "?" }
    return [row.role, row.line.description, bcm] + pins + [row.active.rawValue, row.bias?.rawValue ?? "", row.part]
  }

  private func trimmed(_ line: String) -> String {
    String(line[..<(line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.startIndex)])
  }

  private static var supplies: String {
    let pins = { (kind: HeaderPin.Kind) in
      HeaderPin.all.filter { $0.kind == kind }.map { String($0.number) }.joined(separator: ", ")
    }
    return "\nground: pins \(pins(.ground)); 3.3 V: \(pins(.supply3V3)); 5 V, never to a GPIO: \(pins(.supply5V))\n"
  }

  private var warnings: String {
    report.warnings.isEmpty ? "" : "\n" + report.warnings.map { "warning: \($0)\n" }.joined()
  }

  // MARK: For programs

  private var json: String {
    let rows = report.rows.map(object).joined(separator: ",")
    let warnings = report.warnings.map(quoted).joined(separator: ",")
    return "{\"lines\":[\(rows)],\"warnings\":[\(warnings)]}\n"
  }

  private func object(_ row: WiringReport.Row) -> String {
    let number = { (value: Int?) in value.map(String.init) ?? "null" }
    let fields = [
      "\"role\":" + quoted(row.role), "\"kind\":" + quoted(row.isOutput ? "output" : "button"),
      "\"line\":" + WiringTable.line(row.line), "\"bcm\":" + number(row.pin == nil ? nil : row.line.bcm),
      "\"pin\":" + number(row.pin?.number), "\"ground\":" + number(row.pin?.nearestGround.number),
      "\"active\":" + quoted(row.active.rawValue), "\"bias\":" + (row.bias.map { quoted($0.rawValue) } ?? "null"),
      "\"part\":" + quoted(row.part),
    ]
    return "{\(fields.joined(separator: ","))}"
  }

  /// A name in quotes, an offset as a number.
  private static func line(_ line: LineID) -> String {
    switch line {
    case .name(let name): quoted(name)
    case .offset(let offset): String(offset)
    }
  }

  private func quoted(_ text: String) -> String { WiringTable.quoted(text) }

  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
      guard scalar.value < 0x20 else { return String(scalar) }
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return "\"\(escaped.joined())\""
  }
}
