import HardwareAbstraction
import MetronomeCore

/// The notes of a port: the next hit of each voice, and the notes that sound.
struct MIDINoteTrack: BitwiseCopyable {
  /// A note that is later than this is left out.
  static let tolerance = Nanoseconds.milliseconds(10)
  /// A note ends this long before the same note sounds again: a serial port transmits a message in 0.96 ms.
  private static let pause = Nanoseconds.milliseconds(1)

  /// See ``MIDITrack/session``.
  var session: UInt32 = 0
  /// See ``MIDIOutputs/opening(of:)``.
  var opening: UInt32 = 0
  var settings: MIDINotes?
  /// Whether the notes that sound must end now.
  var mustEnd = false
  /// Whether the timeline has changed since the hits were looked up.
  var searchesAgain = true
  /// Until when a port of a known rate transmits what was sent, as an instant of the timeline.
  var busyUntil = Instant(nanoseconds: .min)
  private var next = PerVoice<Hit?>(repeating: nil)
  private var passed = PerVoice(repeating: Position(-1))
  private var sounding = SoundingNotes()

  /// Begins another session of the timeline, or stops.
  mutating func begin(_ session: UInt32) {
    self.session = session
    passed = PerVoice(repeating: Position(-1))
    searchesAgain = true
  }

  /// Looks up the next hits after a change of the timeline. Hits before `first` are left out.
  mutating func search(_ timeline: UnsafePointer<Timeline>, from first: Instant) {
    searchesAgain = false
    let voices = TimelineView(timeline).voiceCount
    let last = TimelineView(timeline).lastBeat(atOrBefore: first)
    for voice in 0..<Rhythm.maxVoices {
      if let last { passed[voice] = max(passed[voice], Position(last.index - 1)) }
      next[voice] = voice < voices ? TimelineView(timeline).hit(of: voice, after: passed[voice]) : nil
    }
  }

  /// The next hit of all voices; of two at the same instant, that of the voice with the lower number.
  var nextHit: Hit? {
    var first: Hit?
    for voice in 0..<Rhythm.maxVoices {
      if let hit = next[voice], hit.instant < first?.instant ?? Instant(nanoseconds: .max) { first = hit }
    }
    return first
  }

  /// Whether a voice after that of `hit` has a louder hit, or as loud a one, with the same note at the same instant.
  func isCovered(_ hit: Hit, _ settings: MIDINotes) -> Bool {
    guard hit.voice + 1 < Rhythm.maxVoices, let key = settings[hit.voice, hit.level] else { return false }
    for voice in hit.voice + 1..<Rhythm.maxVoices {
      if let other = next[voice], other.instant == hit.instant, settings[voice, other.level] == key,
        settings.velocity(of: other, gain: 1) >= settings.velocity(of: hit, gain: 1)
      {
        return true
      }
    }
    return false
  }

  /// Passes the next hit of a voice.
  mutating func pass(_ hit: Hit, _ timeline: UnsafePointer<Timeline>) {
    passed[hit.voice] = hit.position
    next[hit.voice] = TimelineView(timeline).hit(of: hit.voice, after: hit.position)
  }

  /// The note that ends first, and when; nil: none sounds.
  func firstEnd(_ settings: MIDINotes?) -> (key: UInt8, instant: Instant)? {
    var first: (key: UInt8, instant: Instant)?
    for place in 0..<SoundingNotes.capacity {
      guard let note = sounding[place] else { continue }
      let end = mustEnd ? Instant(nanoseconds: .min) : end(of: note, settings)
      if end < first?.instant ?? Instant(nanoseconds: .max) { first = (note.key, end) }
    }
    return first
  }

