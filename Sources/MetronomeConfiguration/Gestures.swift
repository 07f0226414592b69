import HardwareAbstraction
import MetronomeCore

/// The command of a gesture, and its position in the file.
struct Bound {
  /// nil: no command.
  var command: Command?
  /// Whether a chord must be held, although its command does not require it.
  var isHeld = false
  var position: Position
}

extension Key {
  static var chords: Key {
    Key(
      path: "chords",
      meaning: "the command for two buttons that are pressed together, in either order; after the word hold, as in "
        + "slower+faster: hold stop, both must be held for half a second, as they always must for pair and forget_phones",
      form: Chords.form,
      access: Access(
        read: { (field, reader) throws(Problem) in try reader.readChords(field) }, text: { Chords.text(of: $0) },
        isSame: { Chords.all(in: $0.gestures) == Chords.all(in: $1.gestures) }))
  }
}

private enum Chords {
  static let form = "one indented line per pair of buttons, such as slower+faster: reset_tempo"

  static func all(in table: GestureTable) -> [ButtonPair: ChordCommand] {
    table.gestures.reduce(into: [:]) { chords, gesture in
      guard case .chord(let pair) = gesture else { return }
      chords[pair] = ChordCommand(command: table[gesture], isHeld: table.mustBeHeld(gesture))
    }
  }

  /// The chords that can be pressed, and the default chords that have no command.
  static func text(of configuration: Configuration) -> String {
    let present = configuration.presentButtons
    let chords = all(in: configuration.gestures)
    let known = Set(chords.keys).union(all(in: .standard).keys)
    let names = configuration.wiring.names
    let named = known.map { (name: "\(names[$0.first])+\(names[$0.second])", pair: $0) }
    let lines = named.sorted { $0.name < $1.name }.compactMap { name, pair -> String? in
      let words = chords[pair]?.words
      guard words == nil || present.contains(pair.first) && present.contains(pair.second) else { return nil }
      return "\n  \(name): \(words ?? "none")"
    }
    return lines.isEmpty ? "{}" : lines.joined()
  }
}

/// The value of a chord; nil as the command: none.
private struct ChordCommand: Hashable, Sendable {
  /// The word before a command of a chord that must be held.
  static let hold = "hold "

  var command: Command?
  var isHeld = false

  /// The value in the file; nil for a command that no file can have.
  var words: String? {
    let isMarked = isHeld && command?.isAlwaysHeld == false
    return command?.words.map { (isMarked ? ChordCommand.hold : "") + $0 }
  }
}

extension Form<ChordCommand> {
  fileprivate static var chord: Form {
    let plain = Form<Command?>.command
    return Form(
      words: plain.words,
      read: { (scalar, configuration) throws(WrongValue) in
        guard scalar.text.hasPrefix(ChordCommand.hold) else {
          return try plain.read(scalar, configuration).map { ChordCommand(command: $0) }
        }
        do throws(WrongValue) {
          let words = String(scalar.text.dropFirst(ChordCommand.hold.count))
          return ChordCommand(command: try Command(words: words), isHeld: true)
        } catch {
          var error = error
          error.column? += ChordCommand.hold.count
          throw error
        }
      }, text: { _ in nil })
  }
}

extension ConfigurationReader {
  private static let chordForm = "two buttons joined with +, such as slower+faster"

  fileprivate mutating func readChords(_ chords: Field) throws(Problem) {
    for field in try chords.entries(Chords.form) {
      let chord = Gesture.chord(try chord(field))
      if let earlier = gestures[chord] {
        throw Problem(
          "duplicate chord \(quoted(field.key)), first used on line \(earlier.position.line)",
          remedy: "remove one of them: the order of the buttons does not matter", at: field.position)
      }
      let bound = try field.read(.chord)
      gestures[chord] = Bound(command: bound.command, isHeld: bound.isHeld, position: field.position)
    }
  }

  private func chord(_ field: Field) throws(Problem) -> ButtonPair {
    let names = field.key.split(separator: "+", omittingEmptySubsequences: false)
    guard names.count == 2 else {
      throw Problem("invalid chord \(quoted(field.key))", remedy: "write \(Self.chordForm)", at: field.position)
    }
    let one = try button(names[0], at: field.position)
    let other = try button(names[1], at: field.position)
    guard let chord = ButtonPair(one, other) else {
      throw Problem(
        "the chord \(quoted(field.key)) has the same button twice", remedy: "write \(Self.chordForm)",
        at: field.position)
    }
    return chord
  }

  private func button(_ name: Substring, at position: Position) throws(Problem) -> Button {
    let text = String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    let names = configuration.wiring.names
    if let button = names.button(named: text) { return button }
    let remedy =
      nearestKey(to: text, among: names.buttonNames).map { "did you mean \(quoted($0))?" }
      ?? "the buttons are \(enumeration(names.buttonNames, last: "and"))"
    throw Problem("unknown button \(quoted(text)) in chords", remedy: remedy, at: position)
  }
}

extension ConfigurationReader {
  /// Binds the gestures. Called after all keys are read.
  mutating func bindGestures() throws(Problem) {
    for (gesture, bound) in gestures.sorted(by: { $0.value.position < $1.value.position }) {
      switch gesture {
      case .long(let button), .repeated(let button): try checkHolds(of: button)
      case .chord(let pair) where bound.command != nil: try checkChord(pair, at: bound.position)
      case .short, .chord: break
      }
    }
    // Commands are removed before others are added, because a button must never have both a long press and a repetition.
    for (gesture, bound) in gestures where bound.command == nil { configuration.gestures.bind(gesture, to: nil) }
    for (gesture, bound) in gestures where bound.command != nil {
      configuration.gestures.bind(gesture, to: bound.command, isHeld: bound.isHeld)
    }
  }

  /// Throws if a button has commands both for a long press and for repetitions. The error has the position of the later one.
  private func checkHolds(of button: Button) throws(Problem) {
    let (long, repetition) = (Gesture.long(button), Gesture.repeated(button))
    guard let longWords = command(of: long)?.words, let repetitionWords = command(of: repetition)?.words,
      let position = [gestures[long], gestures[repetition]].compactMap({ $0?.position }).max()
    else { return }
    let what = "buttons.\(configuration.wiring.names[button]) cannot have both long and repeat"
    if gestures[long] != nil, gestures[repetition] != nil {
      throw Problem(what, remedy: "remove one of them, or set one of them to none", at: position)
    }
    let (other, words) = gestures[long] == nil ? ("long", longWords) : ("repeat", repetitionWords)
    throw Problem("\(what), and \"\(other): \(words)\" is the default", remedy: "add \"\(other): none\"", at: position)
  }

  /// Throws for a chord that cannot be pressed, because one of its buttons has neither a line nor a key of an input device.
  private func checkChord(_ pair: ButtonPair, at position: Position) throws(Problem) {
    let present = configuration.presentButtons
    guard let button = [pair.first, pair.second].first(where: { !present.contains($0) }) else { return }
    let absent = configuration.wiring.names[button]
    throw Problem(
      "this chord cannot be pressed: \(absent) has neither a line nor a key of an input device",
      remedy: "set buttons.\(absent).line, or remove the chord", at: position)
  }

  private func command(of gesture: Gesture) -> Command? {
    gestures[gesture].map(\.command) ?? configuration.gestures[gesture]
  }
}
