/// The tempi, time signatures and markers of a Standard MIDI File, in ticks. Notes and other messages are skipped.
///
/// Formats 0 and 1 with a division in ticks per quarter are read ("Standard MIDI Files 1.0", RP-001, 1996). The meta events of
/// all tracks are merged. Events at the same tick are in the order of the tracks, and within a track in that of the file.
/// ``score()`` converts them to a score.
public struct MIDIFile: Hashable, Sendable {
  /// A tempo that begins at a tick.
  public struct TempoEvent: Hashable, Sendable {
    public var tick: Int64
    /// A quarter's duration in µs, 0 to 16,777,215.
    public var microsecondsPerQuarter: Int64
    /// The byte of the file at which the event begins.
    public var offset: Int
  }

  /// A time signature that begins at a tick.
  public struct SignatureEvent: Hashable, Sendable {
    public var tick: Int64
    public var numerator: Int
    /// The denominator is two to the power of this.
    public var power: Int
    /// The interval between metronome clicks, in MIDI clocks: 24 in a quarter.
    public var clocksPerClick: Int
    /// The written 1/32 notes in a MIDI quarter; almost always 8.
    public var thirtySecondsPerQuarter: Int
    public var offset: Int
  }

  /// A marker, or a cue point.
  public struct Marker: Hashable, Sendable {
    public var tick: Int64
    /// At most 100 characters.
    public var text: String
    public var isCue: Bool
    public var offset: Int
  }

  /// The highest tick. MIDI programs count ticks in 32 bits.
  public static let highestTick: Int64 = 0xFFFF_FFFF
  /// The highest number of tempi, time signatures and markers together.
  public static let mostEvents = 100_000

  public let ticksPerQuarter: Int
  /// The name of the first track, at most 100 characters; empty if it has none.
  public let name: String
  /// Sorted by tick, like the other events.
  public let tempi: [TempoEvent]
  public let signatures: [SignatureEvent]
  public let markers: [Marker]
  /// The tick of the last event of any track.
  public let end: Int64

  /// Reads the bytes of a file. The error names the byte at which the file is damaged or has something unsupported.
  public init(_ bytes: [UInt8]) throws(MIDIFileError) {
    var reader = MIDIReader(bytes)
    try reader.read()
    ticksPerQuarter = reader.ticksPerQuarter
    name = reader.name ?? ""
    end = reader.end
    // Later tracks have higher offsets.
    tempi = reader.tempi.sorted { ($0.tick, $0.offset) < ($1.tick, $1.offset) }
    signatures = reader.signatures.sorted { ($0.tick, $0.offset) < ($1.tick, $1.offset) }
    markers = reader.markers.sorted { ($0.tick, $0.offset) < ($1.tick, $1.offset) }
  }
}

/// Why a MIDI file cannot be read or converted to a score.
public struct MIDIFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The byte of the file, counted from 0.
  public var offset: Int
  /// What is wrong, and what would be right.
  public var text: String

  public init(offset: Int, text: String) {
    self.offset = offset
    self.text = text
  }

  public var description: String { "byte \(offset): \(text)" }
}

private struct MIDIReader {
  private let bytes: [UInt8]
  /// The next byte, and the end of its chunk.
  private var place = 0
  private var chunkEnd = 0
  private(set) var ticksPerQuarter = 0
  private(set) var name: String?
  private(set) var tempi: [MIDIFile.TempoEvent] = []
  private(set) var signatures: [MIDIFile.SignatureEvent] = []
  private(set) var markers: [MIDIFile.Marker] = []
  private(set) var end: Int64 = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func read() throws(MIDIFileError) {
    let tracks = try readHeader()
    for track in 0..<tracks {
      // Chunks of other types are skipped.
      while try openChunk("track \(track + 1) of \(tracks), which begins with \"MTrk\"") != Array("MTrk".utf8) {}
      try readTrack(isFirst: track == 0)
    }
  }

  /// Reads the header, and returns the number of tracks.
  private mutating func readHeader() throws(MIDIFileError) -> Int {
    guard bytes.starts(with: "MThd".utf8) else {
      throw error(0, "expected \"MThd\", with which a Standard MIDI File begins")
    }
    _ = try openChunk("the header")
    guard chunkEnd - place >= 6 else { throw error(4, "expected a header of 6 bytes, found \(chunkEnd - place)") }
    let (format, tracks, division) = (number(place, 2), number(place + 2, 2), number(place + 4, 2))
    guard format <= 1 else {
      let reason = format == 2 ? "its tracks are independent songs" : "it is unknown"
      throw error(place, "expected format 0 or 1, found \(format): \(reason); save the song in format 1")
    }
    guard tracks > 0 else { throw error(place + 2, "expected a number of tracks, found 0") }
    guard division & 0x8000 == 0 else {
      throw error(
        place + 4,
        "expected a division in ticks per quarter, found SMPTE frames, which have no beats; save it with ticks per quarter"
      )
    }
    guard division > 0 else { throw error(place + 4, "expected a number of ticks per quarter, found 0") }
    ticksPerQuarter = division
    return tracks
  }

