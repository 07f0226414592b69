/// A song with its positions in time: finds the section at a bar, a beat or a time by search.
///
/// A repeated block is stored once. Its n-th repetition is found by a division, so the size of the map does not depend on the
/// numbers of repetitions. A part without an end counts as empty in the positions of what follows it: only the
/// ``ScorePlayer`` knows when the musician has left it.
public struct SongMap: Sendable {
  /// Bars, beats and time from one place in the song to another.
  public struct Extent: Hashable, Sendable {
    public var bars: Int64 = 0
    public var beats: Int64 = 0
    public var time = FineTime.zero

    public static var zero: Extent { Extent() }

    static func + (a: Extent, b: Extent) -> Extent {
      Extent(bars: a.bars + b.bars, beats: a.beats + b.beats, time: a.time + b.time)
    }

    /// This extent several times. nil if it is longer than ``SongMap/mostBeats`` or ten thousand years.
    func times(_ count: Int64) -> Extent? {
      let bars = bars.multipliedReportingOverflow(by: count)
      let beats = beats.multipliedReportingOverflow(by: count)
      let time = time.count.multipliedReportingOverflow(by: Int128(count))
      guard !bars.overflow, !beats.overflow, beats.partialValue <= SongMap.mostBeats, !time.overflow,
        time.partialValue <= SongMap.longest
      else { return nil }
      return Extent(bars: bars.partialValue, beats: beats.partialValue, time: FineTime(count: time.partialValue))
    }
  }

  /// The limits of a song: 10¹⁵ beats, and ten thousand years.
  public static let mostBeats: Int64 = 1_000_000_000_000_000
  private static let longest = Int128(10_000 * 366 * 86_400) * 1_000_000_000 << Int128(FineTime.bits)

  /// A section or pause as it is played: the same part of a block occurs once in each repetition.
  public struct Occurrence: Hashable, Sendable {
    /// A section or a pause.
    public var part: Song.Part
    /// Where it begins, counted from the beginning of the song.
    public var start: Extent
    /// The blocks around it, outermost first, then the part itself.
    public var path: [Step]

    var section: Section? {
      if case .section(let section) = part { return section }
      return nil
    }

    /// The place of a part among the parts of its block, and the repetition of the part if it is a block.
    public struct Step: Hashable, Sendable {
      public var part: Int
      public var turn: Int64 = 0
    }
  }

  /// Parts one after another: where each begins, and what the blocks among them contain.
  private struct Line: Sendable {
    var parts: [Song.Part]
    var starts: [Extent] = []
    var blocks: [Int: Line] = [:]
    var total = Extent.zero
    /// The number of parts up to and with the first one without an end; otherwise of all parts.
    var reach = 0
    var isEndless = false
    /// For each pause in beats, by its index, the section that is written before it.
    var before: [Int: Section] = [:]

    func end(of part: Int) -> Extent { part + 1 < starts.count ? starts[part + 1] : total }
  }

  private let line: Line
  /// The song's own speed.
  private let scale: Int

  /// The end of the song. Parts without an end count as empty.
  public var total: Extent { line.total }

  /// nil if the song is longer than ``mostBeats`` or ten thousand years.
  public init?(_ song: Song) {
    var previous: Section?
    guard let line = SongMap.line(of: song.parts, song.scale, &previous) else { return nil }
    self.line = line
    scale = song.scale
  }

  private static func line(of parts: [Song.Part], _ scale: Int, _ previous: inout Section?) -> Line? {
    var line = Line(parts: parts)
    line.starts.reserveCapacity(parts.count)
    for (index, part) in parts.enumerated() {
      line.starts.append(line.total)
      var extent: Extent? = .zero
      switch part {
      case .section(let section):
        let map = SectionMap(section, scale: scale)
        if let bars = map.bars, let time = map.duration {
          extent = Extent(bars: bars, beats: bars * Int64(map.beatsInBar), time: time)
        }
        previous = section
      case .pause(let pause):
        switch pause.length {
        case .time(let time): extent?.time = FineTime(time)
        case .beats(let beats):
          line.before[index] = previous
          extent?.time = time(of: beats, after: previous, scale)
        case .wait: break
        }
      case .block(let block):
        guard let inner = self.line(of: block.parts, scale, &previous) else { return nil }
        line.blocks[index] = inner
        extent = inner.total.times(block.count ?? 0)
      }
      guard let extent, let total = (line.total + extent).times(1) else { return nil }
      line.total = total
      if !line.isEndless { line.reach = index + 1 }
      line.isEndless = line.isEndless || part.isEndless || line.blocks[index]?.isEndless == true
    }
    return line
  }

