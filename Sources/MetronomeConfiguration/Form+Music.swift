import MetronomeCore

extension Form<TempoSteps?> {
  static var steps: Form {
    Form(
      words: "none, or steps such as 80+5/4bar..120!stop",
      read: { (scalar, _) throws(WrongValue) in
        if scalar.text == "none" { return .some(nil) }
        // Another word, such as never, is not an attempt at steps.
        guard scalar.text.contains(where: \.isNumber) else { return nil }
        do throws(NotationError) { return try TempoSteps(text: scalar.text) } catch {
          throw WrongValue(remedy: error.text)
        }
      }, text: { $0?.text ?? "none" })
  }
}

extension Form<Trainer.Gap?> {
  static var gap: Form {
    Form(
      words: "none, or bars that sound and bars that are silent, each from 1 to 999, such as 2/2",
      read: { scalar, _ in
        if scalar.text == "none" { return .some(nil) }
        let parts = scalar.text.split(separator: "/", omittingEmptySubsequences: false).map { wholeNumber($0) ?? 0 }
        guard parts.count == 2, parts.allSatisfy({ (1...999).contains($0) }) else { return nil }
        return Trainer.Gap(sounding: parts[0], silent: parts[1])
      }, text: { $0?.text ?? "none" })
  }
}

extension Form<Tempo> {
  static var tempo: Form {
    Form(
      words: "a number of beats per minute from 1 to 999 with at most three decimals, such as 120 or 92.5",
      read: { scalar, _ in hasLeadingZeros(scalar.text) ? nil : Tempo(decimal: scalar.text) }, text: { $0.number })
  }
}

extension Form<Signature> {
  static var signature: Form {
    Form(
      words: "the notes per bar and the note value, such as 4/4 or 7/8, or with groups 2+2+3/8",
      read: { (scalar, configuration) throws(WrongValue) in
        let parts = scalar.text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let denominator = wholeNumber(parts[1]) else { return nil }
        let words = parts[0].split(separator: "+", omittingEmptySubsequences: false)
        let groups = words.compactMap(wholeNumber)
        guard groups.count == words.count, words.count == 1 || !groups.contains(0) else { return nil }
        let limit = configuration.numeratorLimit
        if let signature = Signature(groups: groups, over: denominator, limit: limit) { return signature }
        throw WrongValue(remedy: instead(of: groups.reduce(0, +), over: denominator, limit: limit))
      }, text: { "\($0)" })
  }

  fileprivate static func instead(of numerator: Int, over denominator: Int, limit: NumeratorLimit) -> String {
    var remedy =
      limit.denominators.contains(denominator)
      ? "write 1/\(denominator) to \(limit.highestNumerator(over: denominator))/\(denominator)"
      : "use the denominator \(enumeration(limit.denominators.map(String.init)))"
    if limit != .none, Signature(numerator, over: denominator, limit: .none) != nil {
      remedy += ", or remove \"numerator_limit: denominator\""
    }
    return remedy
  }
}

extension NumeratorLimit {
  /// What to write instead of a signature; nil: the limit allows it.
  package func remedy(for signature: Signature) -> String? {
    guard signature.limited(by: self) != signature else { return nil }
    return Form<Signature>.instead(of: signature.numerator, over: signature.denominator, limit: self)
  }
}

extension Form<Voice.Sound> {
  static var set: Form {
    Form(
      words: enumeration(Voice.Sound.sets.map(\.name)), read: { scalar, _ in Voice.Sound(set: scalar.text) },
      text: { $0.name })
  }

  static var sound: Form {
    Form(
      words: enumeration(Voice.Sound.allCases.map(\.name)), read: { scalar, _ in Voice.Sound(name: scalar.text) },
      text: { $0.name })
  }
}

extension Form<BeatUnit> {
  static var beatUnit: Form {
    Form(
      words: "a note value such as 1/4, 1/8 or dotted 3/8", read: { scalar, _ in BeatUnit(text: scalar.text) },
      text: { "\($0)" })
  }
}

extension Form<Rhythm> {
  static var rhythm: Form {
    Form(
      words: "a rhythm for bars of this signature, such as \"X.x. sub=2 swing=62% & 3:4 sound=cowbell\"",
      read: { (scalar, configuration) throws(WrongValue) in
        do throws(NotationError) {
          return try Rhythm(text: scalar.text, for: Metre(configuration.signature, unit: configuration.beat))
        } catch {
          throw WrongValue(remedy: error.text, column: error.column)
        }
      }, text: { "\"\($0.text)\"" })
  }
}

extension Form<Level> {
  static var soundingLevel: Form {
    Form(
      words: enumeration(Level.sounding.map(\.rawValue)),
      read: { scalar, _ in Level.sounding.first { $0.rawValue == scalar.text } }, text: { $0.rawValue })
  }
}
