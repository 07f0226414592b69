import MetronomeCore

/// The slots of the current bar, voice by voice; before the first beat, those of a bar to come.
struct BarSlots {
  let bar: Bar
  private let timeline: Timeline
  private let now: Instant
  /// The last beat; nil before the first one.
  private let beat: Beat?

  /// `bar` is used before the first beat.
  init(_ timeline: Timeline, at now: Instant, orBefore bar: Bar) {
    self.timeline = timeline
    self.now = now
    beat = timeline.lastBeat(atOrBefore: now)
    self.bar = beat.flatMap { timeline.bar(ofBeat: $0.index) } ?? bar
  }

  /// Whether the bar has nothing but its beats, with the levels that the signature gives them.
  var hasOnlyBeats: Bool { bar.rhythm.hasOnlyBeats(in: bar.metre) }

  var voiceCount: Int { bar.rhythm.voiceCount }

  /// The level of a beat in the main voice. Beats that the bar does not have yet are weak.
  func level(ofBeat place: Int) -> Level {
    place < bar.metre.beatsInBar ? slot(of: 0, onBeat: place)?.level ?? .rest : .weak
  }

  /// Whether a beat of the bar is silent: see ``Beat/isSilent``.
  func isSilent(beat place: Int) -> Bool {
    beat != nil && timeline.beat(line.whole + Int64(place))?.isSilent == true
  }

  /// A voice as a line of marks, `pitch` columns for each beat: `X` strong, `Y` medium, `x` weak, `o` ghost, and `.` for a beat
  /// without a hit. Silent beats have no hits. The last hit is bold.
  ///
  /// If two marks would share a column, ghosts between the beats are omitted; if that is not enough, everything between them.
  func row(of voice: Int, pitch: Int, width: Int, _ style: Style) -> String {
    let beats = bar.metre.beatsInBar
    let length = min(width, beats * pitch)
    func column(_ slot: Rhythm.Slot) -> Int {
      let place = slot.position
      return Int(place.whole) * pitch + Int(place.numerator * Int64(pitch) / place.denominator)
    }
    func fits(_ slots: [Rhythm.Slot]) -> Bool { Set(slots.map(column)).count == slots.count }
    var slots = slots(of: voice, beats: beats, atMost: length)
    if !fits(slots) { slots.removeAll { $0.level == .ghost && $0.position.numerator > 0 } }
    if !fits(slots) || slots.isEmpty { slots = (0..<beats).compactMap { slot(of: voice, onBeat: $0) } }
    slots.removeAll { isSilent(beat: Int($0.position.whole)) }
    let last = slots.lastIndex(where: isPast)
    var marks = [String](repeating: " ", count: length)
    for place in 0..<beats where place * pitch < length { marks[place * pitch] = style.dim(Level.rest.mark) }
    for (number, slot) in slots.enumerated() where column(slot) < length {
      marks[column(slot)] =
        number == last
        ? style.paint(slot.level.mark, slot.level.color, isBold: true)
        : style.dim(style.paint(slot.level.mark, slot.level.color))
    }
    return marks.joined()
  }

  /// All slots of a voice; none if there are more than `most`.
  private func slots(of voice: Int, beats: Int, atMost most: Int) -> [Rhythm.Slot] {
    var slots: [Rhythm.Slot] = []
    var next = slot(of: voice, at: .zero)
    while let slot = next, slot.position.whole < beats {
      if slots.count == most { return [] }
      slots.append(slot)
      next = self.slot(of: voice, at: slot.position, isAfter: true)
    }
    return slots
  }

  private func slot(of voice: Int, onBeat place: Int) -> Rhythm.Slot? {
    let position = Position(Int64(place))
    return slot(of: voice, at: position).flatMap { $0.position == position ? $0 : nil }
  }

  /// The first sounding slot at or after a position. Positions are in beats from the bar line.
  private func slot(of voice: Int, at position: Position, isAfter: Bool = false) -> Rhythm.Slot? {
    guard let beat else { return bar.rhythm.firstSlot(of: voice, at: position, isAfter: isAfter, in: bar.metre) }
    guard var slot = timeline.slot(of: voice, at: position + line, isAfter: isAfter, asInBarOf: beat.index) else {
      return nil
    }
    slot.position = slot.position - line
    return slot
  }

  /// The bar line, in beats since the start of playback.
  private var line: Position { Position(beat.map { $0.index - Int64($0.position) } ?? 0) }

  /// Whether a slot has been played. A slot whose beat is no longer kept is old.
  private func isPast(_ slot: Rhythm.Slot) -> Bool {
    beat != nil && (timeline.instant(of: slot.position + line).map { $0 <= now } ?? true)
  }
}

extension Level {
  /// What the marks mean.
  static let legend = ["X strong", "Y medium", "x weak", "o ghost"]

  /// The color of its block and its mark.
  var color: Style.Color {
    switch self {
    case .strong: .yellow
    case .medium: .green
    case .weak, .ghost, .rest: .cyan
    }
  }

  /// The character of its flashing block without colors.
  var fullBlock: Character {
    switch self {
    case .strong: "█"
    case .medium: "▇"
    case .weak, .ghost, .rest: "▓"
    }
  }
}