  private func end(of note: SoundingNotes.Note, _ settings: MIDINotes?) -> Instant {
    var end = note.start + note.length
    guard let settings else { return end }
    for voice in 0..<Rhythm.maxVoices {
      guard let hit = next[voice], hit.instant < end + MIDINoteTrack.pause, !hit.isSilent,
        settings[voice, hit.level] == note.key
      else { continue }
      end = min(end, max(hit.instant - MIDINoteTrack.pause, note.start + (hit.instant - note.start) / 2))
    }
    return end
  }

  /// When a note began; nil: it does not sound.
  func start(of key: UInt8) -> Instant? { sounding.place(of: key).flatMap { sounding[$0]?.start } }

  /// The status byte of the note-on of a note that sounds.
  var noteOn: UInt8 { sounding.noteOn }

  mutating func began(_ key: UInt8, at instant: Instant, _ settings: MIDINotes) {
    sounding.noteOn = settings.noteOn
    sounding.insert(SoundingNotes.Note(key: key, start: instant, length: settings.length))
  }

  mutating func ended(_ key: UInt8) { sounding.remove(key) }
}

/// The notes of one channel that sound.
private struct SoundingNotes: BitwiseCopyable {
  struct Note: BitwiseCopyable {
    var key: UInt8
    var start: Instant
    var length: Nanoseconds
  }

  /// Four voices with four levels each.
  static let capacity = 16
  private static let free: UInt8 = 0xFF

  var noteOn: UInt8 = 0x90
  private var keys = SIMD16<UInt8>(repeating: free)
  private var starts = SIMD16<Int64>()
  private var lengths = SIMD16<Int64>()

  subscript(place: Int) -> Note? {
    guard keys[place] != SoundingNotes.free else { return nil }
    return Note(key: keys[place], start: Instant(nanoseconds: starts[place]), length: Nanoseconds(lengths[place]))
  }

  func place(of key: UInt8) -> Int? {
    for place in 0..<SoundingNotes.capacity where keys[place] == key { return place }
    return nil
  }

  mutating func insert(_ note: Note) {
    guard let place = place(of: note.key) ?? place(of: SoundingNotes.free) else { return }
    keys[place] = note.key
    starts[place] = note.start.nanoseconds
    lengths[place] = note.length.count
  }

  mutating func remove(_ key: UInt8) { if let place = place(of: key) { keys[place] = SoundingNotes.free } }
}

extension MIDINotes {
  /// The velocity of a hit. The loudness of a General MIDI instrument follows the square of the velocity, so that the gain of the
  /// volume and of the section acts by its square root. 0: the hit is not heard.
  package func velocity(of hit: Hit, gain: Float) -> UInt8 {
    let gain = hit.gain * gain
    guard gain > 0 else { return 0 }
    return UInt8(min(max((Float(velocities[hit.level]) * gain.squareRoot()).rounded(), 1), 127))
  }
}

/// Notes of the hits, each at its instant, and after the clock of the same instant.
extension MIDIClockLoop {
  /// A note-off that did not fit is retried after this time.
  private static var retryInterval: Nanoseconds { .milliseconds(1) }

  /// Sends the notes that are due on a port, and ends those that have sounded long enough. `nextClock` is when the port's next
  /// clock or start is due. Returns when to continue.
  func stepNotes(_ port: Int, _ ports: Ports, nextClock: Instant?, at view: Instant) -> Next? {
    followChanges(port, ports.opening(of: port), at: view)
    guard notes[port].opening != 0 else { return nil }
    if notes[port].mustEnd {
      if let retry = sendEnds(port, ports, nextClock: nil, at: view) { return retry }
      notes[port].mustEnd = false
    }
    var next: Next?
    if let settings = notes[port].settings, notes[port].session != 0 {
      if notes[port].searchesAgain { notes[port].search(timeline, from: view - MIDINoteTrack.tolerance) }
      next = sendHits(port, ports, settings, nextClock: nextClock, at: view)
    }
    guard let end = sendEnds(port, ports, nextClock: nextClock, at: view) else { return next }
    if let next, next.instant <= end.instant { return next }
    return end
  }

