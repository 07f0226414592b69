/// Who sets the tempo and places the bar lines: one at a time.
///
/// `Documentation/Architecture.md` has the table of what changes the leader. ``Metronome/handOver(to:)`` carries it out.
enum Leader: Sendable {
  /// The settings, which buttons, taps and commands change.
  case hands
  /// A MIDI clock or a Link session: ``Metronome/source``. The settings have the rest of the bar.
  case source
  /// A score that was loaded.
  case score(ScorePlayer)
  /// A ramp of the trainer, played as a score of one section.
  case ramp(ScorePlayer, TempoSteps)

  /// What plays the score, or the ramp; nil: the settings are played.
  var player: ScorePlayer? {
    get {
      switch self {
      case .hands, .source: nil
      case .score(let player), .ramp(let player, _): player
      }
    }
    set {
      switch (self, newValue) {
      case (.hands, nil), (.source, nil): break
      case (.score, let player?): self = .score(player)
      case (.ramp(_, let ramp), let player?): self = .ramp(player, ramp)
      default: preconditionFailure("only handOver(to:) begins or ends a score")
      }
    }
  }

  var ramp: TempoSteps? { if case .ramp(_, let ramp) = self { ramp } else { nil } }

  var isSource: Bool { if case .source = self { true } else { false } }
}

extension Metronome {
  /// Changes the leader. Without a score or a ramp, a source leads if it is present, and otherwise the hands do: the argument then only
  /// says that no score leads.
  mutating func handOver(to next: Leader) {
    switch next {
    case .hands, .source: leader = source?.isPresent == true ? .source : .hands
    case .score, .ramp:
      leader = next
      leader.player?.filter = settings.trainer.filter
    }
  }

  /// Must be called whenever a source appears, is lost, or is removed.
  mutating func sourceChanged() { if leader.player == nil { handOver(to: .source) } }

  /// The ramp that plays, or that a start would play; nil: none.
  package var ramp: TempoSteps? { leader.ramp }

  /// Whether a source sets the tempo, so that commands cannot: a Link session is asked for a tempo instead.
  package var refusesTempo: Bool { leader.isSource && source?.isShared == false }
}
