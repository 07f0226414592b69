import BoardSimulation
import MetronomeCore

/// What must be played, worked out from the states that were announced, the slow way: beat by beat, in fractions.
enum Model {
  private static let minute: Int128 = 240_000_000_000_000

  private struct Playing {
    /// Where the present stretch is counted from, and the number of the beat there.
    var anchor: Int128
    var anchorIndex: Int64
    var tempo: Tempo
    var signature: Signature
    var nextIndex: Int64 = 0
    var bar: Int64 = 0
    var position = -1

    var divisor: Int128 { Int128(tempo.milliBPM) * Int128(signature.denominator) }
    /// The next beat's distance from the anchor, in units of 1/divisor ns.
    var scaledOffset: Int128 { Int128(nextIndex - anchorIndex) * minute }
    var nextInstant: Int64 { Int64(anchor + scaledOffset / divisor) }

    mutating func change(to tempo: Tempo, _ signature: Signature, at instant: Int64) {
      let remaining = scaledOffset - (Int128(instant) - anchor) * divisor
      self.tempo = tempo
      self.signature = signature
      if nextIndex > 0 { anchor = Int128(instant) + remaining / divisor }
      anchorIndex = nextIndex
    }

    mutating func play() -> Beat {
      let instant = nextInstant
      position += 1
      if position >= signature.numerator {
        position = 0
        bar += 1
      }
      defer { nextIndex += 1 }
      return Beat(index: nextIndex, instant: Instant(nanoseconds: instant), bar: bar, position: position)
    }
  }

  static func beats(_ events: [TraceEvent], lead: Nanoseconds, end: Nanoseconds) -> [Beat] {
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
      if playing != nil { advance(to: event.time.count) }
      if !state.isPlaying {
        playing = nil
        changes = []
      } else if playing == nil {
        playing = Playing(anchor: Int128(effective), anchorIndex: 0, tempo: state.tempo, signature: state.signature)
      } else {
        changes.append((effective, state))
      }
    }
    if playing != nil { advance(to: end.count) }
    return beats
  }
}
