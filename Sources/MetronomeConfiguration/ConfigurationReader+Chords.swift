import MetronomeCore

extension ConfigurationReader {
  private static let chordForm = "two buttons with + between them, as slower+faster"

  mutating func readChords(_ chords: Field<RootKey>) throws(Problem) {
    let expected = "a line for each two buttons, indented, as slower+faster: tempo_reset"
    for field in try chords.entries(expected) {
      let chord = Gesture.chord(try chord(field))
      if let earlier = gestures[chord] {
        throw Problem(
          "\(quoted(field.key)) in chords is here for the second time, after line \(earlier.position.line)",
          remedy: "keep one of the two: their order does not matter", at: field.position)
      }
      gestures[chord] = Bound(command: try field.command(), position: field.position)
    }
  }

  private func chord(_ field: Field<String>) throws(Problem) -> ButtonPair {
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
      nearestKey(to: text, among: Button.names).map { "did you mean \(quoted($0))?" }
      ?? "the buttons are \(enumeration(Button.names, last: "and"))"
    throw Problem("unknown button \(quoted(text)) in chords", remedy: remedy, at: position)
  }
}
