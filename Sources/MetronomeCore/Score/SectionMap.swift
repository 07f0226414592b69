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

/// A section in a timeline.
struct PlacedSection: Sendable {
  let song: Int
  let occurrence: SongMap.Occurrence
  let section: Section
  /// The map at the song's own speed.
  let map: SectionMap
  /// The song's own speed, and the practice speed at which the section is played.
  let mapSpeed: Int
  var speed: Int
  /// When its first beat falls, after the count-in.
  var origin: FineTime
  /// When it begins, with its count-in. Taps after that move ``origin``, but not this.
  var begin: FineTime
  /// The number of its first beat in the timeline.
  var firstBeat: Int64
  /// The bars that are counted in before it.
  let countIn: Int
  /// The beat at which it ends or is left, negative in the count-in; nil: without an end.
  var end: Int64?
  /// What follows if the section is left early. `speed`, in thousandths, is that of a recalled place; nil: see
  /// ``ScorePlayer/speed(ofSong:)``.
  var leavesFor: (song: Int, occurrence: SongMap.Occurrence?, speed: Int?)?

  var beatsInBar: Int64 { Int64(map.beatsInBar) }
  var countInBeats: Int64 { Int64(countIn) * beatsInBar }

  /// When a beat falls, counted from the first one after the count-in.
  func time(ofBeat beat: Int64) -> FineTime {
    if beat < 0 { return placedCountIn.time(of: Position(whole: firstBeat + beat)) }
    return origin + map.time(at: Position(whole: beat)).scaled(by: mapSpeed, over: speed)
  }

  /// The first beat at or after an instant; negative in the count-in.
  func firstBeat(atOrAfter instant: Instant) -> Int64 {
    // The scaled time is rounded, so this beat may be off by one. Before the first one are those of the count-in.
    let time = FineTime.earliest(at: instant)
    var beat = map.firstBeat(atOrAfter: (time - origin).scaled(by: speed, over: mapSpeed))
    while beat > -countInBeats, self.time(ofBeat: beat - 1) >= time { beat -= 1 }
    while self.time(ofBeat: beat) < time { beat += 1 }
    return beat
  }

  /// Where its count-in begins.
  var start: FineTime {
    countIn == 0 ? origin : origin - countInCurve.time(at: Position(whole: countInBeats))
  }

  var countInCurve: TempoCurve { map.pieces[0].curve.initial.rescaled(from: mapSpeed, to: speed) }

  var placedCountIn: PlacedCurve { PlacedCurve(curve: countInCurve, beat: firstBeat - countInBeats, origin: start) }
}

/// A pause in a timeline.
struct PlacedPause: Sendable {
  let song: Int
  let occurrence: SongMap.Occurrence
  let begin: FineTime
  /// When it ends; nil: when the musician goes on.
  var end: FineTime?
  /// The number of the beat that follows it.
  let beat: Int64
}

extension Segment {
  /// Moves the curve later if its first beat is before an instant, for example because a scaled time was rounded down.
  mutating func delay(to instant: Instant) {
    guard case .curve(var curve) = course else { return }
    let first = curve.time(of: Position(whole: firstIndex))
    guard first < .earliest(at: instant) else { return }
    curve.origin = curve.origin + (FineTime(instant - .zero) - first)
    course = .curve(curve)
  }
}
