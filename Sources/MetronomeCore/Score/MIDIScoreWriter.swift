extension MIDIFile {
  /// Positions are in eighths of a tick, so a 1/32 note is a whole number of units: ``ticksPerQuarter``. A time is a position
  /// times microseconds per quarter, so 1 µs is 8 · ``ticksPerQuarter`` units of time. A position has at most 36 bits and a
  /// tempo 24, so no product overflows.
  static let unitsPerTick: Int64 = 8
}

/// Bars of one metre and length in a MIDI file.
struct MIDIBars {
  var start: Int64
  var length: Int64
  var count: Int64
  /// The number of the first, counted from 0.
  var firstBar: Int64
  var signature: Signature
  /// Whether a bar has the length of its signature.
  var isWhole: Bool

  var end: Int64 { start + count * length }
}

/// A marker as the label of a bar, counted from 0.
struct MIDILabel {
  var bar: Int64
  var text: String
  var comment: String

  init(bar: Int64, _ text: String) {
    self.bar = bar
    self.text = String(
      String.UnicodeScalarView(text.unicodeScalars.prefix(40).map { $0.isInLabels ? $0 : "_" }))
    comment = quoted(text)
  }
}

/// The notes of an import for the user, limited in number.
struct ImportNotes {
  private var lines: [String] = []
  private var omitted = 0

  mutating func add(_ line: @autoclosure () -> String) {
    if lines.count < MIDIFile.mostNotes { lines.append(line()) } else { omitted += 1 }
  }

  mutating func omit(_ count: Int) { omitted += count }

  var all: [String] { lines + (omitted > 0 ? ["\(omitted) more notes are not listed"] : []) }
}

/// The tempi of a MIDI file with the times at which they begin.
struct MIDITempi {
  struct Change {
    var place: Int64
    var tempo: Int64
    var time: Int64
  }

  private(set) var changes = [Change(place: 0, tempo: 500_000, time: 0)]

  /// A tempo above 999 BPM is 999 BPM, and an oddity.
  init(_ file: MIDIFile, until end: Int64, _ oddities: inout [MIDIFile.Oddity]) {
    let fastest = ScoreTempo.microsecondsPerQuarter.lowerBound
    for (index, event) in file.tempi.enumerated() where event.tick * MIDIFile.unitsPerTick < end {
      // Only the last tempo at a tick counts.
      if index + 1 < file.tempi.count, file.tempi[index + 1].tick == event.tick { continue }
      let (place, tempo) = (event.tick * MIDIFile.unitsPerTick, max(event.microsecondsPerQuarter, fastest))
      if tempo != event.microsecondsPerQuarter {
        let text = "a tempo of \(event.microsecondsPerQuarter) µs per quarter is \(tempo) µs (999 BPM) here"
        oddities.append(
          MIDIFile.Oddity(offset: event.offset, track: event.track, tick: event.tick, text: text))
      }
      if place == 0 {
        changes[0].tempo = tempo
      } else if tempo != changes[changes.count - 1].tempo {
        changes.append(Change(place: place, tempo: tempo, time: time(at: place)))
      }
    }
  }

  /// The index of the last change at or before a place.
  func index(at place: Int64) -> Int {
    var (low, high) = (0, changes.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if changes[middle].place <= place { low = middle } else { high = middle }
    }
    return low
  }

  func time(at place: Int64) -> Int64 {
    let change = changes[index(at: place)]
    return change.time + (place - change.place) * change.tempo
  }
}

/// Writes the bars of a MIDI file as entries of a score.
struct MIDIScoreWriter {
  private struct Entry {
    var label: MIDILabel?
    var bars: Int64
    /// Signature, tempo and pattern.
    var words: String
    var comment: String?
  }

