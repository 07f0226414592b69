/// Reads the chunks and events of a MIDI file.
///
/// Few files are wrong, but in many ways: lengths, numbers of tracks and bytes that do not belong there. What is lost with them is
/// left out and listed; the rest is read. A track is read up to its first byte that has no meaning.
struct MIDIReader {
  /// What helps if nothing of a file can be read.
  private static let advice = "export the song again as a MIDI file"

  private let bytes: [UInt8]
  /// The next byte, and the end of what may be read.
  private var place = 0
  private var limit = 0
  private var tick: Int64 = 0
  /// The tick of the last event of the current track, and whether it has notes.
  private var trackEnd: Int64 = 0
  private var hasNotes = false
  /// The bytes of the current track that no file may contain.
  private var strays: (count: Int, offset: Int, tick: Int64) = (0, 0, 0)
  private var excess: Int?

  private(set) var ticksPerQuarter = 0
  private(set) var name: String?
  private(set) var tempi: [MIDIFile.TempoEvent] = []
  private(set) var signatures: [MIDIFile.SignatureEvent] = []
  private(set) var markers: [MIDIFile.Marker] = []
  /// When the last note goes on or off, and the last track with notes ends; nil without notes.
  private(set) var lastNote: Int64?
  private(set) var lastNoteTrackEnd: Int64 = 0
  private(set) var lastTick: Int64 = 0
  private(set) var oddities: [MIDIFile.Oddity] = []
  private(set) var omittedOddities = 0
  /// The number of tracks so far.
  private var tracks = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func read() throws(MIDIFileError) {
    let header = try readHeader()
    while let length = findTrack() {
      readTrack(length)
      if let excess {
        throw error(
          excess,
          "expected at most \(MIDIFile.mostEvents) tempi, time signatures and markers, found more; thin out the tempi")
      }
    }
    guard tracks > 0 else {
      throw error(place, "expected a track, which begins with \"MTrk\", found none; \(MIDIReader.advice)")
    }
    if tracks != header.tracks {
      add(
        header.offset + 10,
        "the header announces \(counted(header.tracks, "track")); the file has \(tracks)")
    }
    oddities.sort { $0.offset < $1.offset }
  }

  private mutating func add(_ offset: Int, at tick: Int64? = nil, _ text: String) {
    guard oddities.count < MIDIFile.mostOddities else { return omittedOddities += 1 }
    oddities.append(MIDIFile.Oddity(offset: offset, track: tick == nil ? nil : tracks, tick: tick, text: text))
  }

  /// Lists bytes from the current place on.
  private mutating func addIgnored(_ count: Int, _ what: String, at tick: Int64? = nil) {
    add(place, at: tick, "\(counted(count, "byte")) \(what) \(count == 1 ? "is" : "are") ignored")
  }

  private func error(_ offset: Int, _ text: String) -> MIDIFileError { MIDIFileError(offset: offset, text: text) }
}

// MARK: Chunks

extension MIDIReader {
  private static let header = Array("MThd".utf8)
  private static let track = Array("MTrk".utf8)

  /// Reads the header. Its place is before the first track, however long it is.
  private mutating func readHeader() throws(MIDIFileError) -> (offset: Int, tracks: Int) {
    guard let start = find(MIDIReader.header, from: 0) else {
      let found = bytes.isEmpty ? ", found an empty file" : ""
      throw error(0, "expected \"MThd\", with which a MIDI file begins\(found); \(MIDIReader.advice)")
    }
    if start > 0 { addIgnored(start, "ahead of the MIDI file, such as the head of a RIFF file,") }
    guard bytes.count - start >= 14 else {
      throw error(bytes.count, "expected a header of 14 bytes, found \(bytes.count - start); \(MIDIReader.advice)")
    }
    let length = number(start + 4, 4)
    let (format, tracks, division) = (number(start + 8, 2), number(start + 10, 2), number(start + 12, 2))
    if format == 2, tracks > 1 {
      throw error(
        start + 8,
        "expected format 0 or 1, found 2: its tracks are independent songs; save the song in format 1")
    }
    if format > 1 { add(start + 8, "format \(format) is read as format 1") }
    guard division & 0x8000 == 0 else {
      throw error(
        start + 12,
        "expected a division in ticks per quarter, found SMPTE frames, which have no beats; save it with ticks per quarter"
      )
    }
    guard division > 0 else {
      throw error(start + 12, "expected a number of ticks per quarter, found 0; save it with 480 ticks per quarter")
    }
    ticksPerQuarter = division
    let isRight = length >= 6 && (beginsChunk(start + 8 + length) || start + 8 + length == bytes.count)
    place = isRight ? start + 8 + length : start + 14
    if !isRight, length != 6 { add(start + 4, "the header has 6 bytes, not \(length)") }
    return (start, tracks)
  }

