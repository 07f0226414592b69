import HardwareAbstraction
import MetronomeConfiguration
import Testing

@Suite struct HeaderPinTests {
  @Test func headerHasTheStandardPins() {
    let inner = "3V3 2 3 4 GND 17 27 22 3V3 10 9 11 GND 0 5 6 13 19 26 GND"
    let outer = "5V 5V GND 14 15 18 GND 23 24 GND 25 8 7 1 GND 12 GND 16 20 21"
    let shown = HeaderPin.all.map { pin in
      switch pin.kind {
      case .supply3V3: "3V3"
      case .supply5V: "5V"
      case .ground: "GND"
      case .gpio(let bcm): String(bcm)
      }
    }
    let rows = [0, 1].map { row in stride(from: row, to: 40, by: 2).map { shown[$0] }.joined(separator: " ") }
    #expect(HeaderPin.all.map(\.number) == Array(1...40))
    #expect(rows == [inner, outer])
  }

  @Test func gpiosBeyondTheHeaderHaveNoPin() {
    #expect((0...27).allSatisfy { HeaderPin(bcm: $0)?.kind == .gpio($0) })
    #expect(HeaderPin(bcm: 28) == nil && HeaderPin(bcm: -1) == nil)
  }

  @Test(arguments: [
    ("GPIO0", 0), ("GPIO27", 27), ("GPIO40", 40), ("ID_SDA", 0), ("ID_SCL", 1), ("GPIO", nil), ("GPIO+5", nil),
    ("GPIO05", nil), ("GPIO-1", nil), ("gpio5", nil), ("GPIO5 ", nil), ("GPIO99999", nil), ("", nil),
  ])
  func lineNameGivesItsGPIONumber(name: String, bcm: Int?) {
    #expect(LineID.name(name).bcm == bcm)
  }
}
