import Foundation
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import Testing

/// The pins of all lines must be the same in wiring/pins.yaml, in the code, in the configuration that the program prints, and
/// on the pages.
@Suite struct PinsTests {
  private struct Place: Hashable, CustomStringConvertible {
    var bcm: Int
    var pin: Int

    var description: String { "GPIO\(bcm) on pin \(pin)" }
  }

  private struct Line {
    var bcm: Int
    var pin: Int
    var ground: Int
    var active: String?
    var bias: String?

    init(_ keys: [String: String]) throws {
      bcm = try #require(keys["bcm"].flatMap { Int($0) })
      pin = try #require(keys["pin"].flatMap { Int($0) })
      ground = try #require(keys["ground"].flatMap { Int($0) })
      active = keys["active"]
      bias = keys["bias"]
    }

    var place: Place { Place(bcm: bcm, pin: pin) }
  }

  private let outputs: [String: Line]
  private let buttons: [String: Line]
  /// The supply pins: name and number.
  private let supplies: [(name: String?, pin: Int)]
  private var lines: [String: Line] { outputs.merging(buttons) { first, _ in first } }
  private var places: [String: Place] { lines.mapValues(\.place) }

  init() throws {
    // The section `parts` uses YAML anchors, which the configuration's reader refuses.
    let text = try PinsTests.text("wiring/pins.yaml").components(separatedBy: "\nparts:")[0]
    let pins = try PinsTests.sections(of: text)
    outputs = try #require(pins["outputs"]).mapValues(Line.init)
    buttons = try #require(pins["buttons"]).mapValues(Line.init)
    supplies = try #require(pins["supplies"]).values.map {
      (name: $0["name"], pin: try #require($0["pin"].flatMap { Int($0) }))
    }
  }

  /// Reads a document of sections that contain sections of scalars. Entries of another shape are skipped.
  private static func sections(of yaml: String) throws -> [String: [String: [String: String]]] {
    let root = try YAMLReader.root(of: Array(yaml.utf8), file: "pins")
    return dictionary(root).mapValues { dictionary($0).mapValues { dictionary($0).compactMapValues(\.text) } }
  }

  private static func dictionary(_ node: Node?) -> [String: Node] {
    guard case .section(let entries) = node?.content else { return [:] }
    return Dictionary(uniqueKeysWithValues: entries.map { ($0.key.text ?? "", $0.value) })
  }

  /// The text of a file of the repository.
  private static func text(_ path: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The header pins of a wiring.
  private func places(of wiring: Wiring) -> [String: Place] {
    var found: [String: Place] = [:]
    for (output, wired) in wiring.outputs { found[wiring.names[output]] = place(of: wired.line) }
    for (button, wired) in wiring.buttons { found[wiring.names[button]] = place(of: wired.line) }
    return found
  }

  private func place(of line: LineID) -> Place? {
    guard let bcm = line.bcm, let pin = HeaderPin(bcm: bcm) else { return nil }
    return Place(bcm: bcm, pin: pin.number)
  }

  @Test func codeHasTheDocumentedPins() {
    let standard = Wiring.standard
    #expect(places(of: standard) == places)
    #expect(standard.outputs.count == outputs.count && standard.buttons.count == buttons.count)
    for (output, wired) in standard.outputs {
      #expect(wired.active.rawValue == outputs[standard.names[output]]?.active)
    }
    for (button, wired) in standard.buttons {
      #expect(wired.active.rawValue == buttons[standard.names[button]]?.active)
      #expect(wired.bias.rawValue == buttons[standard.names[button]]?.bias)
    }
  }

  @Test func nearestGroundsAreListed() {
    for (role, line) in lines { #expect(HeaderPin(bcm: line.bcm)?.nearestGround.number == line.ground, "\(role)") }
  }

  @Test func supplyPinsMatchTheHeader() {
    let kinds: [String: HeaderPin.Kind] = ["GND": .ground, "5 V": .supply5V, "3.3 V": .supply3V3]
    for supply in supplies { #expect(HeaderPin.all[supply.pin - 1].kind == supply.name.flatMap { kinds[$0] }) }
  }

  /// Reads the printed text as plain YAML, not as a configuration.
  @Test func printedConfigurationHasTheDocumentedPins() throws {
    let printed = try PinsTests.sections(of: Configuration.standard.yaml)
    let users = [printed["outputs"], printed["buttons"]].compactMap { $0 }.joined()
    let lines = Dictionary(uniqueKeysWithValues: users.map { ($0.key, $0.value["line"]) })
    #expect(lines.filter { $0.value != "none" } == places.mapValues { "GPIO\($0.bcm)" })
  }

  @Test func wiringGuideHasTheDocumentedPins() throws {
    let rows = try PinsTests.rows(of: "wiring/README.md", under: "| button or output | BCM | pin | part | value |")
    var found: [String: Place] = [:]
    for row in rows {
      guard let bcm = Int(row[1]), let pin = Int(row[2]) else { continue }
      found[row[0]] = Place(bcm: bcm, pin: pin)
    }
    #expect(found == places)
  }

  @Test func boxPageHasTheDocumentedPins() throws {
    let rows = try PinsTests.rows(of: "Documentation/Box.md", under: "| | BCM line | pin | |")
    var found: [String: Place] = [:]
    for row in rows {
      let columns = row.prefix(3).map { $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }
      for (role, (name, pin)) in zip(columns[0], zip(columns[1], columns[2])) {
        found[role] = LineID.name(name).bcm.flatMap { bcm in Int(pin).map { Place(bcm: bcm, pin: $0) } }
      }
    }
    #expect(found == places)
  }

  /// The button begins at the denominator of the default signature, and wraps.
  @Test func boxPageListsTheNoteValuesOfTheDenominatorButton() throws {
    let rows = try PinsTests.rows(of: "Documentation/Box.md", under: "| | BCM line | pin | |")
    let text = rows.first { $0[0] == "denominator" }?[3] ?? ""
    let listed = text.drop { $0 != ":" }.prefix { $0 != ";" }.split { !$0.isNumber }.compactMap { Int($0) }
    let standard = Configuration.standard
    let denominators = standard.numeratorLimit.denominators
    let start = try #require(denominators.firstIndex(of: standard.signature.denominator))
    #expect(listed == Array(denominators[start...] + denominators[..<start]))
  }

  /// The cells of a table, without its head rows.
  private static func rows(of path: String, under head: String) throws -> [[String]] {
    let lines = try text(path).split(separator: "\n", omittingEmptySubsequences: false)
    let table = lines.drop { $0 != head }.dropFirst(2).prefix { $0.hasPrefix("|") }
    return table.map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }
}

extension Node {
  fileprivate var text: String? {
    switch content {
    case .scalar(let scalar): scalar.text
    case .section, .list: nil
    }
  }
}