  private let tempi: MIDITempi
  /// The length of a 1/32 note.
  private let thirtySecond: Int64
  private(set) var text = ""
  var notes: ImportNotes
  private var entry: Entry?
  /// How much later the score is than the file; negative if earlier.
  private var delay: Int64 = 0
  /// How many searches for a ramp may still fail. Each takes milliseconds, and a file may have 100,000 tempi.
  private var searches = 1_000

  init(tempi: MIDITempi, thirtySecond: Int64, notes: ImportNotes) {
    self.tempi = tempi
    self.thirtySecond = thirtySecond
    self.notes = notes
  }

  mutating func writeHead(_ name: String) {
    // Written as code points, invisible characters may make a name longer than that of a song may be.
    let shown = name.unicodeScalars.map { $0 == "\"" ? "'" : shownInMessage($0) }.joined()
    let name = String(shown.unicodeScalars.prefix(Score.longestName))
    guard !name.isEmpty else { return }
    // A combining mark at either end of the name would form one character with the quotation mark.
    let isPlain = "\"\(name)\"".count == name.count + 2
    let safe = isPlain ? name : name.unicodeScalars.map { $0.isASCII ? String($0) : "_" }.joined()
    text += "song \"\(safe)\"\n"
  }

  /// `labels` are those of all bars; `next` is the index of the first label that is not written yet.
  mutating func write(_ bars: MIDIBars, _ labels: [MIDILabel], _ next: inout Int) {
    var done: Int64 = 0
    while done < bars.count {
      let (number, start) = (bars.firstBar + done, bars.start + done * bars.length)
      var label: MIDILabel?
      if next < labels.count, labels[next].bar == number {
        label = labels[next]
        next += 1
      }
      let tempo = tempi.index(at: start)
      let most = next < labels.count ? min(bars.count - done, labels[next].bar - number) : bars.count - done
      var count = bars.isWhole ? most : 0
      if tempo + 1 < tempi.changes.count { count = min(count, (tempi.changes[tempo + 1].place - start) / bars.length) }
      if count > 0 {
        let written = WrittenTempo(tempi.changes[tempo].tempo)
        add(
          Entry(label: label, bars: count, words: "\(bars.signature) \(written.text)", comment: written.comment))
        done += count
      } else if bars.isWhole, searches > 0, let (ramp, count) = ramp(bars, start, tempo, atMost: most) {
        write(ramp, count, bars.signature, number, label)
        done += count
      } else {
        writeBar(bars, number, start, tempo, label)
        done += 1
      }
    }
  }

  /// The longest ramp from a bar line on, and its bars; nil if there is none.
  private mutating func ramp(
    _ bars: MIDIBars, _ start: Int64, _ tempo: Int, atMost most: Int64
  ) -> (ramp: MIDIRamp, bars: Int64)? {
    let changes = tempi.changes
    // The tempi go on in one direction, and each lasts less than a bar.
    var last = tempo
    let farthest = start + MIDIRamp.mostBars * bars.length
    while last + 1 < changes.count, changes[last].place < farthest,
      changes[last + 1].place - max(changes[last].place, start) < bars.length,
      last == tempo
        || (changes[last + 1].tempo > changes[last].tempo) == (changes[last].tempo > changes[last - 1].tempo)
    { last += 1 }
    guard last - tempo + 1 >= MIDIRamp.fewestSteps else { return nil }
    let next = last + 1 < changes.count ? changes[last + 1].place : .max
    let end = min(next, changes[last].place + bars.length)
    let nanoseconds = 1_000 / Double(MIDIFile.unitsPerTick * thirtySecond)
    let isSteadyBefore = tempo > 0 && start - changes[tempo - 1].place >= bars.length
    let isSteadyAfter = next - changes[last].place >= bars.length
    func ramp(_ count: Int64) -> MIDIRamp? {
      let last = tempi.index(at: start + count * bars.length - 1)
      guard last - tempo + 1 >= MIDIRamp.certainSteps || isSteadyBefore || isSteadyAfter else { return nil }
      return MIDIRamp(
        tempi, tempo...last, from: start, bars: count, of: bars.length, bars.signature,
        late: Double(delay) * nanoseconds, nanoseconds: nanoseconds)
    }
    // The number of bars is above `low`, which is too short or is that of a ramp, and below `high`.
    var low = (changes[tempo + MIDIRamp.fewestSteps - 1].place - start) / bars.length
    var high = min(most, (end - start) / bars.length, MIDIRamp.mostBars) + 1
    var found: (ramp: MIDIRamp, bars: Int64)?
    var count = high - 1
    while count > low, count < high {
      if let ramp = ramp(count) { (found, low) = ((ramp, count), count) } else { high = count }
      count = (low + high) / 2
    }
    if found == nil { searches -= 1 }
    return found
  }

