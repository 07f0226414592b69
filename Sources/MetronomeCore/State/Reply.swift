/// What the metronome answers to a command by light and buzzer, where the beat itself is no answer.
public enum Reply: Hashable, Sendable {
  case tempo(Tempo)
  case signature(Signature)
  /// A preset is stored.
  case stored
  /// What was asked for is not to be had: a preset that is not there, a list that is full.
  case refused
}
