extension Metronome {
  /// Takes the tap of a finger. From the third on the tempo follows, and while it plays the phase, too; stopped it starts
  /// playing if ``Rules/tapStarts`` says so.
  ///
  /// What is tapped are notes of the signature that is heard: while a preset waits for its bar line, still the one before.
  mutating func tap(_ instant: Instant, effective: Instant, now: Instant) {
    guard let estimate = taps.take(instant) else { return }
    let heard = timeline.signature(at: instant) ?? settings.signature
    settings.tempo = estimate.tempo(in: heard, rounds: rules.tapRounds)
    let (tempo, signature) = (settings.tempo, settings.signature)
    if !timeline.isPlaying {
      guard rules.tapStarts else { return }
      timeline = Timeline(
        session: newSession(), tapped: estimate, firstBeat: effective, tempo: tempo, signature: signature)
    } else if !awaitsBarLine, let tapped = timeline.tapped(estimate, to: tempo, signature, from: effective, now: now) {
      timeline = tapped
    } else {
      catchUp(effective: effective, now: now)
    }
  }
}
