import Foundation
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import Testing
import Yams

/// Which line has which pins, wherever it is written: in wiring/pins.yaml, in the code, in the configuration that the
/// program prints, and in the READMEs.
@Suite struct PinsTests {
  private struct Place: Hashable, Decodable, CustomStringConvertible {
    var bcm: Int
    var pin: Int

    var description: String { "GPIO\(bcm) on pin \(pin)" }
  }

  private struct Line: Decodable {
    var bcm: Int
    var pin: Int
    var ground: Int
    var active: String
    var bias: String?

    var place: Place { Place(bcm: bcm, pin: pin) }
  }

  private struct Pins: Decodable {
    struct Supply: Decodable {
      var name: String
      var pin: Int
    }
    var outputs: [String: Line]
    var buttons: [String: Line]
    var supplies: [String: Supply]

    var lines: [String: Line] { outputs.merging(buttons) { first, _ in first } }
  }

  private let pins: Pins
  private var places: [String: Place] { pins.lines.mapValues(\.place) }

  init() throws { pins = try YAMLDecoder().decode(Pins.self, from: try PinsTests.text("wiring/pins.yaml")) }

  /// A file of the repository.
  private static func text(_ path: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The pins of a wiring, as the header has them.
  private func places(of wiring: Wiring) -> [String: Place] {
    var found: [String: Place] = [:]
    for (output, wired) in wiring.outputs { found[output.rawValue] = place(of: wired.line) }
    for (button, wired) in wiring.buttons { found[button.rawValue] = place(of: wired.line) }
    return found
  }

  private func place(of line: LineID) -> Place? {
    guard let bcm = line.bcm, let pin = HeaderPin(bcm: bcm) else { return nil }
    return Place(bcm: bcm, pin: pin.number)
  }

  @Test func theCodeHasThem() {
    let standard = Wiring.standard
    #expect(places(of: standard) == places)
    #expect(standard.outputs.count == pins.outputs.count && standard.buttons.count == pins.buttons.count)
    for (output, wired) in standard.outputs { #expect(wired.active.rawValue == pins.outputs[output.rawValue]?.active) }
    for (button, wired) in standard.buttons {
      #expect(wired.active.rawValue == pins.buttons[button.rawValue]?.active)
      #expect(wired.bias.rawValue == pins.buttons[button.rawValue]?.bias)
    }
  }

  @Test func theGroundsAreNear() {
    for (role, line) in pins.lines { #expect(HeaderPin(bcm: line.bcm)?.nearestGround.number == line.ground, "\(role)") }
  }

  @Test func theSuppliesAreThere() {
    let kinds: [String: HeaderPin.Kind] = ["GND": .ground, "5 V": .supply5V, "3.3 V": .supply3V3]
    for supply in pins.supplies.values { #expect(HeaderPin.all[supply.pin - 1].kind == kinds[supply.name]) }
  }

  /// Read as any YAML, not by the program's own reader.
  @Test func thePrintedConfigurationHasThem() throws {
    struct Printed: Decodable {
      struct User: Decodable { var line: String }
      var outputs: [String: User]
      var buttons: [String: User]
    }
    let printed = try YAMLDecoder().decode(Printed.self, from: Configuration.standard.yaml)
    let users = printed.outputs.merging(printed.buttons) { first, _ in first }
    #expect(users.mapValues(\.line).filter { $0.value != "none" } == places.mapValues { "GPIO\($0.bcm)" })
  }

  @Test func theGuideHasThem() throws {
    let rows = try PinsTests.rows(of: "wiring/README.md", under: "| button or output | BCM | pin | part | value |")
    var found: [String: Place] = [:]
    for row in rows {
      guard let bcm = Int(row[1]), let pin = Int(row[2]) else { continue }
      found[row[0]] = Place(bcm: bcm, pin: pin)
    }
    #expect(found == places)
  }

  @Test func theReadmeHasThem() throws {
    let rows = try PinsTests.rows(of: "README.md", under: "| | BCM line | pin | |")
    var found: [String: Place] = [:]
    for row in rows {
      let columns = row.prefix(3).map { $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }
      for (role, (name, pin)) in zip(columns[0], zip(columns[1], columns[2])) {
        found[role] = LineID.name(name).bcm.flatMap { bcm in Int(pin).map { Place(bcm: bcm, pin: $0) } }
      }
    }
    #expect(found == places)
  }

  /// The cells of a table, without its head.
  private static func rows(of path: String, under head: String) throws -> [[String]] {
    let lines = try text(path).split(separator: "\n", omittingEmptySubsequences: false)
    let table = lines.drop { $0 != head }.dropFirst(2).prefix { $0.hasPrefix("|") }
    return table.map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }
}
