import MetronomeCore

/// What a gesture is to do, and where the file says so.
struct Bound {
  /// nil: nothing.
  var command: Command?
  var position: Position
}

extension Field {
  /// A command in words, and where it stands.
  func bound() throws(Problem) -> Bound { Bound(command: try command(), position: valuePosition) }
}

extension ConfigurationReader {
  /// Takes over what the file says of gestures. To be called when all else is read.
  mutating func bindGestures() throws(Problem) {
    for (button, position) in holds { try checkHolds(of: button, at: position) }
    for (pair, position) in chords { try checkChord(pair, at: position) }
    // What a button is no longer for first: it has never both a long press and a repetition.
    for (gesture, bound) in gestures where bound.command == nil { configuration.gestures.bind(gesture, to: nil) }
    for (gesture, bound) in gestures where bound.command != nil {
      configuration.gestures.bind(gesture, to: bound.command)
    }
  }

  /// The buttons of which the file says what holding them does, each with the last place that says so, in the file's order.
  private var holds: [(Button, Position)] {
    let holds = Button.allCases.compactMap { button -> (Button, Position)? in
      let positions = [gestures[.long(button)], gestures[.repeated(button)]].compactMap { $0?.position }
      return positions.max().map { (button, $0) }
    }
    return holds.sorted { $0.1 < $1.1 }
  }

  /// The chords that mean something, in the file's order.
  private var chords: [(ButtonPair, Position)] {
    let chords = gestures.compactMap { gesture, bound -> (ButtonPair, Position)? in
      guard case .chord(let pair) = gesture, bound.command != nil else { return nil }
      return (pair, bound.position)
    }
    return chords.sorted { $0.1 < $1.1 }
  }

  /// Refuses a button that has a command both for a long press and for repetitions.
  private func checkHolds(of button: Button, at position: Position) throws(Problem) {
    guard let long = command(of: .long(button))?.words, let repetition = command(of: .repeated(button))?.words else {
      return
    }
    let what = "buttons.\(button.rawValue) cannot have both long and repeat"
    if gestures[.long(button)] != nil, gestures[.repeated(button)] != nil {
      throw Problem(what, remedy: "keep one of the two, or give one \"none\"", at: position)
    }
    let (other, words) = gestures[.long(button)] == nil ? ("long", long) : ("repeat", repetition)
    throw Problem(
      "\(what), and has \"\(other): \(words)\" by default", remedy: "add \"\(other): none\"", at: position)
  }

  /// Refuses a chord that nobody can press, because one of its buttons is not there.
  private func checkChord(_ pair: ButtonPair, at position: Position) throws(Problem) {
    let present = configuration.presentButtons
    guard let absent = [pair.first, pair.second].first(where: { !present.contains($0) })?.rawValue else { return }
    throw Problem(
      "nobody can press this chord: \(absent) has no line, and no key of an input",
      remedy: "give buttons.\(absent) a line, or leave the chord out", at: position)
  }

  /// What a gesture is going to mean.
  private func command(of gesture: Gesture) -> Command? {
    gestures[gesture].map(\.command) ?? configuration.gestures[gesture]
  }
}
