import HardwareAbstraction
import MetronomeCore

/// What a gesture is to do, and where the file says so.
struct Bound {
  /// nil: nothing.
  var command: Command?
  var position: Position
}

extension Key {
  static var chords: Key {
    Key(
      name: "chords", meaning: "what two buttons do together, whichever comes first", form: Chords.form,
      read: { (field, reader) throws(Problem) in try reader.readChords(field) }, text: { Chords.text(of: $0) },
      isSame: { Chords.all(in: $0.gestures) == Chords.all(in: $1.gestures) })
  }
}

/// The chords of a configuration.
private enum Chords {
  static let form = "a line for each two buttons, indented, as slower+faster: tempo_reset"

  /// Those that do something.
  static func all(in table: GestureTable<Command>) -> [ButtonPair: Command] {
    var chords: [ButtonPair: Command] = [:]
    for gesture in table.gestures {
      guard case .chord(let pair) = gesture else { continue }
      chords[pair] = table[gesture]
    }
    return chords
  }

  /// The chords that can be pressed, and those of the standard that do nothing.
  static func text(of configuration: Configuration) -> String {
    let present = configuration.presentButtons
    let chords = all(in: configuration.gestures)
    let known = Set(chords.keys).union(all(in: .standard).keys)
    let lines = known.sorted { $0.name < $1.name }.compactMap { pair -> String? in
      let words = chords[pair]?.words
      guard words == nil || present.contains(pair.first) && present.contains(pair.second) else { return nil }
      return "\n  \(pair.name): \(words ?? "none")"
    }
    return lines.isEmpty ? "{}" : lines.joined()
  }
}

extension ButtonPair {
  /// As the file has it: `slower+faster`.
  fileprivate var name: String { "\(first.rawValue)+\(second.rawValue)" }
}

extension ConfigurationReader {
  private static let chordForm = "two buttons with + between them, as slower+faster"

  fileprivate mutating func readChords(_ chords: Field) throws(Problem) {
    for field in try chords.entries(Chords.form) {
      let chord = Gesture.chord(try chord(field))
      if let earlier = gestures[chord] {
        throw Problem(
          "\(quoted(field.key)) in chords is here for the second time, after line \(earlier.position.line)",
          remedy: "keep one of the two: their order does not matter", at: field.position)
      }
      gestures[chord] = Bound(command: try field.read(Form<Command?>.command), position: field.position)
    }
  }

  private func chord(_ field: Field) throws(Problem) -> ButtonPair {
    let names = field.key.split(separator: "+", omittingEmptySubsequences: false)
    guard names.count == 2 else {
      throw Problem(
        "\(quoted(field.key)) in chords is no chord", remedy: "write \(Self.chordForm)", at: field.position)
    }
    let one = try button(names[0], at: field.position)
    let other = try button(names[1], at: field.position)
    guard let chord = ButtonPair(one, other) else {
      throw Problem(
        "\(quoted(field.key)) in chords is one button, not two", remedy: "write \(Self.chordForm)",
        at: field.position)
    }
    return chord
  }

  private func button(_ name: Substring, at position: Position) throws(Problem) -> Button {
    let text = String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    if let button = Button(rawValue: text) { return button }
    let remedy =
      nearestKey(to: text, among: Button.allCases.map(\.rawValue)).map { "did you mean \(quoted($0))?" }
      ?? "the buttons are \(enumeration(Button.allCases.map(\.rawValue), last: "and"))"
    throw Problem("unknown button \(quoted(text)) in chords", remedy: remedy, at: position)
  }
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
