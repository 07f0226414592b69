/// The text of a score that was converted from another format.
public struct ImportedScore: Hashable, Sendable {
  /// ``Score/init(text:)`` accepts it.
  public var text: String
  /// How the score differs from the file: messages for the user, one line each.
  public var notes: [String]

  public init(text: String, notes: [String]) {
    self.text = text
    self.notes = notes
  }
}

extension MIDIFile {
  /// The maximum number of ``ImportedScore/notes``; one more line counts the rest.
  static let mostNotes = 50

  /// The text of a score with the tempi, bars and markers of the file. Throws if a tempo or a time signature is out of range.
  ///
  /// Bar lines, beats and changes of tempo have the same instants as in the file, with these exceptions, each of which has a
  /// note:
  /// - A bar in which the tempo changes is written in the longest notes that put each change at the beginning of a note; only
  ///   the beats sound. If such notes are shorter than 1/32, or the bar has more than 32 of them, the shortest possible are
  ///   used, and a note in which the tempo changes gets its mean tempo, in whole microseconds. The bar lines after it are off
  ///   by at most 1/16 µs for 1/32 notes, or 1/2 µs for 1/4 notes, until the next such bar corrects it.
  /// - A bar that a new time signature cuts short is a bar of its own. If its length is not a whole number of notes, its last
  ///   note is longer or shorter. A remainder of less than 1/32 is added to the bar before it, or to the first bar.
  /// - A marker is at the nearest bar line. The last bar is completed, without a note for the user.
  ///
  /// A time signature whose metronome click lasts several notes has groups, such as 3+3/8. 24 clocks per click are ignored,
  /// because most programs write that value in every metre. A repeated time signature changes nothing. Tempi and metres at the
  /// end are ignored.
  public func score() throws(MIDIFileError) -> ImportedScore {
    var notes = ImportNotes()
    let tempi = try MIDITempi(self)
    let runs = try self.runs(&notes)
    var writer = MIDIScoreWriter(tempi: tempi, thirtySecond: Int64(ticksPerQuarter), notes: notes)
    let labels = self.labels(runs, &writer.notes)
    writer.writeHead(name)
    var next = 0
    for run in runs { writer.write(run, labels, &next) }
    writer.finishEntry()
    return ImportedScore(text: writer.text, notes: writer.notes.all)
  }
}

extension MIDIFile {
  /// The bars from the beginning to the end.
  private func runs(_ notes: inout ImportNotes) throws(MIDIFileError) -> [MIDIBars] {
    let metres = try self.metres(&notes)
    let (thirtySecond, end) = (Int64(ticksPerQuarter), end * MIDIFile.unitsPerTick)
    var runs: [MIDIBars] = []
    var (start, bars) = (Int64(0), Int64(0))
    for (index, metre) in metres.enumerated() {
      let signature = metre.signature
      let whole = thirtySecond * Int64(32 / signature.denominator * signature.numerator)
      func add(_ count: Int64, _ length: Int64) {
        guard count > 0 else { return }
        runs.append(
          MIDIBars(
            start: start, length: length, count: count, firstBar: bars, signature: signature,
            isWhole: length == whole))
        (start, bars) = (start + count * length, bars + count)
      }
      var count: Int64
      var rest: Int64 = 0
      // The length of the metre before, if it was shorter than 1/32.
      let before = metre.place - start
      if index + 1 < metres.count {
        let next = metres[index + 1].place
        if next - start < thirtySecond { continue }
        (count, rest) = (next - metre.place).quotientAndRemainder(dividingBy: whole)
      } else {
        count = max(1, (end - metre.place + whole - 1) / whole)
      }
      if count == 0 {
        add(1, before + rest)
        continue
      }
      let joined = rest < thirtySecond ? rest : 0
      if count == 1 {
        add(1, before + whole + joined)
      } else {
        let plain = count - (before > 0 ? 1 : 0) - (joined > 0 ? 1 : 0)
        if before > 0 { add(1, before + whole) }
        add(plain, whole)
        if joined > 0 { add(1, whole + joined) }
      }
      if joined < rest { add(1, rest) }
    }
    return runs
  }

