import MetronomeCore

/// A song as it is drawn: pieces from left to right, with a bounded size for every song.
struct ScorePlan {
  struct Piece {
    enum Content {
      case section(Section, SectionMap, beats: Int64)
      /// Sections of one label, too short to be drawn one by one. The tempi at equal distances.
      case overview(label: String?, tempi: [Double])
      case pause(String)
      /// Repetitions or parts that are not drawn.
      case omitted(String)
    }

    var content: Content
    /// From the beginning of the song.
    var start: FineTime
    /// The number of its first bar as it is played, counted from 0; nil: it has none.
    var bar: Int64?
    /// The duration in seconds; nil for a part that has none, or one that the musician decides: a wait, omitted repetitions.
    var seconds: Double?
    /// Whether the start depends on the musician.
    var startIsOpen = false

    var isEndless: Bool { if case .section(_, let map, _) = content { map.beats == nil } else { false } }
  }

  /// The repetitions of a block, as a range of pieces.
  struct Repeat {
    /// nil: until the musician leaves the block.
    var count: Int64?
    var depth: Int
    var pieces: Range<Int>
  }

  /// The bars that are drawn of a section without an end.
  static let barsWithoutEnd: Int64 = 8

  private(set) var pieces: [Piece] = []
  private(set) var repeats: [Repeat] = []
  private let map: SongMap
  /// The practice speed of the song, in thousandths.
  private let scale: Int
  private let mostPieces: Int
  private var isOpen = false
  /// The blocks around the last piece with the first piece of each, from the outermost.
  private var open: [(path: [SongMap.Occurrence.Step], block: Song.Block, first: Int)] = []

  /// `mostPieces`: the highest number of pieces. If a song with an end has more, the pieces are parts of equal duration.
  init?(_ song: Song, mostPieces: Int) {
    guard let map = SongMap(song) else { return nil }
    (self.map, scale, self.mostPieces) = (map, song.scale, mostPieces)
    var occurrence = map.first
    while let here = occurrence {
      guard pieces.count + Score.deepestNesting < mostPieces else {
        if song.parts.isOpen {
          pieces.append(
            Piece(
              content: .omitted("more"), start: here.start.time, bar: here.start.bars, seconds: nil, startIsOpen: isOpen
            ))
        } else {
          (pieces, repeats, open) = ([], [], [])
          addOverview()
        }
        break
      }
      enter(here, song)
      add(here)
      occurrence = next(after: here)
    }
    leave(to: 0)
  }

  private mutating func add(_ occurrence: SongMap.Occurrence) {
    let start = occurrence.start.time
    var piece = Piece(content: .omitted(""), start: start, seconds: nil, startIsOpen: isOpen)
    switch occurrence.part {
    case .section(let section):
      piece.bar = occurrence.start.bars
      let map = SectionMap(section, scale: scale)
      let bar = Int64(map.beatsInBar)
      let end = map.cycle?.beats ?? map.pieces[map.pieces.count - 1].beat + ScorePlan.barsWithoutEnd * bar
      let beats = map.beats ?? (end + bar - 1) / bar * bar
      piece.content = .section(section, map, beats: beats)
      piece.seconds = map.time(at: Position(beats)).seconds
      if map.beats == nil { isOpen = true }
    case .pause(let pause) where pause.length == .wait:
      piece.content = .pause("wait")
      isOpen = true
    case .pause(let pause):
      piece.content = .pause(pause.label ?? "pause")
      let end = map.next(after: occurrence)?.start.time ?? map.total.time
      piece.seconds = (end - start).seconds
    case .block: return
    }
    pieces.append(piece)
  }

  /// Follows the path of an occurrence into and out of blocks.
  private mutating func enter(_ occurrence: SongMap.Occurrence, _ song: Song) {
    var path: [SongMap.Occurrence.Step] = []
    var parts = song.parts
    for (depth, step) in occurrence.path.dropLast().enumerated() {
      guard case .block(let block) = parts[step.part] else { return }
      parts = block.parts
      path.append(SongMap.Occurrence.Step(step.part, like: step))
      if depth < open.count, open[depth].path == path {
        path[depth] = step
        continue
      }
      leave(to: depth)
      open.append((path, block, pieces.count))
      path[depth] = step
    }
    leave(to: occurrence.path.count - 1)
  }

