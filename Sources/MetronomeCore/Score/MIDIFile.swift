/// The tempi, time signatures and markers of a Standard MIDI File, in ticks. Notes count only for the end of the music.
///
/// Formats 0 and 1 with a division in ticks per quarter are read ("Standard MIDI Files 1.0", RP-001, 1996), also within a RIFF
/// file. The meta events of all tracks are merged. Events at the same tick are in the order of the tracks, and within a track in
/// that of the file. What is damaged or impossible is left out or corrected, and is one of the ``oddities``. ``score()`` converts
/// a file to a score.
public struct MIDIFile: Hashable, Sendable {
  /// A tempo that begins at a tick.
  public struct TempoEvent: Hashable, Sendable {
    public var tick: Int64
    /// A quarter's duration in µs, 1 to 16,777,215.
    public var microsecondsPerQuarter: Int64
    /// Its track, counted from 1, and the byte of the file at which it begins.
    public var track: Int
    public var offset: Int
  }

  /// A time signature that begins at a tick.
  public struct SignatureEvent: Hashable, Sendable {
    public var tick: Int64
    /// 1 to 255.
    public var numerator: Int
    /// The denominator is two to the power of this, 0 to 7.
    public var power: Int
    /// The interval between metronome clicks, in MIDI clocks: 24 in a quarter.
    public var clocksPerClick: Int
    /// The written 1/32 notes in a MIDI quarter; almost always 8.
    public var thirtySecondsPerQuarter: Int
    public var track: Int
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

  /// Something that is not read as it stands in the file.
  public struct Oddity: Hashable, Sendable {
    /// The byte of the file.
    public var offset: Int
    /// Counted from 1, and the tick in it; nil outside the tracks.
    public var track: Int?
    public var tick: Int64?
    /// What is odd, and what becomes of it.
    public var text: String
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
  /// The tick at which the music ends: the end of the last track with notes, or the last note if tempi or time signatures follow
  /// it; in a file without notes, the last event.
  public let end: Int64
  /// The tick of the last event of any track.
  public let lastTick: Int64
  /// In the order of the file, at most 50 of them.
  public let oddities: [Oddity]
  /// The number of oddities that are not in the list.
  public let omittedOddities: Int

  static let mostOddities = 50

  /// Reads the bytes of a file. The error names the byte at which the file is not one of those above.
  public init(_ bytes: [UInt8]) throws(MIDIFileError) {
    var reader = MIDIReader(bytes)
    try reader.read()
    ticksPerQuarter = reader.ticksPerQuarter
    name = reader.name ?? ""
    lastTick = reader.lastTick
    // Later tracks have higher offsets.
    tempi = reader.tempi.sorted { ($0.tick, $0.offset) < ($1.tick, $1.offset) }
    signatures = reader.signatures.sorted { ($0.tick, $0.offset) < ($1.tick, $1.offset) }
    markers = reader.markers.sorted { ($0.tick, $0.offset) < ($1.tick, $1.offset) }
    if let lastNote = reader.lastNote {
      let lastChange = max(tempi.last?.tick ?? 0, signatures.last?.tick ?? 0)
      end = lastChange > lastNote ? lastNote : reader.lastNoteTrackEnd
    } else {
      end = lastTick
    }
    oddities = reader.oddities
    omittedOddities = reader.omittedOddities
  }

  /// Whether a file begins like a MIDI file, bare or within a RIFF file.
  public static func isLikely(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: "MThd".utf8) || bytes.starts(with: "RIFF".utf8) && bytes.dropFirst(8).starts(with: "RMID".utf8)
  }
}

/// Why a MIDI file cannot be read.
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