  private mutating func write(
    _ ramp: MIDIRamp, _ count: Int64, _ signature: Signature, _ number: Int64, _ label: MIDILabel?
  ) {
    let units = Double(MIDIFile.unitsPerTick * thirtySecond)
    delay = Int64((ramp.delay * units / 1_000).rounded())
    let bars = count == 1 ? "bar \(number + 1)" : "bars \(number + 1) to \(number + count)"
    let farthest = decimal(thousandths: Int((ramp.farthest / 1_000).rounded()))
    let late = shownDelay
    notes.add(
      "\(bars): \(ramp.steps) tempi are the change \(ramp.text) here; its beats are within \(farthest) ms of the file's;"
        + " the bar lines after it are \(late)")
    // Another change between the same tempi is not merged with it.
    finishEntry()
    add(Entry(label: label, bars: count, words: "\(signature) \(ramp.text)"))
    finishEntry()
  }

  /// Writes a bar in which the tempo changes, or which is longer or shorter than its signature.
  private mutating func writeBar(
    _ bars: MIDIBars, _ number: Int64, _ start: Int64, _ tempo: Int, _ label: MIDILabel?
  ) {
    // All tempo changes within the bar are at multiples of this length.
    var grid = bars.length
    var last = tempo
    while last + 1 < tempi.changes.count, tempi.changes[last + 1].place < start + bars.length {
      last += 1
      grid = Int64(greatestCommonDivisor(Int128(grid), Int128(tempi.changes[last].place - start)))
    }
    var written = WrittenBar(bars, grid: grid, thirtySecond)
    if written.isExact, last == tempo {
      let tempo = WrittenTempo(tempi.changes[tempo].tempo)
      return add(Entry(label: label, bars: 1, words: written.words(tempo.text), comment: tempo.comment))
    }
    let range = ScoreTempo.microsecondsPerQuarter
    let end = start + bars.length
    if written.length > bars.length {
      let rest = tempi.time(at: end) - tempi.time(at: start + written.length - written.note)
      if rest < range.lowerBound * written.note { written.count -= 1 }
    }
    var time = tempi.time(at: start) + delay
    var list: [String] = []
    for note in 1...written.count {
      let target = tempi.time(at: note < written.count ? start + Int64(note) * written.note : end)
      let nearest = (target - time + written.note / 2) / written.note
      let own = min(max(nearest, range.lowerBound), range.upperBound)
      time += own * written.note
      list.append(WrittenTempo(own).text)
    }
    delay = time - tempi.time(at: end)
    if !written.isExact { addNote(bars, number, written) }
    // An entry with a list of tempi is not merged with another one.
    finishEntry()
    add(Entry(label: label, bars: 1, words: written.words(list.joined(separator: ","))))
    finishEntry()
  }

  private mutating func addNote(_ bars: MIDIBars, _ number: Int64, _ written: WrittenBar) {
    let note = "1/\(written.denominator) note"
    let what: String
    if written.length == bars.length {
      what = "the tempo changes within a \(note), which has the mean tempo here"
    } else {
      let ticks = decimal(thousandths: Int(bars.length * 1_000 / MIDIFile.unitsPerTick))
      let how = written.length < bars.length ? "longer" : "shorter"
      what = "its length of \(ticks) ticks is not a whole number of \(note)s; its last one is \(how) here"
    }
    let late = shownDelay
    notes.add("bar \(number + 1): \(what); the bar lines after it are \(late)")
  }

