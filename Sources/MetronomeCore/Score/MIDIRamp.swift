/// Bars of a MIDI file in which the tempo goes up or down in steps that lie on one of the changes of tempo of a score.
///
/// Programs write a ritardando as a staircase: a tempo for each beat, or every few ticks. The ramp takes as long as the
/// staircase, so its ends are about half a step beyond or before the first and the last tempo of the file.
struct MIDIRamp {
  static let fewestSteps = 4
  /// Fewer steps than these are a ramp only if it leaves or reaches a tempo that lasts for a bar: a player's beats may happen to
  /// become slower four times.
  static let certainSteps = 8
  static let mostBars: Int64 = 256
  /// How far a beat, and the end, may be from those of the file, in ns.
  static let beatBound = 5_000_000.0
  static let endBound = 1_000_000.0
  /// A step has the mean tempo of the ramp in it, within this share of the average step. Few steps fit by chance.
  private static func stepBound(_ steps: Int) -> Double { min(0.03 * Double(steps - 3), 0.25) }
  private static let shapes: [(TempoCurve.Shape, sign: String)] = [
    (.linearInBeats, "-"), (.linearInTime, ">"), (.linearInPeriod, "~"),
  ]

  /// As a score has it, such as `120-80`.
  private(set) var text = ""
  let steps: Int
  /// The greatest distance of a beat from that of the file, and how much later the end is, in ns.
  private(set) var farthest = 0.0
  private(set) var delay = 0.0

  private let metre: Metre
  private let beats: Int64
  /// How much later the score begins than the file, in ns. The times below are those of the file, from the beginning of the ramp.
  private let late: Double
  private let beatTimes: [Double]
  /// The edges of the steps, the ends of the ramp included, and the greatest error of the time between two of them.
  private var edges: [(place: Position, time: Double)] = []
  private var bounds: [Double] = []

  /// nil if no ramp is near enough. `indices` are the tempi that begin in these bars, and the one with which they begin.
  init?(
    _ tempi: MIDITempi, _ indices: ClosedRange<Int>, from start: Int64, bars: Int64, of length: Int64,
    _ signature: Signature,
    late: Double, nanoseconds: Double
  ) {
    (metre, steps, self.late) = (Metre(signature), indices.count, late)
    let (inBar, end, begin) = (Int64(metre.beatsInBar), start + bars * length, tempi.time(at: start))
    beats = bars * inBar
    func time(_ place: Int64) -> Double { Double(tempi.time(at: place) - begin) * nanoseconds }
    // A beat need not be a whole number of units.
    beatTimes = (0...bars * inBar).map { time(start + $0 * length / inBar) }
    let changes = tempi.changes
    let average = Double(abs(changes[indices.upperBound].tempo - changes[indices.lowerBound].tempo)) / Double(steps - 1)
    for index in indices {
      let from = max(changes[index].place, start)
      let next = index + 1 < changes.count ? changes[index + 1].place : .max
      // A step that is cut off at an end may have the tempo of its other part.
      let bound = MIDIRamp.stepBound(steps) + (from > changes[index].place || next > end ? 0.5 : 0)
      edges.append((Position((from - start) * inBar, over: length), time(from)))
      bounds.append(Double(min(next, end) - from) * average * nanoseconds * bound)
    }
    edges.append((Position(whole: beats), time(end)))
    let first = 60_000_000 / Double(changes[indices.lowerBound].tempo)
    let last = 60_000_000 / Double(changes[indices.upperBound].tempo)
    guard let shape = shape(first, last) else { return nil }
    for decimals in 0...6 where write(shape.shape, shape.sign, shape.first, last, decimals) { return }
    return nil
  }

  /// The shape whose beats are nearest to those of the file, and the tempo with which it begins.
  private func shape(
    _ first: Double, _ last: Double
  ) -> (shape: TempoCurve.Shape, sign: String, first: Double, farthest: Double)? {
    let middle = beats / 2
    var best: (shape: TempoCurve.Shape, sign: String, first: Double, farthest: Double)?
    for (shape, sign) in MIDIRamp.shapes {
      // The ramp has the times of the file in the middle and at the end.
      let own = root(first) { first in
        curve(shape, first, self.last(shape, first, last)).map { time($0, middle) + late - beatTimes[Int(middle)] }
      }
      guard let own, let curve = curve(shape, own, self.last(shape, own, last)), isNear(curve) else { continue }
      let farthest = farthest(curve)
      if farthest < best?.farthest ?? MIDIRamp.beatBound { best = (shape, sign, own, farthest) }
    }
    return best
  }

  /// The last tempo with which the ramp ends at the time of the file.
  private func last(_ shape: TempoCurve.Shape, _ first: Double, _ near: Double) -> Double? {
    root(near) { last in
      curve(shape, first, last).map { time($0, beats) + late - beatTimes[beatTimes.count - 1] }
    }
  }

  /// Writes the ramp with at most these decimals. False if it is then too far from the file.
  private mutating func write(
    _ shape: TempoCurve.Shape, _ sign: String, _ first: Double, _ last: Double, _ decimals: Int
  ) -> Bool {
    let unit = (0..<decimals).reduce(1.0) { unit, _ in unit * 10 }
    let first = (first * unit).rounded() / unit
    guard let last = self.last(shape, first, last).map({ ($0 * unit).rounded() / unit }),
      let curve = curve(shape, first, last)
    else { return false }
    (farthest, delay) = (farthest(curve), time(curve, beats) + late - beatTimes[beatTimes.count - 1])
    guard farthest <= MIDIRamp.beatBound, abs(delay) <= MIDIRamp.endBound else { return false }
    text = [first, last].map { ScoreTempo.number(Int64(($0 * 1_000_000).rounded())) }.joined(separator: sign)
    return true
  }

  private func curve(_ shape: TempoCurve.Shape, _ first: Double, _ last: Double?) -> TempoCurve? {
    guard let last, (1...999).contains(first), (1...999).contains(last),
      let from = ScoreTempo(microBPM: Int64((first * 1_000_000).rounded())),
      let to = ScoreTempo(microBPM: Int64((last * 1_000_000).rounded()))
    else { return nil }
    return TempoCurve(shape, from: from, to: to, beats: beats, metre)
  }

  private func time(_ curve: TempoCurve, _ beat: Int64) -> Double { time(curve, Position(whole: beat)) }

  private func time(_ curve: TempoCurve, _ place: Position) -> Double {
    Double(curve.time(at: place).nanoseconds.count)
  }

  private func farthest(_ curve: TempoCurve) -> Double {
    beatTimes.indices.reduce(0) { max($0, abs(time(curve, Int64($1)) + late - beatTimes[$1])) }
  }

  /// Whether each step has the tempo of the ramp there.
  private func isNear(_ curve: TempoCurve) -> Bool {
    var before = 0.0
    for (index, bound) in bounds.enumerated() {
      let time = time(curve, edges[index + 1].place)
      guard abs(time - before - (edges[index + 1].time - edges[index].time)) <= bound else { return false }
      before = time
    }
    return true
  }

  /// A zero of a function that is almost linear, within 1 µs or as near as a tempo of six decimals comes, by the method of
  /// secants; nil if the function has no value on the way.
  private func root(_ start: Double, _ function: (Double) -> Double?) -> Double? {
    guard var value = function(start) else { return nil }
    var (before, next) = (start, start * 1.000_1)
    for _ in 0..<20 {
      guard let own = function(next) else { return nil }
      if abs(own) < 1_000 || own == value { return next }
      (before, value, next) = (next, own, next - own * (next - before) / (own - value))
    }
    return next
  }
}
