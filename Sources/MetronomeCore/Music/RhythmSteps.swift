/// The subdivisions and accents that a button steps through.
extension Rhythm {
  /// The subdivisions without swing, in the order of a button.
  private static let plainSubdivisions = [1, 2, 3, 4, 6]

  /// This rhythm with the next subdivision of 1 (off), 2, 3, 4, 6 and swing; wraps.
  ///
  /// A subdivision between two of these goes to the next higher one. Swing is triplet swing, 2:1: of eighths in quarters and
  /// longer notes, of sixteenths in eighths. Shorter notes have no swing. A rhythm with any swing counts as swing.
  public func nextSubdivision(over denominator: Int) -> Rhythm {
    guard swing == nil else { return with(subdivision: 1) }
    if let next = Rhythm.plainSubdivisions.first(where: { $0 > subdivision }) { return with(subdivision: next) }
    return swung(over: denominator) ?? with(subdivision: 1)
  }

  /// This rhythm with the previous subdivision in the order of ``nextSubdivision(over:)``; wraps.
  public func previousSubdivision(over denominator: Int) -> Rhythm {
    let plain = Rhythm.plainSubdivisions
    let last = with(subdivision: plain[plain.count - 1])
    guard swing == nil else { return last }
    if let previous = plain.last(where: { $0 < subdivision }) { return with(subdivision: previous) }
    return swung(over: denominator) ?? last
  }

  /// A subdivision into the notes that swing; nil if the notes of the signature are too short.
  private func swung(over denominator: Int) -> Rhythm? {
    guard let level = Swing.levels.first(where: { $0 >= 2 * denominator }), let swing = Swing(2, of: 3, level: level)
    else { return nil }
    return with(subdivision: level / denominator, swing)
  }

  private func with(subdivision: Int, _ swing: Swing? = nil) -> Rhythm {
    var rhythm = self
    (rhythm.subdivision, rhythm.swing) = (subdivision, swing)
    return rhythm
  }
}

extension Bar {
  /// This bar with the next accents; wraps. Accents are the groups of the signature, a dotted beat, and the pattern of the main
  /// voice. The number of notes, subdivision, swing and other voices are kept.
  ///
  /// For a bar of n notes the accents are, in this order:
  ///
  /// 1. The metre's own: only the first note is accented, and a beat is one note.
  /// 2. If n is a multiple of 3 above 3: a beat is a dotted note, three notes of the signature, as in 6/8, 9/8 and 12/8. The
  ///    tempo keeps its number, and counts the dotted notes.
  /// 3. Groups of two notes, and one group of three if n is odd. The first order is 2+…+2+3; each next order moves the last
  ///    group to the beginning: 2+2+3, 3+2+2, 2+3+2.
  /// 4. Groups of three notes, and one or two groups of two if n is no multiple of 3. The first order is 3+…+3+2; the others
  ///    follow as before: 3+3+2, 2+3+3, 3+2+3. Orders that already occurred are left out.
  /// 5. No accent: a pattern of weak notes.
  ///
  /// After any other accents, such as those of a configured pattern, come the metre's own.
  public var nextAccents: Bar {
    let all = accents
    let place = all.firstIndex { $0.metre == metre && $0.rhythm.pattern == rhythm.pattern }
    return place.map { all[($0 + 1) % all.count] } ?? all[0]
  }

  /// The bars with the accents of ``nextAccents``, in order.
  private var accents: [Bar] {
    let notes = metre.signature.numerator
    let plain = metre.signature.with(numerator: notes, limit: .none)
    // A beat of one note: a dotted unit would still change the length of the notes.
    let unit = metre.unit.isDotted ? .quarter : metre.unit
    var bars = [with(plain, unit)]
    if notes > 3, notes.isMultiple(of: 3), let dotted = BeatUnit(3, over: plain.denominator) {
      bars.append(with(plain, dotted))
    }
    for groups in Bar.groups(of: notes) {
      guard let signature = Signature(groups: groups, over: plain.denominator, limit: .none) else { continue }
      bars.append(with(signature, unit))
    }
    let weak = Array(repeating: Voice.Cell([.weak]), count: notes)
    return bars + [with(plain, unit, Voice(weak))]
  }

  private func with(_ signature: Signature, _ unit: BeatUnit, _ pattern: Voice? = nil) -> Bar {
    var rhythm = rhythm
    rhythm.pattern = pattern
    return Bar(Metre(signature, unit: unit), rhythm)
  }

  /// Twos and threes that make up a bar of two groups or more: with as few threes as possible, then with as many as possible.
  private static func groups(of notes: Int) -> [[Int]] {
    // Below two notes there is no group; a single two or three is the metre's own.
    guard notes > 3 else { return [] }
    let few = Array(repeating: 2, count: notes / 2 - notes % 2) + Array(repeating: 3, count: notes % 2)
    let twos = (3 - notes % 3) % 3
    let many = Array(repeating: 3, count: (notes - 2 * twos) / 3) + Array(repeating: 2, count: twos)
    var orders: [[Int]] = []
    for first in [few, many] {
      for moved in first.indices {
        let order = Array(first.suffix(moved) + first.dropLast(moved))
        if !orders.contains(order) { orders.append(order) }
      }
    }
    return orders
  }
}