  /// Goes on to the contents of the next track, and returns the length in its header; nil: there is none.
  private mutating func findTrack() -> Int? {
    while bytes.count - place >= 8 {
      if isThere(MIDIReader.track, at: place) {
        tracks += 1
        place += 8
        return number(place - 4, 4)
      }
      if isThere(MIDIReader.header, at: place) {
        add(place, "a second MIDI file begins here; it is ignored")
        return nil
      }
      // A chunk of another type is skipped, as the standard demands.
      if beginsChunk(place) {
        place += 8 + number(place + 4, 4)
      } else {
        let next = find(MIDIReader.track, from: place + 1) ?? bytes.count
        addIgnored(next - place, next == bytes.count ? "at the end" : "between the tracks")
        place = next
      }
    }
    if place < bytes.count { addIgnored(bytes.count - place, "at the end") }
    return nil
  }

  /// Whether a track begins at a place, or a chunk of another type that ends within the file.
  private func beginsChunk(_ place: Int) -> Bool {
    guard bytes.count - place >= 8 else { return false }
    let isText = bytes[place..<place + 4].allSatisfy { (0x20...0x7E).contains($0) }
    return isThere(MIDIReader.track, at: place) || isText && number(place + 4, 4) <= bytes.count - place - 8
  }

  /// Whether a chunk of a type begins at a place.
  private func isThere(_ type: [UInt8], at place: Int) -> Bool {
    bytes.count - place >= 8 && bytes[place...].starts(with: type)
  }

  private func find(_ type: [UInt8], from start: Int) -> Int? {
    guard start <= bytes.count - 8 else { return nil }
    return (start...bytes.count - 8).first { bytes[$0] == type[0] && isThere(type, at: $0) }
  }

  /// Reads a track up to its end. If no chunk begins where the length in its header says, and the file does not end there, the
  /// length is wrong, and the track may go on up to the next one.
  private mutating func readTrack(_ length: Int) {
    let start = place
    let isLikely = length <= bytes.count - start && (start + length == bytes.count || beginsChunk(start + length))
    limit = isLikely ? start + length : find(MIDIReader.track, from: start) ?? bytes.count
    (tick, trackEnd, hasNotes, strays.count) = (0, 0, false, 0)
    do throws(MIDIFileError) {
      try readEvents()
      endTrack(start, length, isLikely)
    } catch {
      add(error.offset, at: tick, "\(error.text); the rest of the track is ignored")
      place = min(limit, find(MIDIReader.track, from: error.offset) ?? limit)
    }
    lastTick = max(lastTick, trackEnd)
    if hasNotes { lastNoteTrackEnd = max(lastNoteTrackEnd, trackEnd) }
    if strays.count > 0 {
      add(
        strays.offset, at: strays.tick,
        "\(counted(strays.count, "byte")) of this track \(strays.count == 1 ? "has" : "have") no place in a file, and no effect"
      )
    }
  }

  /// Compares the end of a track that was read with the length in its header.
  private mutating func endTrack(_ start: Int, _ length: Int, _ isLikely: Bool) {
    guard place - start != length else { return }
    if isLikely, !isThere(MIDIReader.track, at: place) {
      addIgnored(limit - place, "after the end of the track", at: tick)
      place = limit
    } else {
      add(start - 4, at: 0, "the track has \(counted(place - start, "byte")), not \(length)")
    }
  }
}

// MARK: Events

extension MIDIReader {
  /// Reads the events of a track up to its end.
  private mutating func readEvents() throws(MIDIFileError) {
    var running: UInt8?
    var hasEnd = false
    while !hasEnd, excess == nil {
      guard place < limit else {
        return add(place, at: tick, "the track has no end of track; it is read up to here")
      }
      let start = place
      let next = tick + Int64(try quantity("the time to the next event"))
      guard next <= MIDIFile.highestTick else {
        throw error(start, "expected an event within \(MIDIFile.highestTick) ticks, found one at \(next)")
      }
      tick = next
      hasEnd = try readEvent(&running)
      trackEnd = tick
    }
  }

  /// Reads an event after its time. Returns whether it is the end of the track.
  ///
  /// `running` is the status of the next channel message that has none. Meta events and system messages end it in the standard,
  /// but not in the files of some programs.
  private mutating func readEvent(_ running: inout UInt8?) throws(MIDIFileError) -> Bool {
    let event = place
    let status = try byte("an event")
    switch status {
    case 0..<0x80:
      guard let running else {
        throw error(event, "expected a status byte from 128 to 255, found \(status), and no status before it")
      }
      place = event
      try readMessage(running)
    case 0x80..<0xF0:
      running = status
      try readMessage(status)
    case 0xF0, 0xF7: try skipExclusive()
    case 0xFF:
      let type = try byte("the type of a meta event")
      let range = try contents("a meta event")
      if type == 0x2F { return true }
      readMeta(type, range, event)
    default:
      // Messages of a cable, with their data.
      addStray(event)
      for _ in 0..<(status == 0xF2 ? 2 : status == 0xF1 || status == 0xF3 ? 1 : 0) { _ = try byte("a data byte") }
    }
    return false
  }

  private mutating func addStray(_ offset: Int) {
    if strays.count == 0 { (strays.offset, strays.tick) = (offset, tick) }
    strays.count += 1
  }

