import HardwareAbstraction
import MetronomeCore

extension ConfigurationReader {
  mutating func readButton(_ button: Field<Button>) throws(Problem) {
    let standard = configuration.wiring.buttons[button.key]
    var line = standard?.line
    var active: Polarity?
    var bias: Bias?
    for field in try button.fields(ButtonKey.self) {
      if field.key == .long || field.key == .repetition {
        holdPositions[button.key, default: [:]][field.key] = field.valuePosition
      }
      switch field.key {
      case .line:
        line = try field.line()
        buttonPositions[button.key] = line == nil ? nil : field.valuePosition
      case .active: active = try field.word()
      case .bias: bias = try field.word()
      case .short: configuration.bindings.buttons[button.key, default: .init()].short = try field.command()
      case .long: configuration.bindings.buttons[button.key, default: .init()].long = try field.command()
      case .repetition: configuration.bindings.buttons[button.key, default: .init()].repetition = try field.command()
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

  /// Refuses the first button of the file that has a command both for a long press and for repetitions.
  func checkHolds() throws(Problem) {
    let problems = configuration.bindings.buttons.compactMap { problem(ofHolding: $0.key, $0.value) }
    if let first = problems.min(by: { $0.position < $1.position }) { throw first.problem }
  }

  private func problem(
    ofHolding button: Button, _ gestures: Bindings.Gestures
  ) -> (position: Position, problem: Problem)? {
    guard let long = gestures.long?.words, let repetition = gestures.repetition?.words,
      let positions = holdPositions[button], let position = positions.values.max()
    else { return nil }
    let what = "buttons.\(button.rawValue) cannot have both long and repeat"
    guard positions.count == 1 else {
      return (position, Problem(what, remedy: "keep one of the two, or give one \"none\"", at: position))
    }
    let (other, words) = positions[.long] == nil ? ("long", long) : ("repeat", repetition)
    return (
      position,
      Problem("\(what), and has \"\(other): \(words)\" by default", remedy: "add \"\(other): none\"", at: position)
    )
  }
}