  private mutating func leave(to depth: Int) {
    while open.count > depth {
      let (_, block, first) = open.removeLast()
      guard block.count != 1 else { continue }
      repeats.append(Repeat(count: block.count, depth: open.count, pieces: first..<pieces.count))
    }
  }

  /// What is drawn after an occurrence: the next one, but no more than the first repetitions of a block.
  private mutating func next(after occurrence: SongMap.Occurrence) -> SongMap.Occurrence? {
    var occurrence = occurrence
    while let next = map.next(after: occurrence) {
      let around = zip(next.path, open)
      guard let depth = Array(around).firstIndex(where: { $0.turn >= ScorePlan.turns(of: $1.block) }) else {
        return next
      }
      let block = open[depth].block
      let rest = block.count == nil ? "again" : "more"
      leave(to: depth + 1)
      pieces.append(Piece(content: .omitted(rest), start: next.start.time, seconds: nil, startIsOpen: isOpen))
      if block.count == nil { isOpen = true }
      // After the block: a path that ends at it.
      occurrence.path = Array(next.path[...depth])
    }
    return nil
  }

  /// The number of repetitions of a block that are drawn.
  private static func turns(of block: Song.Block) -> Int64 { block.count == nil ? 1 : 8 }

  /// Pieces of equal duration, merged if they have the same label.
  private mutating func addOverview() {
    let total = map.total.time
    let slots = mostPieces * 3
    var before: (path: [SongMap.Occurrence.Step], map: SectionMap)?
    for slot in 0..<slots {
      let time = total.scaled(by: slot, over: slots)
      if let here = map.occurrence(at: time), case .section(let section) = here.part {
        let known = before?.path == here.path ? before?.map : nil
        let own = known ?? SectionMap(section, scale: scale)
        before = (here.path, own)
        let beat = min(own.firstBeat(atOrAfter: time - here.start.time), (own.beats ?? .max) - 1)
        let bar = here.start.bars + beat / Int64(own.beatsInBar)
        addSample(section.label, own.tempo(at: Position(beat), section.bar.metre), at: time, bar: bar)
      } else if pieces.isEmpty {
        pieces.append(Piece(content: .pause("pause"), start: time, seconds: 0))
      }
      let end = total.scaled(by: slot + 1, over: slots)
      pieces[pieces.count - 1].seconds = (end - pieces[pieces.count - 1].start).seconds
    }
  }

  private mutating func addSample(_ label: String?, _ tempo: Double, at time: FineTime, bar: Int64) {
    let isFull = pieces.count >= mostPieces
    if case .overview(let before, let tempi) = pieces.last?.content, before == label || isFull {
      // A band of several labels has none.
      let shown = before == label ? label : nil
      pieces[pieces.count - 1].content = .overview(label: shown, tempi: tempi + [tempo])
    } else {
      pieces.append(Piece(content: .overview(label: label, tempi: [tempo]), start: time, bar: bar, seconds: 0))
    }
  }
}

extension SongMap.Occurrence.Step {
  /// A step to a part in the first repetition. A step can only be copied.
  fileprivate init(_ part: Int, like step: SongMap.Occurrence.Step) {
    self = step
    (self.part, turn) = (part, 0)
  }
}

extension SectionMap {
  /// The tempo at a position in BPM, from the duration of the part of a beat that follows.
  func tempo(at position: Position, _ metre: Metre) -> Double {
    let part: Int64 = 1_024
    let duration = (time(at: position + Position(1, over: part)) - time(at: position)).seconds
    let quarters = Double(4 * metre.notesInBeat) / Double(metre.signature.denominator)
    return 60 * quarters / Double(part) / duration
  }
}

extension FineTime {
  /// For drawings only.
  var seconds: Double { Double(count) / Double(FineTime(.seconds(1)).count) }
}
