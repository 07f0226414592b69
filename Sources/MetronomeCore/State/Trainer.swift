/// Practice aids that need no score: a ramp of the tempo, gaps, dropped beats, and a timer.
public struct Trainer: Hashable, Sendable {
  /// The share of the beats in per cent that ``Command/toggleDrop`` drops: 1 to 100.
  public var drop: Int
  /// The ramp that ``Command/toggleRamp`` starts; nil: none.
  public var ramp: TempoSteps?
  /// How long playback lasts while the timer is on; nil: there is no timer.
  public var timer: Nanoseconds?

  /// The gap and the dropped beats in force.
  public internal(set) var filter = SilenceFilter()
  public internal(set) var isTimed = false

  /// The gaps through which ``Command/nextGap`` steps: the number of bars that sound, and of the silent bars after them.
  static let gaps: [Int32] = [1, 2, 4]

  /// `gap` is in force from the beginning; nil: there is no gap.
  public init(
    drop: Int = 20, seed: UInt64 = 1, gap: Gap? = nil, ramp: TempoSteps? = nil, timer: Nanoseconds? = nil
  ) {
    (self.drop, self.ramp, self.timer) = (drop, ramp, timer)
    filter.seed = seed
    setGap(gap)
  }

  /// The gap in force; nil: none.
  public var gap: Gap? {
    filter.silent == 0 ? nil : Gap(sounding: Int(filter.sounding), silent: Int(filter.silent))
  }

  /// Bars that sound, and bars that are then silent.
  public struct Gap: Hashable, Sendable {
    public var sounding: Int
    public var silent: Int

    public init(sounding: Int, silent: Int) { (self.sounding, self.silent) = (sounding, silent) }

    /// As in the configuration, such as `2/2`.
    public var text: String { "\(sounding)/\(silent)" }
  }

  /// The next larger gap; none after the largest.
  mutating func stepGap() {
    let next = filter.silent == 0 ? Trainer.gaps[0] : Trainer.gaps.first { $0 > filter.silent } ?? 0
    setGap(next == 0 ? nil : Gap(sounding: Int(next), silent: Int(next)))
  }

  mutating func setGap(_ gap: Gap?) {
    (filter.sounding, filter.silent) = (Int32(gap?.sounding ?? 0), Int32(gap?.silent ?? 0))
  }

  mutating func toggleDrop() { setDrop(filter.dropPercent == 0 ? drop : nil) }

  mutating func setDrop(_ share: Int?) {
    drop = share ?? drop
    filter.dropPercent = Int32(share ?? 0)
  }

  mutating func setTimer(_ time: Nanoseconds?) {
    timer = time ?? timer
    isTimed = time != nil
  }

  /// Takes over what differs between two configurations. A ramp that plays goes on. The timer stays on if it still exists. A new
  /// gap or seed replaces the gap and the dropped beats in force.
  mutating func configure(_ new: Trainer, from old: Trainer) {
    let isDropping = filter.dropPercent > 0
    if new.filter != old.filter { filter = new.filter }
    if new.drop != old.drop {
      drop = new.drop
      if isDropping { setDrop(drop) }
    }
    if new.ramp != old.ramp { ramp = new.ramp }
    if new.timer != old.timer {
      timer = new.timer
      isTimed = isTimed && timer != nil
    }
  }

  /// What is on, with the ramp that plays, in words, such as `gap 2/2, drop 20 %`; empty if nothing is.
  func text(_ ramp: TempoSteps?) -> String {
    var words: [String] = []
    if let ramp { words.append("ramp \(ramp.text)") }
    if let gap { words.append("gap \(gap.text)") }
    if filter.dropPercent > 0 { words.append("drop \(filter.dropPercent) %") }
    if isTimed, let timer { words.append("timer \(timer.text)") }
    return words.joined(separator: ", ")
  }

  /// The ramp as a song of one section with this bar, whose unit its tempi count; nil if a tempo in quarters is outside the range
  /// of ``ScoreTempo`` or is no whole number of millionths.
  static func song(_ ramp: TempoSteps, _ bar: Bar) -> SetList? {
    let unit = bar.metre.unit
    guard let first = unit.quarters(ramp.first), ScoreTempo(microBPM: first) != nil,
      let last = unit.quarters(ramp.last), ScoreTempo(microBPM: last) != nil, let step = unit.quarters(ramp.step)
    else { return nil }
    var steps = ramp
    (steps.first, steps.step, steps.last) = (first, step, last)
    let section = Section(label: "ramp", bars: nil, bar, .steps(steps))
    return SetList(Score(songs: [Song(parts: [.section(section)])]))
  }
}

/// From when the timer counts.
enum TimerOrigin: Sendable {
  /// It was on when playback began.
  case firstBeat(Instant)
  /// It was switched on while playing.
  case command(Instant)
}

/// What was played from a start to a stop.
public struct PracticeRecord: Hashable, Sendable {
  /// When the first beat fell.
  public var start: Instant
  public var played: Nanoseconds
  /// Begun bars without those of a count-in.
  public var bars: Int64
  public var lowest: Tempo
  public var highest: Tempo
  /// The score or the bar, and the practice aids that were on.
  public var what: String

  public init(
    start: Instant, played: Nanoseconds, bars: Int64, lowest: Tempo, highest: Tempo, what: String
  ) {
    (self.start, self.played, self.bars) = (start, played, bars)
    (self.lowest, self.highest, self.what) = (lowest, highest, what)
  }

  /// One line, such as `754 s  340 bars  80 to 120 BPM  4/4, gap 2/2`.
  public var text: String {
    let tempi = lowest == highest ? "\(lowest.number) BPM" : "\(lowest.number) to \(highest.number) BPM"
    return "\(played.count / 1_000_000_000) s  \(bars) bars  \(tempi)  \(what)"
  }
}
