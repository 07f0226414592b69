import MetronomeCore

/// The bytes of Standard MIDI Files and of their events.
enum MIDIBytes {
  typealias Event = (tick: Int, bytes: [UInt8])

  static func file(format: Int = 1, division: Int = 480, _ tracks: [[UInt8]]) -> [UInt8] {
    let header = big(format, 2) + big(tracks.count, 2) + big(division, 2)
    return chunk("MThd", header) + tracks.flatMap { chunk("MTrk", $0) }
  }

  /// A file of one track.
  static func file(division: Int = 480, end: Int, _ events: [Event]) -> [UInt8] {
    file(division: division, [track(end: end, events)])
  }

  /// A track's contents; events of the same tick keep their order.
  static func track(end: Int, _ events: [Event]) -> [UInt8] {
    var (bytes, tick) = ([UInt8](), 0)
    let ordered = events.enumerated().sorted { ($0.element.tick, $0.offset) < ($1.element.tick, $1.offset) }
    let last: Event = (end, meta(0x2F, []))
    let all = ordered.map { $0.element } + [last]
    for event in all {
      bytes += quantity(event.tick - tick) + event.bytes
      tick = event.tick
    }
    return bytes
  }

  /// Quarters at a division of 480, each of which sounds for an eighth.
  static func notes(_ count: Int) -> [Event] {
    (0..<count).flatMap { number -> [Event] in
      let tick = number * 480
      return [(tick, [0x90, 60, 90]), (tick + 240, [0x80, 60, 0])]
    }
  }

  static func tempo(_ tick: Int, _ microseconds: Int) -> Event { (tick, meta(0x51, big(microseconds, 3))) }

  static func signature(_ tick: Int, _ numerator: Int, _ denominator: Int, clocks: Int = 24) -> Event {
    (tick, meta(0x58, big(numerator, 1) + big(denominator.trailingZeroBitCount, 1) + big(clocks, 1) + [8]))
  }

  static func marker(_ tick: Int, _ text: String) -> Event { (tick, meta(0x06, Array(text.utf8))) }

  static func meta(_ type: UInt8, _ contents: [UInt8]) -> [UInt8] {
    [0xFF, type] + quantity(contents.count) + contents
  }

  static func chunk(_ type: String, _ contents: [UInt8]) -> [UInt8] {
    Array(type.utf8) + big(contents.count, 4) + contents
  }

  /// A variable-length quantity.
  static func quantity(_ value: Int) -> [UInt8] {
    var bytes = [UInt8(value & 0x7F)]
    var rest = value >> 7
    while rest > 0 {
      bytes.insert(UInt8(rest & 0x7F | 0x80), at: 0)
      rest >>= 7
    }
    return bytes
  }

  static func big(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
  }
}

/// Where the bars of a song begin, in ns from its beginning, and last its end.
func barLines(_ map: SongMap) -> [Int64] {
  var lines: [Int64] = []
  var next = map.first
  while let own = next {
    if case .section(let section) = own.part {
      let beats = SectionMap(section)
      for bar in 0..<(beats.bars ?? 0) {
        lines.append((own.start.time + beats.time(at: Position(bar * Int64(beats.beatsInBar)))).nanoseconds.count)
      }
    }
    next = map.next(after: own)
  }
  return lines + [map.total.time.nanoseconds.count]
}

/// Whether a piece with a tempo begins at an instant.
func hasChange(_ map: SongMap, at instant: Int64, to tempo: Int64) -> Bool {
  let time = FineTime(Nanoseconds(instant))
  guard let own = map.occurrence(at: time), case .section(let section) = own.part,
    let wanted = ScoreTempo(microsecondsPerQuarter: tempo)
  else { return false }
  let beats = SectionMap(section)
  let beat = beats.firstBeat(atOrAfter: time - own.start.time)
  let begins = own.start.time + beats.time(at: Position(beat)) == time
  return begins && beats.piece(atBeat: beat).piece.curve == TempoCurve(wanted, section.bar.metre)
}
