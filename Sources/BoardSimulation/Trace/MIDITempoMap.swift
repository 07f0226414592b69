import MetronomeCore

/// The tempi and time signatures of a MIDI file, and the tick of each instant.
///
/// A time in the file is counted in units of a nanosecond divided by ``MIDITrace/ticksPerQuarter``: a tick at a tempo of u
/// microseconds per quarter lasts exactly 1000 · u of them.
struct MIDITempoMap {
  /// A beat that was played.
  struct Beat {
    /// In nanoseconds since the simulation began.
    var time: Int64
    /// In nanoseconds: the time to the next beat, as planned when the beat was played.
    var length: Int64
    var metre: Metre
    /// Counted from 0.
    var position: Int
    /// Whether playback began with it.
    var begins: Bool

    var ticks: Int64 {
      4 * MIDITrace.ticksPerQuarter * Int64(metre.notesInBeat) / Int64(metre.signature.denominator)
    }
  }

  private struct Change {
    var tick: Int64
    var units: Int128
    /// Microseconds per quarter.
    var tempo: Int64
  }

  private static let tempi: ClosedRange<Int64> = 1...0xFF_FFFF
  private var changes = [Change(tick: 0, units: 0, tempo: 500_000)]
  private var signatures: [(tick: Int64, metre: Metre)] = []
  /// The tick of the last beat.
  private var tick: Int64 = 0
  private var units: Int128 = 0
  /// The time in the file of the simulation's time 0.
  private var shift: Int128 = 0
  /// Where the last bar began.
  private var barLine: Int64 = 0

  init(_ beats: [Beat]) {
    guard let first = beats.first else { return }
    begin(first)
    for (last, beat) in zip(beats, beats.dropFirst()) {
      if beat.begins {
        pause(from: last, to: beat)
      } else {
        advance(to: beat.time, in: beat.time - last.time, last.ticks)
      }
      guard beat.position == 0 else { continue }
      let isWhole = (tick - barLine) % (last.ticks * Int64(last.metre.beatsInBar)) == 0
      if !isWhole || beat.metre.signature != last.metre.signature || beat.ticks != last.ticks {
        signatures.append((tick, beat.metre))
      }
      barLine = tick
    }
  }

  /// Puts whole bars ahead of the first beat.
  private mutating func begin(_ first: Beat) {
    let length = Int128(first.length) * Int128(MIDITrace.ticksPerQuarter)
    let tempo = MIDITempoMap.tempo(length, ticks: MIDITempoMap.stretched(first.ticks, to: first.length))
    let before = Int64(first.position) * first.ticks
    let bar = first.ticks * Int64(first.metre.beatsInBar)
    let time = Int128(first.time) * Int128(MIDITrace.ticksPerQuarter)
    let missing = max(time - Int128(before) * Int128(tempo) * 1_000, 0)
    let barUnits = Int128(bar) * Int128(tempo) * 1_000
    tick = Int64((missing + barUnits - 1) / barUnits) * bar + before
    units = Int128(tick) * Int128(tempo) * 1_000
    shift = units - time
    barLine = tick - before
    changes = [Change(tick: 0, units: 0, tempo: tempo)]
    signatures = [(0, first.metre)]
  }

  /// Fills the time between a stop and the next start with whole bars, at the nearest tempo.
  private mutating func pause(from last: Beat, to next: Beat) {
    let gap = next.time - last.time
    let (bar, rest) = (last.metre.beatsInBar, last.metre.beatsInBar - last.position)
    let beats = Int((gap + last.length / 2) / last.length)
    let bars = max(0, (beats - rest + bar / 2) / bar)
    let count = Int64(rest + bars * bar)
    for number in 1...count {
      advance(to: last.time + Int64(Int128(gap) * Int128(number) / Int128(count)), in: gap / count, last.ticks)
    }
  }

  /// Ends a beat. The tempo changes only if the beat would end 0.45 ticks or more from its time: so no error adds up, and a
  /// steady tempo has few changes.
  private mutating func advance(to time: Int64, in length: Int64, _ beat: Int64) {
    let ticks = MIDITempoMap.stretched(beat, to: length)
    let target = Int128(time) * Int128(MIDITrace.ticksPerQuarter) + shift
    var tempo = changes[changes.count - 1].tempo
    let error = units + Int128(ticks) * Int128(tempo) * 1_000 - target
    if error.magnitude * 20 > Int128(tempo).magnitude * 9_000 {
      tempo = MIDITempoMap.tempo(target - units, ticks: ticks)
      if tempo != changes[changes.count - 1].tempo { changes.append(Change(tick: tick, units: units, tempo: tempo)) }
    }
    tick += ticks
    units += Int128(ticks) * Int128(tempo) * 1_000
  }

  /// The ticks of a beat that lasts some nanoseconds: as many beats as the lowest tempo needs, 3.58 quarters per minute.
  private static func stretched(_ ticks: Int64, to length: Int64) -> Int64 {
    let longest = Int128(ticks) * 1_000 * Int128(tempi.upperBound)
    return ticks * max(1, Int64((Int128(length) * Int128(MIDITrace.ticksPerQuarter) + longest - 1) / longest))
  }

  /// The tempo at which some ticks last nearest to a time in units.
  private static func tempo(_ units: Int128, ticks: Int64) -> Int64 {
    let divisor = Int128(ticks) * 1_000
    let nearest = Int64(clamping: (max(units, 0) + divisor / 2) / divisor)
    return min(max(nearest, tempi.lowerBound), tempi.upperBound)
  }

  /// The tick next to a time of the simulation in nanoseconds.
  func tick(of time: Int64) -> Int64 {
    let target = Int128(time) * Int128(MIDITrace.ticksPerQuarter) + shift
    var (low, high) = (0, changes.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if changes[middle].units <= target { low = middle } else { high = middle }
    }
    let length = Int128(changes[low].tempo) * 1_000
    return changes[low].tick + Int64((target - changes[low].units + length / 2) / length)
  }

  /// The first track.
  func track(until last: Int64) -> MIDITrackWriter {
    var track = MIDITrackWriter(name: "metronome")
    var events: [(tick: Int64, type: UInt8, data: [UInt8])] = []
    for (tick, metre) in signatures {
      let signature = metre.signature
      // The denominator is a power of two. A click is a beat, in MIDI clocks; a quarter has eight 1/32 notes.
      let clocks = UInt8(clamping: 96 * metre.notesInBeat / signature.denominator)
      let power = UInt8(signature.denominator.trailingZeroBitCount)
      events.append((tick, 0x58, [UInt8(signature.numerator), power, clocks, 8]))
    }
    events += changes.map { ($0.tick, 0x51, MIDITrace.word($0.tempo, bytes: 3)) }
    events.append((tick(of: 0), 0x01, Array("time 0 of the simulation".utf8)))
    for (tick, type, data) in events.sorted(by: { ($0.tick, $1.type) < ($1.tick, $0.type) }) {
      track.writeMeta(type, data, at: tick)
    }
    track.end(at: last)
    return track
  }
}