  /// Goes on to the next chunk, and returns its type.
  private mutating func openChunk(_ expected: String) throws(MIDIFileError) -> [UInt8] {
    place = chunkEnd
    guard bytes.count - place >= 8 else { throw error(place, "expected \(expected), but the file ends") }
    let length = number(place + 4, 4)
    let rest = bytes.count - place - 8
    guard length <= rest else {
      throw error(place + 4, "expected a chunk that ends within the file, found \(length) bytes of which \(rest) exist")
    }
    let type = Array(bytes[place..<place + 4])
    place += 8
    chunkEnd = place + length
    return type
  }

  private mutating func readTrack(isFirst: Bool) throws(MIDIFileError) {
    var tick: Int64 = 0
    var running: UInt8?
    while place < chunkEnd {
      let start = place
      tick += Int64(try length("the time to the next event"))
      guard tick <= MIDIFile.highestTick else {
        throw error(start, "expected an event within \(MIDIFile.highestTick) ticks, found one at \(tick)")
      }
      let event = place
      let status = try byte("an event")
      switch status {
      case 0..<0x80:
        guard let running else {
          throw error(event, "expected a status byte from 128 to 255, found \(status), and no status before it")
        }
        place = event
        try skipData(of: running)
      case 0x80..<0xF0:
        running = status
        try skipData(of: status)
      case 0xF0, 0xF7: _ = try contents("a system exclusive message")
      case 0xFF:
        let type = try byte("the type of a meta event")
        let range = try contents("a meta event")
        if type == 0x2F {
          end = max(end, tick)
          return
        }
        try readMeta(type, range, tick, event, isFirst)
      default: throw error(event, "expected an event, found the status \(status), which is not allowed in files")
      }
      end = max(end, tick)
    }
  }

  private mutating func readMeta(
    _ type: UInt8, _ range: Range<Int>, _ tick: Int64, _ offset: Int, _ isFirst: Bool
  ) throws(MIDIFileError) {
    let start = range.lowerBound
    switch type {
    case 0x03:
      if isFirst, name == nil { name = text(range) }
    case 0x06, 0x07:
      let text = text(range)
      if !text.isEmpty {
        markers.append(MIDIFile.Marker(tick: tick, text: text, isCue: type == 0x07, offset: offset))
      }
    case 0x51:
      guard range.count >= 3 else { throw error(offset, "expected a tempo of 3 bytes, found \(range.count)") }
      tempi.append(
        MIDIFile.TempoEvent(tick: tick, microsecondsPerQuarter: Int64(number(start, 3)), offset: offset))
    case 0x58:
      guard range.count >= 4 else { throw error(offset, "expected a time signature of 4 bytes, found \(range.count)") }
      signatures.append(
        MIDIFile.SignatureEvent(
          tick: tick, numerator: number(start, 1), power: number(start + 1, 1),
          clocksPerClick: number(start + 2, 1), thirtySecondsPerQuarter: number(start + 3, 1), offset: offset))
    default: return
    }
    guard tempi.count + signatures.count + markers.count <= MIDIFile.mostEvents else {
      throw error(offset, "expected at most \(MIDIFile.mostEvents) tempi, time signatures and markers, found more")
    }
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

  private mutating func skipData(of status: UInt8) throws(MIDIFileError) {
    let count = (0xC0..<0xE0).contains(status) ? 1 : 2
    for _ in 0..<count {
      let start = place
      let data = try byte("a data byte")
      guard data < 0x80 else { throw error(start, "expected a data byte below 128, found \(data)") }
    }
  }

  /// The bytes of a message that begins with its length.
  private mutating func contents(_ message: String) throws(MIDIFileError) -> Range<Int> {
    let start = place
    let count = try length("the length of \(message)")
    guard count <= chunkEnd - place else {
      throw error(start, "expected \(message) that ends within its track, found \(count) bytes")
    }
    place += count
    return place - count..<place
  }

  /// A variable-length quantity: seven bits in each byte, and the highest bit set in all but the last; at most 2²⁸ - 1.
  private mutating func length(_ expected: String) throws(MIDIFileError) -> Int {
    let start = place
    var value = 0
    for _ in 0..<4 {
      let next = try byte(expected)
      value = value << 7 | Int(next & 0x7F)
      if next < 0x80 { return value }
    }
    throw error(start, "expected \(expected) in at most 4 bytes, found more")
  }

  private mutating func byte(_ expected: String) throws(MIDIFileError) -> UInt8 {
    guard place < chunkEnd else { throw error(place, "expected \(expected), but the track ends") }
    place += 1
    return bytes[place - 1]
  }

  /// A big-endian number; the caller has checked that its bytes exist.
  private func number(_ place: Int, _ count: Int) -> Int {
    bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
  }

  private func error(_ offset: Int, _ text: String) -> MIDIFileError { MIDIFileError(offset: offset, text: text) }
}
