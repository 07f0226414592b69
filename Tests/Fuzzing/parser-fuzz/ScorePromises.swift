import MetronomeCore

/// Invariants of the parser of scores and of the map of a song.
enum ScorePromises {
  static func check(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    do throws(NotationError) {
      for song in try Score(text: text).songs { check(song) }
    } catch {
      requireOneLine(error.text)
      let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      let isInside =
        (1...lines.count).contains(error.line) && (1...lines[error.line - 1].count + 1).contains(error.column)
      require(isInside, "no such place: \(error)")
    }
  }

  /// Each part begins where the one before ends, and is found by its bar, its beat and its time.
  private static func check(_ song: Song) {
    guard let map = SongMap(song), let first = map.first else { return require(false, "a song without parts") }
    var own = first
    for count in 0..<50 {
      // What follows a block that was left is counted as if the block had no bars.
      let isLeft = count % 7 == 6
      guard let next = map.next(after: own, leaving: isLeft) else { break }
      require(isLeft || next.start.time >= own.start.time, "a part begins before the one before it")
      if case .section(let section) = own.part {
        let map = SectionMap(section, scale: song.scale)
        let end = own.start.bars + (map.bars ?? 0)
        require(isLeft || next.start.bars >= end, "a part begins before the section before it ends")
        checkBeats(map)
      }
      own = next
    }
    for bar in [0, 1, 5, map.total.bars - 1] where bar >= 0 {
      guard let found = map.occurrence(atBar: bar) else { continue }
      require(found.start.bars <= bar, "the section at bar \(bar) begins later")
    }
  }

  /// Beats follow one another, and each is found by its time.
  private static func checkBeats(_ map: SectionMap) {
    var last = FineTime(count: -1)
    let beats = map.beats ?? 64
    for beat in [0, 1, 2, 3, beats / 2, beats - 1, beats].sorted() where beat >= 0 {
      let time = map.time(at: Position(beat))
      require(time >= last, "beat \(beat) is early")
      require(map.firstBeat(atOrAfter: time) == beat, "beat \(beat) is not found by its time")
      last = time
    }
  }
}
