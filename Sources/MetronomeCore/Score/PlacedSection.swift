/// A section in a timeline.
struct PlacedSection: Sendable {
  let song: Int
  let occurrence: SongMap.Occurrence
  let section: Section
  let map: SectionMap
  /// The speed for which the map was made, and the speed at which the section is played.
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
  /// The beat at which it ends or is left; nil: without an end.
  var end: Int64?
  /// What follows if the section is left early. `speed`, in thousandths, is that of a recalled place; nil: see
  /// ``ScorePlayer/speed(ofSong:)``.
  var leavesFor: (song: Int, occurrence: SongMap.Occurrence?, speed: Int?)?

  var beatsInBar: Int64 { Int64(map.beatsInBar) }
  var countInBeats: Int64 { Int64(countIn) * beatsInBar }

  func time(ofBeat beat: Int64) -> FineTime {
    origin + map.time(at: Position(whole: beat)).scaled(by: mapSpeed, over: speed)
  }

  func firstBeat(atOrAfter instant: Instant) -> Int64 {
    // The scaled time is rounded, so this beat may be off by one.
    let time = FineTime(instant - .zero)
    var beat = map.firstBeat(atOrAfter: (time - origin).scaled(by: speed, over: mapSpeed))
    while beat > 0, self.time(ofBeat: beat - 1) >= time { beat -= 1 }
    while self.time(ofBeat: beat) < time { beat += 1 }
    return beat
  }

  /// When a beat of the timeline falls.
  func time(ofNumber beat: Int64) -> FineTime {
    beat < firstBeat ? placedCountIn.time(of: Position(whole: beat)) : time(ofBeat: beat - firstBeat)
  }

  /// Where its count-in begins.
  var start: FineTime {
    countIn == 0 ? origin : origin - countInCurve.time(at: Position(whole: countInBeats))
  }

  var countInCurve: TempoCurve { map.pieces[0].curve.initial.rescaled(from: mapSpeed, to: speed) }

  var placedCountIn: PlacedCurve { PlacedCurve(curve: countInCurve, beat: firstBeat - countInBeats, origin: start) }
}

extension Segment {
  /// Moves the curve later if its first beat is before an instant, for example because a scaled time was rounded down.
  mutating func delay(to instant: Instant) {
    guard var curve else { return }
    let early = FineTime(instant - .zero) - curve.time(of: Position(whole: firstIndex))
    guard early > .zero else { return }
    curve.origin = curve.origin + early
    self.curve = curve
    anchor = instant
  }
}
