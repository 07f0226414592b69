import HardwareAbstraction
import MetronomeCore

extension ConfigurationReader {
  mutating func readButton(_ button: Field<Button>) throws(Problem) {
    let standard = configuration.wiring.buttons[button.key]
    var line = standard?.line
    var active: Polarity?
    var bias: Bias?
    for field in try button.fields(ButtonKey.self) {
      switch field.key {
      case .line:
        line = try field.line()
        buttonPositions[button.key] = line == nil ? nil : field.valuePosition
      case .active: active = try field.word()
      case .bias: bias = try field.word()
      case .short: gestures[.short(button.key)] = try field.bound()
      case .long: gestures[.long(button.key)] = try field.bound()
      case .repetition: gestures[.repeated(button.key)] = try field.bound()
      }
    }
    configuration.wiring.buttons[button.key] = line.map { line in
      var wiring = standard ?? ButtonWiring(line: line)
      wiring.line = line
      wiring.active = active ?? wiring.active
      wiring.bias = bias ?? wiring.bias
      return wiring
    }
  }
}