  /// Reads the data of a channel message.
  private mutating func readMessage(_ status: UInt8) throws(MIDIFileError) {
    for _ in 0..<((0xC0..<0xE0).contains(status) ? 1 : 2) {
      // Programs write velocities above 127.
      if try byte("a data byte") >= 0x80 { addStray(place - 1) }
    }
    guard status < 0xA0 else { return }
    (lastNote, hasNotes) = (max(lastNote ?? 0, tick), true)
  }

  /// Skips a system exclusive message. Some have no length, but an end.
  private mutating func skipExclusive() throws(MIDIFileError) {
    let start = place
    do throws(MIDIFileError) { _ = try contents("a system exclusive message") } catch {
      guard let end = bytes[start..<limit].firstIndex(of: 0xF7) else { throw error }
      addStray(start - 1)
      place = end + 1
    }
  }

  private mutating func readMeta(_ type: UInt8, _ range: Range<Int>, _ offset: Int) {
    let start = range.lowerBound
    switch type {
    case 0x03: if tracks == 1, name == nil { name = text(range) }
    case 0x06, 0x07:
      let text = text(range)
      if !text.isEmpty {
        markers.append(MIDIFile.Marker(tick: tick, text: text, isCue: type == 0x07, offset: offset))
      }
    case 0x51:
      let tempo = range.count >= 3 ? Int64(number(start, 3)) : 0
      if range.count != 3 {
        let use = tempo > 0 ? "it is read as \(tempo) µs per quarter" : "it is ignored"
        add(offset, at: tick, "a tempo has 3 bytes, not \(range.count); \(use)")
      } else if tempo == 0 {
        add(offset, at: tick, "a tempo of 0 µs per quarter is ignored")
      }
      if tempo > 0 {
        tempi.append(MIDIFile.TempoEvent(tick: tick, microsecondsPerQuarter: tempo, track: tracks, offset: offset))
      }
    case 0x58: readSignature(range, offset)
    default: return
    }
    if tempi.count + signatures.count + markers.count > MIDIFile.mostEvents { excess = offset }
  }

  private mutating func readSignature(_ range: Range<Int>, _ offset: Int) {
    func part(_ index: Int, else standard: Int) -> Int {
      index < range.count ? Int(bytes[range.lowerBound + index]) : standard
    }
    let (numerator, power) = (part(0, else: 0), part(1, else: 0))
    guard range.count >= 2, numerator > 0, power <= 7 else {
      let shown = "\(numerator)/\(power < 16 ? "\(1 << power)" : "2^\(power)")"
      let what = range.count < 2 ? "of \(counted(range.count, "byte"))" : shown
      return add(offset, at: tick, "the time signature \(what) is ignored")
    }
    if range.count != 4 {
      add(
        offset, at: tick, "a time signature has 4 bytes, not \(range.count); it is read as \(numerator)/\(1 << power)")
    }
    signatures.append(
      MIDIFile.SignatureEvent(
        tick: tick, numerator: numerator, power: power, clocksPerClick: part(2, else: 24),
        thirtySecondsPerQuarter: part(3, else: 8), track: tracks, offset: offset))
  }

  /// Decodes UTF-8, otherwise Latin-1: files do not name their encoding. Control characters become blanks.
  private func text(_ range: Range<Int>) -> String {
    let bytes = bytes[range]
    let decoded = String(validating: bytes, as: UTF8.self)?.unicodeScalars.map(\.self)
    let scalars = (decoded ?? bytes.map { Unicode.Scalar($0) }).map { scalar -> Unicode.Scalar in
      scalar.properties.generalCategory == .control ? " " : scalar
    }
    let blanks = scalars.prefix { $0 == " " }.count
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[blanks...].prefix(100))
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  /// The bytes of a message that begins with its length.
  private mutating func contents(_ message: String) throws(MIDIFileError) -> Range<Int> {
    let start = place
    let count = try quantity("the length of \(message)")
    guard count <= limit - place else {
      throw error(start, "expected \(message) that ends within its track, found \(count) bytes")
    }
    place += count
    return place - count..<place
  }

  /// A number of variable length: seven bits in each byte, and the highest bit set in all but the last. The standard allows four
  /// bytes; programs write more.
  private mutating func quantity(_ expected: String) throws(MIDIFileError) -> Int {
    let start = place
    var value = 0
    while true {
      let next = try byte(expected)
      value = value << 7 | Int(next & 0x7F)
      guard value <= MIDIFile.highestTick else { throw error(start, "expected \(expected), found a number above 2^32") }
      if next < 0x80 { return value }
    }
  }

  private mutating func byte(_ expected: String) throws(MIDIFileError) -> UInt8 {
    guard place < limit else { throw error(place, "expected \(expected), but the track ends") }
    place += 1
    return bytes[place - 1]
  }

  /// A big-endian number; the caller has checked that its bytes exist.
  private func number(_ place: Int, _ count: Int) -> Int {
    bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
  }
}
