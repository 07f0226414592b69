import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Writes what the MIDI outputs sent as a Standard MIDI File ("Standard MIDI Files 1.0", RP-001, 1996), when the simulation ends.
///
/// Format 1: tempi and time signatures are in the first track, and each port has a track. Notes are events. Such a file cannot
/// contain clock, start, stop and song position as events, and not every program reads escapes (F7): they are sequencer-specific
/// meta events `FF 7F` with the manufacturer ID 7D (non-commercial use) and the bytes of the message. Without a MIDI output the
/// hits are notes on a track of their own, so that a score becomes a file for a sequencer.
///
/// A quarter has ``ticksPerQuarter`` ticks, so that every beat and most slots are whole ticks. The tempi in the file are whole
/// microseconds per quarter, and follow the beats so that each beat is within half a tick of its instant. An event is at the tick
/// next to its instant. Whole bars go ahead of the first beat, so that it begins a bar; a text marks the simulation's time 0. Two
/// notes of one key at one tick are one note. A quarter that is longer than a tempo event can say lasts several quarters.
public final class MIDITrace: TraceSink {
  /// 2⁵ · 3³ · 5 · 7, near the highest division: a tick is 16.5 µs at 120 BPM.
  public static let ticksPerQuarter: Int64 = 30_240

  private let tracks: [String]
  /// The messages of each track, in order of time.
  private var messages: [[(time: Int64, message: MIDIMessage)]]
  private var hits: HitNotes?
  private var beats: [MIDITempoMap.Beat] = []
  private var timeline = Timeline.stopped
  private var origin = Instant.zero
  /// The next beat, once found.
  private var next: Beat?
  private var nextIndex: Int64 = 0
  private var begins = true
  private let output: ByteStream.Output

  /// - Parameters:
  ///   - ports: the MIDI outputs, whose names are those of the tracks. Without ports the file has the hits.
  ///   - output: receives the bytes of the file, in order.
  public init(ports: [MIDIOutputRequest], to output: @escaping ByteStream.Output) {
    tracks = ports.isEmpty ? ["hits"] : ports.map(\.device.name)
    messages = tracks.map { _ in [] }
    if ports.isEmpty { hits = HitNotes() }
    self.output = output
  }

  public func follow(_ new: Timeline, since origin: Instant, at time: Nanoseconds) {
    addBeats(before: time)
    if new.session != timeline.session { (nextIndex, begins) = (0, true) }
    timeline = new
    self.origin = origin
    next = nil
  }

  public func receive(_ event: TraceEvent) {
    addBeats(before: event.time)
    switch event.what {
    case .midi(let message, let port): messages[port].append((event.time.count, message))
    case .hit(let hit): hits?.play(hit, at: event.time.count, &messages[0])
    case .state(let state):
      if !state.isPlaying { hits?.end(before: event.time.count, all: true, &messages[0]) }
      hits?.gain = state.isSilent ? 0 : state.volume.gain
    case .ended: hits?.end(before: event.time.count, all: true, &messages[0])
    case .beat, .line, .click, .lostClocks, .button, .skipped, .missed, .underrun, .fault, .audio, .display, .began:
      break
    }
  }

  private func addBeats(before time: Nanoseconds) {
    guard let oldest = timeline.oldestIndex else { return }
    while true {
      if next == nil {
        nextIndex = max(nextIndex, oldest)
        next = timeline.knownBeat(nextIndex)
      }
      guard let beat = next, beat.instant - origin < time else { return }
      nextIndex += 1
      next = timeline.knownBeat(nextIndex)
      guard let metre = timeline.bar(ofBeat: beat.index)?.metre, let next else { continue }
      beats.append(
        MIDITempoMap.Beat(
          time: (beat.instant - origin).count, length: max((next.instant - beat.instant).count, 1), metre: metre,
          position: beat.position, begins: begins))
      begins = false
    }
  }

  public func finish(at end: Nanoseconds) {
    addBeats(before: end)
    hits?.end(before: end.count, all: true, &messages[0])
    let map = MIDITempoMap(beats)
    let last = map.tick(of: end.count)
    var bytes = Array("MThd".utf8) + MIDITrace.word(6, bytes: 4)
    for number in [1, Int64(tracks.count + 1), MIDITrace.ticksPerQuarter] { bytes += MIDITrace.word(number, bytes: 2) }
    bytes += map.track(until: last).chunk
    for (name, messages) in zip(tracks, messages) {
      var track = MIDITrackWriter(name: name)
      for (tick, message) in MIDITrace.merged(messages.map { (map.tick(of: $0.time), $0.message) }) {
        track.write(message, at: tick)
      }
      track.end(at: last)
      bytes += track.chunk
    }
    bytes.withUnsafeBytes(output)
  }

