/// Where the beats of a section fall, counted from its beginning: pieces of tempo curves, one after another.
public struct SectionMap: Hashable, Sendable {
  /// The maximum number of tempi of ``TempoSteps`` in one direction.
  public static let mostPieces = 100_000

  /// A tempo curve from a beat to the beginning of the next piece.
  public struct Piece: Hashable, Sendable {
    public var beat: Int64
    public var time: FineTime
    public var curve: TempoCurve
  }

  /// After a cycle, the pieces begin again.
  public struct Cycle: Hashable, Sendable {
    public var beats: Int64
    public var time: FineTime
  }

  /// Never empty; the first begins at beat 0 and time 0.
  public let pieces: [Piece]
  /// nil: the last piece goes on.
  public let cycle: Cycle?
  /// The length in bars; nil: without an end.
  public private(set) var bars: Int64?
  public let beatsInBar: Int

  /// `scale` is the song's own speed: seconds of steps and limits are counted at it, whatever the practice speed.
  ///
  /// - Precondition: the section is one that ``Score/init(text:)`` accepts.
  public init(_ section: Section, scale: Int = 1_000) {
    let metre = section.bar.metre
    beatsInBar = metre.beatsInBar
    bars = section.bars
    var builder = Builder(beatsInBar: Int64(beatsInBar))
    var cycle: Cycle?
    switch section.tempo {
    case .constant(let tempo): builder.add(TempoCurve(tempo, metre, scale: scale), beats: 1)
    case .change(let shape, let first, let last):
      guard let bars,
        let curve = TempoCurve(shape, from: first, to: last, beats: bars * Int64(beatsInBar), metre, scale: scale)
      else { preconditionFailure("a change of tempo needs a number of bars") }
      builder.add(curve, beats: curve.beats)
    case .eachBeat(let tempi): for tempo in tempi { builder.add(TempoCurve(tempo, metre, scale: scale), beats: 1) }
    case .steps(let steps):
      for (index, tempo) in steps.turn.enumerated() {
        builder.add(steps, step: index, TempoCurve(tempo, metre, scale: scale))
      }
      switch steps.end {
      case .stay: break
      case .stop: bars = min(bars ?? .max, builder.barLine(atOrAfter: builder.beat) / Int64(beatsInBar))
      case .again, .reverse: cycle = Cycle(beats: builder.beat, time: builder.time)
      }
    }
    (pieces, self.cycle) = (builder.pieces, cycle)
    switch section.limit {
    case .bars(let most): bars = min(bars ?? .max, most)
    case .time(let time):
      let end = builder.barLine(atOrAfter: firstBeat(atOrAfter: SectionMap.deadline(FineTime(time))))
      bars = min(bars ?? .max, end / Int64(beatsInBar))
    case nil: break
    }
  }

  /// The earliest time that counts as at or after a span: half a nanosecond before it. The beginnings of pieces are rounded
  /// down, so a bar line exactly at the span may come slightly early.
  private static func deadline(_ span: FineTime) -> FineTime {
    FineTime(count: span.count - 1 << Int128(FineTime.bits - 1))
  }

  /// The number of beats; nil: without an end.
  public var beats: Int64? { bars.map { $0 * Int64(beatsInBar) } }

  /// The duration; nil: without an end.
  public var duration: FineTime? { beats.map { time(at: Position(whole: $0)) } }

  /// The time of a position in beats, which must not be negative.
  public func time(at position: Position) -> FineTime {
    var (position, time) = (position, FineTime.zero)
    if let cycle, position.whole >= cycle.beats {
      let turns = position.whole / cycle.beats
      position = position - Position(whole: turns * cycle.beats)
      time = cycle.time.scaled(by: Int(turns), over: 1)
    }
    let piece = pieces[lastPiece { $0.beat <= position.whole }]
    return time + piece.time + piece.curve.time(at: position - Position(whole: piece.beat))
  }

  /// The number of the first beat at or after a time; 0 for negative times.
  public func firstBeat(atOrAfter time: FineTime) -> Int64 {
    if time.count <= 0 { return 0 }
    var (time, before) = (time, Int64(0))
    if let cycle, time > cycle.time {
      let turns = time.count / cycle.time.count
      time = FineTime(count: time.count - turns * cycle.time.count)
      before = Int64(turns) * cycle.beats
    }
    let index = lastPiece { $0.time < time }
    let beat = pieces[index].beat + pieces[index].curve.firstBeat(atOrAfter: time - pieces[index].time)
    let end = index + 1 < pieces.count ? pieces[index + 1].beat : cycle?.beats ?? .max
    return before + min(beat, end)
  }

  /// The piece that contains a beat: its curve, the beat and the time of its beginning in this turn of the cycle, and the first
  /// beat that no longer belongs to it.
  public func piece(atBeat beat: Int64) -> (piece: Piece, end: Int64?) {
    var (offset, time) = (Int64(0), FineTime.zero)
    if let cycle {
      let turns = beat / cycle.beats
      offset = turns * cycle.beats
      time = cycle.time.scaled(by: Int(turns), over: 1)
    }
    let index = lastPiece { $0.beat <= beat - offset }
    var piece = pieces[index]
    piece.beat += offset
    piece.time = piece.time + time
    let next = index + 1 < pieces.count ? pieces[index + 1].beat : cycle?.beats
    return (piece, next.map { $0 + offset })
  }

  /// The index of the last piece that matches, by binary search: matching pieces come first. 0 if none matches.
  private func lastPiece(where matches: (Piece) -> Bool) -> Int {
    var (low, high) = (0, pieces.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if matches(pieces[middle]) { low = middle } else { high = middle }
    }
    return low
  }

  private struct Builder {
    let beatsInBar: Int64
    var pieces: [Piece] = []
    /// Where the next piece begins.
    var beat: Int64 = 0
    var time = FineTime.zero

    init(beatsInBar: Int64) { self.beatsInBar = beatsInBar }

    mutating func add(_ curve: TempoCurve, beats: Int64) {
      if pieces.last?.curve != curve { pieces.append(Piece(beat: beat, time: time, curve: curve)) }
      let last = pieces[pieces.count - 1]
      beat += beats
      time = min(last.time + curve.time(at: Position(whole: beat - last.beat)), .longest)
    }

    mutating func add(_ steps: TempoSteps, step: Int, _ curve: TempoCurve) {
      switch steps.unit {
      case .bar: add(curve, beats: steps.length * beatsInBar)
      case .beat: add(curve, beats: steps.length)
      case .second:
        let deadline = SectionMap.deadline(FineTime(.seconds(steps.length)).scaled(by: step + 1, over: 1))
        add(
          curve, beats: max(barLine(atOrAfter: beat + curve.firstBeat(atOrAfter: deadline - time)) - beat, beatsInBar))
      }
    }

    /// The beat of the first bar line at or after a beat.
    func barLine(atOrAfter beat: Int64) -> Int64 { (beat + beatsInBar - 1) / beatsInBar * beatsInBar }
  }
}
