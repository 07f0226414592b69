import MetronomeCore

/// Invariants of the reader of MIDI files and of the scores that are made of them.
enum MIDIPromises {
  /// Either one line reports the error, at a byte of the file, or the score is accepted and has the file's bar lines.
  static func check(_ bytes: [UInt8]) {
    let file: MIDIFile
    do throws(MIDIFileError) { file = try MIDIFile(bytes) } catch {
      requireOneLine(error.description)
      return require((0...bytes.count).contains(error.offset), "no such byte: \(error)")
    }
    let score = file.score()
    require(score.notes.count <= 51, "\(score.notes.count) notes")
    for note in score.notes { requireOneLine(note) }
    // An event begins few entries, each of which has at most 32 tempi, and four markers beside it.
    let events = file.tempi.count + file.signatures.count + file.markers.count + 1
    require(score.text.utf8.count < 2_000 * events, "\(score.text.utf8.count) bytes of \(events) events")
    do throws(NotationError) {
      let songs = try Score(text: score.text).songs
      guard songs.count == 1, let map = SongMap(songs[0]) else { fatalError("no song: \(score.text)") }
      check(map, file, score)
    } catch {
      fatalError("the score is refused: \(error): \(score.text)")
    }
  }

  /// Compares the first bar lines with the file's.
  private static func check(_ map: SongMap, _ file: MIDIFile, _ score: ImportedScore) {
    let lines = BarLines(file)
    let hasNotes = !score.notes.isEmpty
    var (count, next) = (0, map.first)
    while let own = next, count < 200 {
      guard case .section(let section) = own.part, let bars = section.bars else { fatalError("not a section") }
      let beats = SectionMap(section)
      for bar in 0..<min(bars, 200) where own.start.bars + bar < lines.count {
        let time = own.start.time + beats.time(at: Position(bar * Int64(beats.beatsInBar)))
        let distance = time.nanoseconds.count - lines.instants[Int(own.start.bars + bar)]
        // The longest bar has 32 notes, of which the shortest possible ones last four quarters and are off by 2 µs.
        require(hasNotes ? distance.magnitude <= 2_001 : distance == 0, "bar \(own.start.bars + bar): \(distance) ns")
        count += 1
      }
      next = map.next(after: own)
    }
    if let bars = lines.total { require(map.total.bars == bars, "\(map.total.bars) bars instead of \(bars)") }
  }

  /// The instants of the first bar lines in ns, rounded down.
  private struct BarLines {
    var instants: [Int64] = []
    /// The number of all bars, if they are as few.
    var total: Int64?
    var count: Int64 { Int64(instants.count) }

    /// One bar after another, up to a rest that is joined to another bar, a metre that differs only in its clicks, or one that a
    /// score cannot have.
    init(_ file: MIDIFile) {
      var metres = [(tick: Int64(0), numerator: 4, power: 2, clocks: 24)]
      for event in file.signatures where event.tick < max(file.end, 1) {
        if metres[metres.count - 1].tick == event.tick { metres.removeLast() }
        metres.append((event.tick, event.numerator, event.power, event.clocksPerClick))
      }
      let thirtySecond = Int64(file.ticksPerQuarter)
      var (place, index) = (Int64(0), 0)
      while instants.count < 200 {
        let metre = metres[index]
        guard metre.numerator <= 32, metre.power <= 5 else { return }
        instants.append(BarLines.instant(place, file))
        // The next one that differs.
        var next = index + 1
        while next < metres.count, metres[next].numerator == metre.numerator, metres[next].power == metre.power {
          if metres[next].clocks != metre.clocks { return }
          next += 1
        }
        let line = place + thirtySecond * 32 / (Int64(1) << Int64(metre.power)) * Int64(metre.numerator)
        if next < metres.count {
          let change = metres[next].tick * 8
          let isJoined = change > line ? change - line < thirtySecond : change - place < thirtySecond
          if isJoined { return }
          place = min(line, change)
          if place == change { index = next }
        } else if line >= file.end * 8 {
          total = Int64(instants.count)
          return
        } else {
          place = line
        }
      }
    }

    /// The time of a place in eighths of a tick.
    private static func instant(_ place: Int64, _ file: MIDIFile) -> Int64 {
      var (sum, before, tempo) = (Int128(0), Int64(0), Int64(500_000))
      for event in file.tempi where event.tick < max(file.end, 1) && event.tick * 8 <= place {
        sum += Int128(event.tick * 8 - before) * Int128(tempo)
        (before, tempo) = (event.tick * 8, max(event.microsecondsPerQuarter, 60_061))
      }
      sum += Int128(place - before) * Int128(tempo)
      return Int64(sum * 1_000 / Int128(8 * file.ticksPerQuarter))
    }
  }
}
