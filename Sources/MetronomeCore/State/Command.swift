/// What a gesture means: one thing the metronome is asked to do.
public enum Command: Hashable, Sendable {
  /// Starts if stopped, stops if playing.
  case togglePlaying
  case start
  case stop
  case setTempo(Tempo)
  /// Goes up or down by thousandths of a BPM, and stays at the end of the range.
  case stepTempo(byMilliBPM: Int)
  /// Sets the beats in a bar, as near as the limit allows.
  case setNumerator(Int)
  case nextNumerator
  /// Sets the note that lasts a beat, if the limit allows it; the numerator comes down with it where it must.
  case setDenominator(Int)
  case nextDenominator
}