  /// A stop, other settings, or a port that was closed in between end the notes that sound.
  private func followChanges(_ port: Int, _ opening: UInt32, at view: Instant) {
    let session = timeline.pointee.session
    if session != notes[port].session {
      notes[port].mustEnd = true
      notes[port].begin(session)
    }
    if plan[port].notes != notes[port].settings {
      notes[port].mustEnd = true
      notes[port].settings = plan[port].notes
      notes[port].searchesAgain = true
    }
    if opening != notes[port].opening {
      notes[port].mustEnd = true
      notes[port].opening = opening
      notes[port].searchesAgain = true
      notes[port].busyUntil = view
    }
  }

  /// Sends the notes of the hits that are due. Returns when the next is due.
  private func sendHits(
    _ port: Int, _ ports: Ports, _ settings: MIDINotes, nextClock: Instant?, at view: Instant
  ) -> Next? {
    while let hit = notes[port].nextHit {
      guard hit.instant <= view else { return Next(instant: hit.instant, isExact: true) }
      let late = view - hit.instant
      let velocity = plan.isMuted || hit.isSilent ? 0 : settings.velocity(of: hit, gain: plan.gain)
      if velocity > 0, late <= MIDINoteTrack.tolerance, let key = settings[hit.voice, hit.level],
        notes[port].start(of: key) != hit.instant, !notes[port].isCovered(hit, settings)
      {
        if let nextClock, waits(port, for: nextClock, late: late, at: view) {
          return Next(instant: nextClock, isExact: true)
        }
        send(key, velocity, of: hit, port, ports, settings, at: view)
      }
      notes[port].pass(hit, timeline)
    }
    return nil
  }

  /// Whether a note must wait because a serial port would still transmit it when the next clock is due. It waits for one clock.
  private func waits(_ port: Int, for nextClock: Instant, late: Nanoseconds, at view: Instant) -> Bool {
    let byte = plan[port].byteDuration
    guard byte > .zero, late < byte * 3 else { return false }
    return max(view, notes[port].busyUntil) + byte * 4 > nextClock
  }

  private func send(
    _ key: UInt8, _ velocity: UInt8, of hit: Hit, _ port: Int, _ ports: Ports, _ settings: MIDINotes, at view: Instant
  ) {
    if notes[port].start(of: key) != nil {
      guard send(MIDIMessage(status: settings.noteOn - 16, key, 0), port, ports, hit.instant, at: view) else { return }
      notes[port].ended(key)
    }
    guard send(MIDIMessage(status: settings.noteOn, key, velocity), port, ports, hit.instant, at: view) else { return }
    notes[port].began(key, at: hit.instant, settings)
  }

  /// Ends the notes that are due to end. Returns when the next ends; nil: none sounds.
  func sendEnds(_ port: Int, _ ports: Ports, nextClock: Instant?, at view: Instant) -> Next? {
    while let (key, end) = notes[port].firstEnd(notes[port].settings) {
      guard end <= view else { return Next(instant: end, isExact: false) }
      let due = notes[port].mustEnd ? view : end
      if let nextClock, waits(port, for: nextClock, late: view - due, at: view) {
        return Next(instant: nextClock, isExact: true)
      }
      guard send(MIDIMessage(status: notes[port].noteOn - 16, key, 0), port, ports, due, at: view) else {
        return Next(instant: view + Self.retryInterval, isExact: false)
      }
      notes[port].ended(key)
    }
    return nil
  }

  /// Returns whether the port accepted the message.
  private func send(_ message: MIDIMessage, _ port: Int, _ ports: Ports, _ due: Instant, at view: Instant) -> Bool {
    guard ports.send(message, to: port) == .sent else { return false }
    notes[port].busyUntil = max(view, notes[port].busyUntil) + plan[port].byteDuration * 3
    observer.sent(message, port: port, late: view - due, at: view - plan.latency(of: port))
    return true
  }
}
