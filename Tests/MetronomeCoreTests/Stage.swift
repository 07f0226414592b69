@testable import MetronomeCore

/// A metronome that is stepped at its deadlines, as the control loop does.
struct Stage {
  static let lead = Nanoseconds.milliseconds(25)

  var metronome = Metronome()
  var now = Instant.zero
  /// The beats in the order in which they were played.
  var beats: [Beat] = []
  private var next: Int64 = 0
  private var session: UInt32 = 0

  init(_ text: String) throws { metronome.load(SetList(try Score(text: text))) }

  init(_ settings: Settings, rules: Rules = Rules()) { metronome = Metronome(settings, rules: rules) }

  /// Starts with the first beat at `lead`.
  mutating func start() { apply(.start) }

  mutating func apply(_ command: Command) {
    metronome.apply(command, pressed: now, effective: now + Stage.lead, now: now)
  }

  /// A press that may be undone.
  mutating func press(_ command: Command, _ press: Press) {
    metronome.apply(command, pressed: now, provisional: press, effective: now + Stage.lead, now: now)
  }

  /// Undoes a press for a gesture.
  mutating func undo(_ press: Press, for command: Command) {
    metronome.undo(press, for: command, effective: now + Stage.lead, now: now)
  }

  mutating func reload(trainer: Trainer, from old: Trainer) {
    metronome.reconfigure(
      rules: metronome.rules, limit: .none, trainer: (trainer, old), effective: now + Stage.lead, now: now)
  }

  /// Plays until an instant. If `isStalled`, the metronome is not stepped meanwhile.
  mutating func play(until end: Instant, isStalled: Bool = false) {
    while now < end {
      let deadline = metronome.deadline.map { max($0, now + Nanoseconds(1)) }
      let due = isStalled ? end : min(deadline ?? end, end)
      collect(until: due)
      now = due
      if !isStalled { metronome.catchUp(effective: now + Stage.lead, now: now) }
    }
  }

  private mutating func collect(until end: Instant) {
    let timeline = metronome.timeline
    if timeline.session != session { (session, next) = (timeline.session, 0) }
    while let oldest = timeline.oldestIndex, let beat = timeline.beat(max(next, oldest)), beat.instant < end {
      beats.append(beat)
      next = beat.index + 1
    }
  }

  /// The instants of the beats since the first one, in nanoseconds.
  var times: [Int64] { beats.map { ($0.instant - (.zero + Stage.lead)).count } }
}

extension Settings {
  init(_ trainer: Trainer) {
    self.init()
    self.trainer = trainer
  }
}