  /// Joins notes of one key that begin at one tick, with the higher velocity: programs show one of them, and lose the end of the
  /// other.
  private static func merged(_ events: [(tick: Int64, message: MIDIMessage)]) -> [(tick: Int64, message: MIDIMessage)] {
    var merged: [(tick: Int64, message: MIDIMessage)?] = []
    // The last note-on and note-off of each key and channel.
    var (begun, ended) = ([UInt16: Int](), [UInt16: Int]())
    for event in events {
      let message = event.message
      guard message[0] < 0xA0 else {
        merged.append(event)
        continue
      }
      let key = UInt16(message[0] & 0x0F) << 8 | UInt16(message[1])
      if message[0] < 0x90 {
        ended[key] = merged.count
      } else if let place = begun[key], let first = merged[place], first.tick == event.tick {
        if let end = ended[key], end > place { merged[end] = nil }
        if message[2] > first.message[2] { merged[place]?.message = message }
        continue
      } else {
        begun[key] = merged.count
      }
      merged.append(event)
    }
    return merged.compactMap(\.self)
  }

  /// The lowest bytes of a number, the highest first.
  static func word(_ number: Int64, bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: number >> Int64(8 * $0)) }
  }
}

/// The hits as notes, with the default of the key `notes`.
private struct HitNotes {
  private let notes = MIDINotes()
  var gain: Float = 1
  /// When each note that sounds ends.
  private var ends: [(key: UInt8, time: Int64)] = []

  mutating func play(_ hit: Hit, at time: Int64, _ messages: inout [(time: Int64, message: MIDIMessage)]) {
    end(before: time, all: false, &messages)
    let velocity = hit.isSilent ? 0 : notes.velocity(of: hit, gain: gain)
    guard velocity > 0, let key = notes[hit.voice, hit.level] else { return }
    if let place = ends.firstIndex(where: { $0.key == key }) {
      messages.append((time, MIDIMessage(status: notes.noteOn - 16, key, 0)))
      ends.remove(at: place)
    }
    messages.append((time, MIDIMessage(status: notes.noteOn, key, velocity)))
    ends.append((key, time + notes.length.count))
  }

  /// Ends the notes that have sounded long enough by a time; with `all` the others end then.
  mutating func end(before time: Int64, all: Bool, _ messages: inout [(time: Int64, message: MIDIMessage)]) {
    for (key, end) in ends where all || end <= time {
      messages.append((min(end, time), MIDIMessage(status: notes.noteOn - 16, key, 0)))
    }
    ends.removeAll { all || $0.time <= time }
  }
}

/// The chunk of a track.
struct MIDITrackWriter {
  private var bytes: [UInt8] = []
  private var tick: Int64 = 0

  init(name: String) { writeMeta(0x03, Array(name.utf8), at: 0) }

  /// The chunk, after ``end(at:)``.
  var chunk: [UInt8] { Array("MTrk".utf8) + MIDITrace.word(Int64(bytes.count), bytes: 4) + bytes }

  mutating func write(_ message: MIDIMessage, at tick: Int64) {
    let own = (0..<message.count).map { message[$0] }
    guard message[0] >= 0xF0 else {
      advance(to: tick)
      bytes += own
      return
    }
    writeMeta(0x7F, [0x7D] + own, at: tick)
  }

  mutating func writeMeta(_ type: UInt8, _ data: [UInt8], at tick: Int64) {
    advance(to: tick)
    bytes += [0xFF, type]
    write(Int64(data.count))
    bytes += data
  }

  mutating func end(at tick: Int64) { writeMeta(0x2F, [], at: max(tick, self.tick)) }

  private mutating func advance(to next: Int64) {
    // A distance has at most 28 bits. An empty text comes between.
    while next - tick > 0x0FFF_FFFF {
      write(0x0FFF_FFFF)
      bytes += [0xFF, 0x01, 0]
      tick += 0x0FFF_FFFF
    }
    write(next - tick)
    tick = next
  }

  /// A number of variable length: seven bits in a byte, the highest first.
  private mutating func write(_ number: Int64) {
    var shift: Int64 = 28
    while shift > 0, number >> shift == 0 { shift -= 7 }
    while shift >= 0 {
      bytes.append(UInt8(number >> shift & 0x7F) | (shift > 0 ? 0x80 : 0))
      shift -= 7
    }
  }
}