  /// How long a pause lasts at a practice speed; nil: until the musician goes on. Beats are those of the section that is written
  /// before the pause.
  func duration(of pause: Song.Pause, _ occurrence: Occurrence, speed: Int) -> FineTime? {
    switch pause.length {
    case .time(let time): return FineTime(time)
    case .beats(let beats):
      guard let last = occurrence.path.last else { preconditionFailure("the path of a part is not empty") }
      let line = place(of: occurrence.path.dropLast()).line
      return SongMap.time(of: beats, after: line.before[last.part], scale).scaled(by: scale, over: speed)
    case .wait: return nil
    }
  }

  /// The duration of beats after a section, as if it went on; of quarters at 120 BPM without a section.
  private static func time(of beats: Int64, after section: Section?, _ scale: Int) -> FineTime {
    guard let section else {
      return TempoCurve(ScoreTempo(.initial), Metre(.initial), scale: scale).time(at: Position(whole: beats))
    }
    let map = SectionMap(section, scale: scale)
    guard let end = map.beats else {
      // A section without an end counts as at its last tempo when the musician goes on.
      return TempoCurve(section.tempo.last, section.bar.metre, scale: scale).time(at: Position(whole: beats))
    }
    return map.time(at: Position(whole: end + beats)) - map.time(at: Position(whole: end))
  }

  /// The first section or pause of the song; nil if it has none.
  public var first: Occurrence? { SongMap.occurrence(firstIn: line, at: .zero, in: []) }

  /// The section that contains a bar, counted from 0; nil after the end. Takes logarithmic time in
  /// the number of parts.
  public func occurrence(atBar bar: Int64) -> Occurrence? { find(Int128(bar)) { Int128($0.bars) } }

  /// The section that contains a beat, counted from 0; nil after the end.
  public func occurrence(atBeat beat: Int64) -> Occurrence? { find(Int128(beat)) { Int128($0.beats) } }

  /// The section or pause at a time from the beginning of the song; nil after the end.
  public func occurrence(at time: FineTime) -> Occurrence? { find(time.count) { $0.time.count } }

  /// What follows an occurrence; nil at the end. With `leaving`, what follows the innermost block without an end, if any.
  public func next(after occurrence: Occurrence, leaving: Bool = false) -> Occurrence? {
    var steps = occurrence.path
    if leaving { steps = innermostEndlessBlock(of: steps) ?? steps }
    while let last = steps.popLast() {
      let (line, start) = place(of: steps)
      if let next = SongMap.occurrence(firstIn: line, from: last.part + 1, at: start, in: steps) { return next }
      guard let own = steps.last, case .block(let block) = place(of: steps.dropLast()).line.parts[own.part] else {
        return nil
      }
      if own.turn + 1 == block.count { continue }
      steps[steps.count - 1].turn += 1
      return SongMap.occurrence(firstIn: line, at: place(of: steps).start, in: steps)
    }
    return nil
  }

  /// The first section at or after a part; nil if there is none among the next 5,000 parts.
  func firstSection(from occurrence: Occurrence?) -> Occurrence? {
    var (occurrence, steps) = (occurrence, 0)
    while let pause = occurrence, pause.section == nil {
      steps += 1
      occurrence = steps > 5_000 ? nil : next(after: pause, leaving: true)
    }
    return occurrence
  }

  /// The section before an occurrence; nil if there is none among the 5,000 parts before it.
  func section(before occurrence: Occurrence) -> Occurrence? {
    var path = occurrence.path
    for _ in 0..<5_000 {
      guard var last = path.popLast() else { return nil }
      if last.part > 0 {
        last = Occurrence.Step(part: last.part - 1)
      } else {
        guard var block = path.popLast() else { return nil }
        if block.turn == 0 {
          // The parts before the block.
          path.append(Occurrence.Step(part: block.part))
          continue
        }
        block.turn -= 1
        path.append(block)
        last = Occurrence.Step(part: place(of: path).line.parts.count - 1)
      }
      path.append(last)
      // The last part of a block, in its last repetition.
      while case .block(let block) = place(of: path.dropLast()).line.parts[path[path.count - 1].part] {
        path[path.count - 1].turn = (block.count ?? 1) - 1
        path.append(Occurrence.Step(part: place(of: path).line.parts.count - 1))
      }
      let (line, start) = place(of: path.dropLast())
      let part = path[path.count - 1].part
      if case .section = line.parts[part] {
        return Occurrence(part: line.parts[part], start: start + line.starts[part], path: path)
      }
    }
    return nil
  }

