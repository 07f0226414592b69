/// A stretch of a timeline at one tempo in one signature.
struct Segment: Hashable, Sendable, BitwiseCopyable {
  /// From when on it holds. What comes before belongs to the segment before.
  var start: Instant
  /// Where its first beat falls. The beats that follow are counted from here.
  var anchor: Instant
  /// What was cut off when the anchor was rounded down, in nanoseconds / ``Pace/divisor``. A change before the first beat
  /// counts from the unrounded place, so that many changes within one beat lose no more than one.
  var anchorRemainder: Int32 = 0
  /// Its first beat's number.
  var firstIndex: Int64
  /// The bar and the place in it of the beat before its first: -1 where its first begins a bar of that number, at the
  /// start of playing and at a bar line.
  var barBefore: Int64
  var positionBefore: Int
  var tempo: Tempo
  var signature: Signature

  var pace: Pace { Pace(tempo, signature) }

  /// The beat of this number as this segment counts, which is not before its first.
  func beat(_ index: Int64) -> Beat {
    let n = index - firstIndex
    precondition(n >= 0, "a segment knows no beat before its first")
    let place = self.place(ofBeat: n)
    return Beat(index: index, instant: anchor + pace.offset(ofBeat: n), bar: place.bar, position: place.position)
  }

  /// The place of the n-th beat of this segment. The bar goes on where the one before stood; if it has no such place any
  /// more, a new bar begins.
  private func place(ofBeat n: Int64) -> (bar: Int64, position: Int) {
    let beats = Int64(signature.numerator)
    let next = Int64(positionBefore) + 1
    let (bar, position) = next < beats ? (barBefore, next) : (barBefore + 1, 0)
    let place = position + n
    return (bar + place / beats, Int(place % beats))
  }
}
