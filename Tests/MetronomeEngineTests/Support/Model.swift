import BoardSimulation
import MetronomeCore

/// What must be played, worked out from the states that were announced, the slow way: beat by beat, in fractions.
enum Model {
  private static let minute: Int128 = 240_000_000_000_000

  private struct Playing {
    /// Where the next beat falls, as a fraction: whole nanoseconds and some more over `divisor`.
    var whole: Int128
    var part: Int128 = 0
    /// Beats since the one that this stretch is counted from, which lies on a whole nanosecond once it was played.
    var count: Int128 = 0
    var origin: Int128
    var tempo: Tempo
    var signature: Signature
    var nextIndex: Int64 = 0
    var bar: Int64 = 0
    var position = -1

    init(first: Int64, tempo: Tempo, signature: Signature) {
      whole = Int128(first)
      origin = whole
      self.tempo = tempo
      self.signature = signature
    }

    var divisor: Int128 { Int128(tempo.milliBPM) * Int128(signature.denominator) }
    var nextInstant: Int64 { Int64(whole) }

    mutating func change(to tempo: Tempo, _ signature: Signature, at instant: Int64) {
      let left = (whole - Int128(instant)) * divisor + part
      self.tempo = tempo
      self.signature = signature
      count = 0
      guard nextIndex > 0 else { return }
      whole = Int128(instant) + left / divisor
      part = left % divisor
    }

    mutating func play() -> Beat {
      let instant = nextInstant
      position += 1
      if position >= signature.numerator {
        position = 0
        bar += 1
      }
      if count == 0 { origin = whole }
      count += 1
      whole = origin + count * minute / divisor
      part = count * minute % divisor
      defer { nextIndex += 1 }
      return Beat(index: nextIndex, instant: Instant(nanoseconds: instant), bar: bar, position: position)
    }
  }

  /// - Parameter ahead: how long before its instant a beat is sent.
  static func beats(
    _ events: [TraceEvent], lead: Nanoseconds, end: Nanoseconds, ahead: Nanoseconds = .zero
  ) -> [Beat] {
    var beats: [Beat] = []
    var playing: Playing?
    /// Changes that are announced and not yet in effect.
    var changes: [(instant: Int64, state: MetronomeState)] = []
    func advance(to limit: Int64) {
      while true {
        if let change = changes.first, change.instant <= min(playing!.nextInstant, limit) {
          playing!.change(to: change.state.tempo, change.state.signature, at: change.instant)
          changes.removeFirst()
        } else if playing!.nextInstant < limit {
          beats.append(playing!.play())
        } else {
          return
        }
      }
    }
    for event in events {
      guard case .state(let state) = event.what else { continue }
      let effective = event.time.count + lead.count
      if playing != nil { advance(to: (event.time + ahead).count) }
      if !state.isPlaying {
        playing = nil
        changes = []
      } else if playing == nil {
        playing = Playing(first: effective, tempo: state.tempo, signature: state.signature)
      } else {
        changes.append((effective, state))
      }
    }
    if playing != nil { advance(to: (end + ahead).count) }
    return beats
  }
}
