/// A section in a timeline.
struct PlacedSection: Sendable {
  let song: Int
  let occurrence: SongMap.Occurrence
  let section: Section
  /// The map at the song's own speed.
  let map: SectionMap
  /// The song's own speed, and the practice speed at which the section is played.
  let mapSpeed: Int
  var speed: Int
  /// When its first beat falls, after the count-in.
  var origin: FineTime
  /// When it begins, with its count-in. Taps after that move ``origin``, but not this.
  var begin: FineTime
  /// The number of its first beat in the timeline.
  var firstBeat: Int64
  /// The bars that are counted in before it.
  let countIn: Int
  /// The beat at which it ends or is left, negative in the count-in; nil: without an end.
  var end: Int64?
  /// What follows if the section is left early. `speed`, in thousandths, is that of a recalled place; nil: see
  /// ``ScorePlayer/speed(ofSong:)``.
  var leavesFor: (song: Int, occurrence: SongMap.Occurrence?, speed: Int?)?

  var beatsInBar: Int64 { Int64(map.beatsInBar) }
  var countInBeats: Int64 { Int64(countIn) * beatsInBar }

  /// When a beat falls, counted from the first one after the count-in.
  func time(ofBeat beat: Int64) -> FineTime {
    if beat < 0 { return placedCountIn.time(of: Position(whole: firstBeat + beat)) }
    return origin + map.time(at: Position(whole: beat)).scaled(by: mapSpeed, over: speed)
  }

  /// The first beat at or after an instant; negative in the count-in.
  func firstBeat(atOrAfter instant: Instant) -> Int64 {
    // The scaled time is rounded, so this beat may be off by one. Before the first one are those of the count-in.
    let time = FineTime.earliest(at: instant)
    var beat = map.firstBeat(atOrAfter: (time - origin).scaled(by: speed, over: mapSpeed))
    while beat > -countInBeats, self.time(ofBeat: beat - 1) >= time { beat -= 1 }
    while self.time(ofBeat: beat) < time { beat += 1 }
    return beat
  }

  /// Where its count-in begins.
  var start: FineTime {
    countIn == 0 ? origin : origin - countInCurve.time(at: Position(whole: countInBeats))
  }

  var countInCurve: TempoCurve { map.pieces[0].curve.initial.rescaled(from: mapSpeed, to: speed) }

  var placedCountIn: PlacedCurve { PlacedCurve(curve: countInCurve, beat: firstBeat - countInBeats, origin: start) }
}

/// A pause in a timeline.
struct PlacedPause: Sendable {
  let song: Int
  let occurrence: SongMap.Occurrence
  let begin: FineTime
  /// When it ends; nil: when the musician goes on.
  var end: FineTime?
  /// The number of the beat that follows it.
  let beat: Int64
}

extension Segment {
  /// Moves the curve later if its first beat is before an instant, for example because a scaled time was rounded down.
  mutating func delay(to instant: Instant) {
    guard case .curve(var curve) = course else { return }
    let first = curve.time(of: Position(whole: firstIndex))
    guard first < .earliest(at: instant) else { return }
    curve.origin = curve.origin + (FineTime(instant - .zero) - first)
    course = .curve(curve)
  }
}
