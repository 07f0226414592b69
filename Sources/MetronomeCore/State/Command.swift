/// What a gesture means: one thing the metronome is asked to do.
public enum Command: Hashable, Sendable {
  /// Starts if stopped, stops if playing.
  case togglePlaying
  case start
  case stop
  case setTempo(Tempo)
  /// Goes up or down by thousandths of a BPM, and stays at the end of the range.
  case stepTempo(byMilliBPM: Int)
  /// Back to the tempo it was configured with.
  case resetTempo
  /// A finger beats the time: see ``TapTempo``.
  case tap
  /// Sets the beats in a bar, as near as the limit allows.
  case setNumerator(Int)
  case nextNumerator
  case previousNumerator
  /// Sets the note that lasts a beat, if the limit allows it; the numerator comes down with it where it must.
  case setDenominator(Int)
  case nextDenominator
  case previousDenominator
  /// Lights only, or sound again.
  case toggleSilence
  /// Tells the tempo by light and buzzer.
  case tellTempo
  /// Tells the signature by light and buzzer.
  case tellSignature
  /// The preset after the one recalled last, after the last one the first.
  case nextPreset
  case previousPreset
  /// The preset at this place of the list, counted from 1.
  case recallPreset(Int)
  /// Keeps tempo and signature at this place of the list, counted from 1.
  case storePreset(Int)
}
