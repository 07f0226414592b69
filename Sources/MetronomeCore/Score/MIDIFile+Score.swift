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

  /// The text of a score with the tempi, bars and markers of the file, up to the end of its music.
  ///
  /// Bar lines, beats and changes of tempo have the same instants as in the file, with these exceptions, each of which has a
  /// note:
  /// - What is odd in the file is left out or corrected, as its ``oddities`` say.
  /// - A tempo above 999 BPM is 999 BPM. A metre with more than 32 notes, or with notes shorter than 1/32, has other bars, which
  ///   begin at bar lines of the file.
  /// - A bar in which the tempo changes is written in the longest notes that put each change at the beginning of a note; only
  ///   the beats sound. If such notes are shorter than 1/32, or the bar has more than 32 of them, the shortest possible are
  ///   used, and a note in which the tempo changes gets its mean tempo, in whole microseconds. The bar lines after it are off
  ///   by at most 1/16 µs for 1/32 notes, or 1/2 µs for 1/4 notes, until the next such bar corrects it.
  /// - Tempi that go up or down in steps are one change of tempo where they are one: beats are then at most 5 ms from those of
  ///   the file, and its end at most 1 ms, which does not add up.
  /// - A bar that a new time signature cuts short is a bar of its own. If its length is not a whole number of notes, its last
  ///   note is longer or shorter. A remainder of less than 1/32 is added to the bar before it, or to the first bar.
  /// - A marker is at the nearest bar line. The last bar is completed, without a note for the user.
  /// - What follows after the bar of the last note is left out.
  ///
  /// A time signature whose metronome click lasts several notes has groups, such as 3+3/8. 24 clocks per click are ignored,
  /// because most programs write that value in every metre. A repeated time signature changes nothing.
  public func score() -> ImportedScore {
    var oddities = oddities
    var notes = ImportNotes()
    let runs = self.runs(metres(&oddities))
    let tempi = MIDITempi(self, until: runs.last?.end ?? 0, &oddities)
    for oddity in oddities.sorted(by: { $0.offset < $1.offset }) { notes.add(line(oddity, runs)) }
    notes.omit(omittedOddities)
    var writer = MIDIScoreWriter(tempi: tempi, thirtySecond: Int64(ticksPerQuarter), notes: notes)
    addEnd(runs, &writer.notes)
    let labels = self.labels(runs, &writer.notes)
    writer.writeHead(name)
    var next = 0
    for run in runs { writer.write(run, labels, &next) }
    writer.finishEntry()
    return ImportedScore(text: writer.text, notes: writer.notes.all)
  }

  /// An oddity with its place: its bar in the score, its track, and its byte in the file.
  private func line(_ oddity: Oddity, _ runs: [MIDIBars]) -> String {
    var place = "byte \(oddity.offset)"
    if let track = oddity.track, let tick = oddity.tick {
      let unit = tick * MIDIFile.unitsPerTick
      let bar = runs.last { $0.start <= unit }.map { $0.firstBar + min((unit - $0.start) / $0.length, $0.count) } ?? 0
      place = "bar \(bar + 1), track \(track), " + place
    }
    return "\(place): \(oddity.text)"
  }

  /// Adds a note if something follows after the music.
  private func addEnd(_ runs: [MIDIBars], _ notes: inout ImportNotes) {
    guard let last = runs.last else { return }
    let changes = (tempi.map(\.tick) + signatures.map(\.tick)).count { $0 * MIDIFile.unitsPerTick > last.end }
    guard changes > 0 else { return }
    notes.add(
      "bar \(last.firstBar + last.count): the song ends here, after its last note; the file goes on to tick \(lastTick), with "
        + "\(counted(changes, "change")) of tempo or metre, which \(changes == 1 ? "is" : "are") left out")
  }
}

extension MIDIFile {
  /// The bars from the beginning to the end.
  private func runs(_ metres: [(place: Int64, signature: Signature)]) -> [MIDIBars] {
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
  private func metres(_ oddities: inout [Oddity]) -> [(place: Int64, signature: Signature)] {
    var metres = [(place: Int64(0), signature: Signature.initial)]
    for (index, event) in signatures.enumerated() where event.tick < max(end, 1) {
      if index + 1 < signatures.count, signatures[index + 1].tick == event.tick { continue }
      let (signature, change) = event.written
      let place = event.tick * MIDIFile.unitsPerTick
      func add(_ text: String) {
        oddities.append(Oddity(offset: event.offset, track: event.track, tick: event.tick, text: text))
      }
      if let change { add(change) }
      if event.thirtySecondsPerQuarter != 8 {
        add("the time signature has \(event.thirtySecondsPerQuarter) 1/32 notes in a quarter; 8 are assumed")
      }
      let last = metres[metres.count - 1]
      if place == 0 {
        metres[0].signature = signature
      } else if signature != last.signature {
        metres.append((place, signature))
      } else if (place - last.place)
        % (Int64(ticksPerQuarter) * Int64(32 / signature.denominator * signature.numerator)) != 0
      {
        add("the time signature \(signature) is repeated within a bar; no bar begins here")
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
  /// The signature in a score, and what is different if a score cannot have that of the file.
  ///
  /// The bars are then the longest, or the fewest, that begin at bar lines of the file: 3 bars of 11/16 for one of 33/16, and one
  /// bar of 3/32 for 2 of 3/64.
  fileprivate var written: (signature: Signature, change: String?) {
    var (notes, joined, parts) = (numerator, 1, 1)
    // Two to the power of 5 is 32.
    for _ in 0..<max(power - 5, 0) { if notes % 2 == 0 { notes /= 2 } else { joined *= 2 } }
    while notes % parts != 0 || notes / parts > Signature.highestNumerator { parts += 1 }
    guard let plain = Signature(notes / parts, over: 1 << min(power, 5), limit: .none) else { return (.initial, nil) }
    if power > 5 || parts > 1 {
      let ratio = joined * parts == 1 ? "" : ", \(counted(parts, "bar")) for \(joined == 1 ? "each" : "\(joined)")"
      return (plain, "the time signature \(numerator)/\(1 << power) is \(plain) here\(ratio)")
    }
    // A quarter has 24 clocks. Most programs write 24 in every metre, so this value carries no information.
    let (group, rest) = (clocksPerClick * plain.denominator).quotientAndRemainder(dividingBy: 96)
    guard clocksPerClick != 24, rest == 0, group > 1, group < numerator, numerator % group == 0 else {
      return (plain, nil)
    }
    let groups = Array(repeating: group, count: numerator / group)
    return (Signature(groups: groups, over: plain.denominator, limit: .none) ?? plain, nil)
  }
}