  private var shownDelay: String {
    let units = MIDIFile.unitsPerTick * thirtySecond
    let thousandths = (delay.magnitude * 1_000 + UInt64(units) / 2) / UInt64(units)
    let shown = thousandths > 0 ? decimal(thousandths: Int(thousandths)) : "less than 0.001"
    return delay == 0 ? "exact" : "\(shown) µs \(delay > 0 ? "late" : "early")"
  }

  private mutating func add(_ next: Entry) {
    if next.label == nil, entry?.words == next.words {
      entry?.bars += next.bars
    } else {
      finishEntry()
      entry = next
    }
  }

  mutating func finishEntry() {
    guard let entry else { return }
    self.entry = nil
    if let label = entry.label { text += label.text + ": " }
    text += "\(entry.bars) \(entry.words)"
    let comment = [entry.label?.comment, entry.comment].compactMap(\.self).joined(separator: ", ")
    if !comment.isEmpty { text += "  # " + comment }
    text += "\n"
  }
}

/// A tempo of a MIDI file as it is written, always exactly.
struct WrittenTempo {
  let text: String
  /// The BPM, rounded to thousandths, of a tempo that is written in microseconds; nil for one in BPM.
  let comment: String?

  /// In BPM if it has at most six decimals, otherwise in microseconds per quarter.
  init(_ microseconds: Int64) {
    let minute: Int64 = 60_000_000
    let (micro, rest) = (1_000_000 * minute).quotientAndRemainder(dividingBy: microseconds)
    if rest == 0 {
      (text, comment) = (ScoreTempo.number(micro), nil)
    } else {
      text = "\(microseconds)us"
      comment = decimal(thousandths: Int((1_000 * minute + microseconds / 2) / microseconds)) + " BPM"
    }
  }
}

/// How a bar is written: in the notes of its signature, or in shorter notes, with rests off the beat.
private struct WrittenBar {
  let signature: Signature
  private(set) var denominator: Int
  /// The length of a note.
  private(set) var note: Int64
  var count: Int
  /// Whether it has the length of the bar, and the tempo changes only at the beginnings of its notes.
  private(set) var isExact = false

  var length: Int64 { Int64(count) * note }

  /// Chooses the longest notes that are exact; if there are none, the shortest of which at most 32 fill the bar.
  init(_ bars: MIDIBars, grid: Int64, _ thirtySecond: Int64) {
    signature = bars.signature
    (denominator, note, count) = (0, 0, 0)
    var next = signature.denominator
    while next <= 32, !isExact {
      let note = thirtySecond * Int64(32 / next)
      let most = Int64(signature.numerator * (next / signature.denominator))
      let count = min((bars.length + note - 1) / note, most)
      if count > Signature.highestNumerator { return }
      (denominator, self.note, self.count) = (next, note, Int(count))
      isExact = grid % note == 0 && count * note == bars.length
      next *= 2
    }
  }

  /// The signature, the tempo, and the pattern.
  func words(_ tempo: String) -> String {
    let notesInBeat = denominator / signature.denominator
    guard notesInBeat > 1 else {
      var (groups, rest) = ([Int](), count)
      for group in signature.groups where rest > 0 {
        groups.append(min(group, rest))
        rest -= group
      }
      return groups.map(String.init).joined(separator: "+") + "/\(denominator) \(tempo)"
    }
    let pattern = (0..<count).map { note in
      let (beat, part) = note.quotientAndRemainder(dividingBy: notesInBeat)
      if part > 0 { return Level.rest.mark }
      return Metre(signature).level(ofNote: beat).mark
    }
    return "\(count)/\(denominator) \(tempo) \(pattern.joined())"
  }
}