  /// The changes of the metre; the first is at the beginning.
  private func metres(_ notes: inout ImportNotes) throws(MIDIFileError) -> [(place: Int64, signature: Signature)] {
    var metres = [(place: Int64(0), signature: Signature.initial)]
    for (index, event) in signatures.enumerated() where event.tick < max(end, 1) {
      if index + 1 < signatures.count, signatures[index + 1].tick == event.tick { continue }
      let (signature, place) = (try event.signature(), event.tick * MIDIFile.unitsPerTick)
      if event.thirtySecondsPerQuarter != 8 {
        notes.add(
          "the time signature at tick \(event.tick) has \(event.thirtySecondsPerQuarter) 1/32 notes in a quarter;"
            + " 8 are assumed")
      }
      let last = metres[metres.count - 1]
      if place == 0 {
        metres[0].signature = signature
      } else if signature != last.signature {
        metres.append((place, signature))
      } else if (place - last.place)
        % (Int64(ticksPerQuarter) * Int64(32 / signature.denominator * signature.numerator)) != 0
      {
        notes.add(
          "the time signature \(signature) is repeated at tick \(event.tick), within a bar; no bar begins there")
      }
    }
    return metres
  }

  /// The labels of bars, in their order.
  private func labels(_ runs: [MIDIBars], _ notes: inout ImportNotes) -> [MIDILabel] {
    var labels: [MIDILabel] = []
    var run = 0
    var found: [(bar: Int64, isCue: Bool, offset: Int, text: String)] = []
    for marker in markers {
      let place = marker.tick * MIDIFile.unitsPerTick
      while run + 1 < runs.count, runs[run + 1].start <= place { run += 1 }
      let (bar, rest) = (place - runs[run].start).quotientAndRemainder(dividingBy: runs[run].length)
      let nearest = runs[run].firstBar + bar + (2 * rest > runs[run].length ? 1 : 0)
      guard nearest < runs[runs.count - 1].firstBar + runs[runs.count - 1].count else {
        notes.add("the marker \(quoted(marker.text)) is at the end, where no bar begins; it is left out")
        continue
      }
      if rest != 0 {
        notes.add(
          "the marker \(quoted(marker.text)) is within bar \(runs[run].firstBar + bar + 1);"
            + " its label is at the beginning of bar \(nearest + 1)")
      }
      found.append((nearest, marker.isCue, marker.offset, marker.text))
    }
    found.sort { ($0.bar, $0.isCue ? 1 : 0, $0.offset) < ($1.bar, $1.isCue ? 1 : 0, $1.offset) }
    for (index, marker) in found.enumerated() {
      if labels.last?.bar == marker.bar {
        // Further markers of the same bar; at most four are listed.
        if index < 4 || found[index - 4].bar != marker.bar {
          labels[labels.count - 1].comment += ", " + quoted(marker.text)
        }
      } else {
        labels.append(MIDILabel(bar: marker.bar, marker.text))
      }
    }
    return labels
  }
}

extension MIDIFile.SignatureEvent {
  fileprivate func signature() throws(MIDIFileError) -> Signature {
    // Two to the power of 5 is 32.
    guard power <= 5, let plain = Signature(numerator, over: 1 << power, limit: .none) else {
      let shown = power < 16 ? "\(numerator)/\(1 << power)" : "\(numerator)/2^\(power)"
      throw MIDIFileError(
        offset: offset,
        text: "expected a time signature of 1 to 32 notes over 1, 2, 4, 8, 16 or 32, found \(shown) at tick \(tick)")
    }
    // A quarter has 24 clocks. Most programs write 24 in every metre, so this value carries no information.
    let (group, rest) = (clocksPerClick * plain.denominator).quotientAndRemainder(dividingBy: 96)
    guard clocksPerClick != 24, rest == 0, group > 1, group < numerator, numerator % group == 0 else { return plain }
    let groups = Array(repeating: group, count: numerator / group)
    return Signature(groups: groups, over: plain.denominator, limit: .none) ?? plain
  }
}