  /// More sections are not counted.
  static let mostSectionsAfter = 1_000

  /// How many sections a section comes after the one that contains its bar; 0 if that is not found.
  func sectionsAfterBar(of occurrence: Occurrence) -> Int {
    var here = self.occurrence(atBar: occurrence.start.bars)
    for count in 0...SongMap.mostSectionsAfter {
      guard let section = here else { return 0 }
      if section.path == occurrence.path { return count }
      here = firstSection(from: next(after: section, leaving: true))
    }
    return 0
  }

  /// The section with this bar, or one of those after it; nil if the bar does not exist.
  func section(atBar bar: Int64, sectionsAfter count: Int) -> Occurrence? {
    guard let first = occurrence(atBar: bar) else { return nil }
    var here = first
    for _ in 0..<min(count, SongMap.mostSectionsAfter) {
      guard let next = firstSection(from: next(after: here, leaving: true)) else { return first }
      here = next
    }
    return here
  }

  /// The path of the innermost block without an end around a part.
  private func innermostEndlessBlock(of path: [Occurrence.Step]) -> [Occurrence.Step]? {
    for depth in path.indices.dropLast().reversed() {
      if case .block(let block) = place(of: path[..<depth]).line.parts[path[depth].part], block.count == nil {
        return Array(path[...depth])
      }
    }
    return nil
  }

  /// The parts within blocks, and where they begin in this repetition.
  private func place(of steps: some Collection<Occurrence.Step>) -> (line: Line, start: Extent) {
    var (line, start) = (line, Extent.zero)
    for step in steps {
      guard let inner = line.blocks[step.part], let before = inner.total.times(step.turn) else {
        preconditionFailure("a path leads through blocks")
      }
      start = start + line.starts[step.part] + before
      line = inner
    }
    return (line, start)
  }

  private static func occurrence(
    firstIn line: Line, from index: Int = 0, at start: Extent, in steps: [Occurrence.Step]
  ) -> Occurrence? {
    guard index < line.parts.count else { return nil }
    let path = steps + [Occurrence.Step(part: index)]
    let begin = start + line.starts[index]
    guard let inner = line.blocks[index] else { return Occurrence(part: line.parts[index], start: begin, path: path) }
    // A block is never empty.
    return occurrence(firstIn: inner, at: begin, in: path)
  }

  /// The occurrence that contains a bar, a beat or a time: `quantity` selects which.
  private func find(_ target: Int128, _ quantity: (Extent) -> Int128) -> Occurrence? {
    var (line, start, path) = (line, Extent.zero, [Occurrence.Step]())
    guard target >= 0 else { return nil }
    while !line.parts.isEmpty {
      var (low, high) = (0, line.reach)
      while high - low > 1 {
        let middle = (low + high) / 2
        if quantity(start + line.starts[middle]) <= target { low = middle } else { high = middle }
      }
      let begin = start + line.starts[low]
      path.append(Occurrence.Step(part: low))
      guard case .block(let block) = line.parts[low], let inner = line.blocks[low] else {
        let isBefore = line.parts[low].isEndless || target < quantity(start + line.end(of: low))
        return isBefore ? Occurrence(part: line.parts[low], start: begin, path: path) : nil
      }
      let turn = inner.isEndless ? 0 : quantity(inner.total)
      let turns = turn > 0 ? Int64((target - quantity(begin)) / turn) : 0
      if let count = block.count, turns >= count { return nil }
      guard let before = inner.total.times(turns) else { return nil }
      path[path.count - 1].turn = turns
      (line, start) = (inner, begin + before)
    }
    return nil
  }
}

extension Song.Part {
  /// Whether the part itself, not a part in it, goes on until the musician ends it. A pause never counts: it has no bars.
  fileprivate var isEndless: Bool {
    switch self {
    case .section(let section): section.isEndless
    case .pause: false
    case .block(let block): block.count == nil
    }
  }
}
