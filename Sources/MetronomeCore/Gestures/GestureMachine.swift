/// From raw edges of all buttons to what the gestures mean.
///
/// Every button of every ``Origin`` has a contact of its own, debounced by a ``Debouncer``.
/// - A **short** press acts at its edge, at once, if it is urgent or if the button is for nothing else. Otherwise it acts on
///   release, if the button was let go less than 500 ms after the press and was not part of a chord. A button that repeats
///   may also be let go at exactly 500 ms, since it does not repeat then.
/// - A **long** press is one that was held for 500 ms, and acts then; a release at exactly that instant is too late to be a
///   short one. What the short one did at the edge is taken back.
/// - A button **repeats** while it is held: first 500 ms after the press, then after 300, 240, 192, 153, 122, 97, 77, 61,
///   48, 40, 40 … ms, each interval 4/5 of the one before in whole milliseconds, none shorter than 40: at 500, 800, 1040,
///   1232, 1385, 1507, 1604, 1681, 1742, 1790, 1830, 1870, 1910, 1950, 1990, 2030, 2070 ms … Each time by one step in the
///   first 2 s, from then on by 2, 3, 4, 5, 5, 5 …: 2 at 2030 ms. It does not repeat at the instant of its release.
/// - Two buttons are a **chord** if the second goes down less than 500 ms after the first, which has not become anything
///   but a short press yet, and the table has them as one. It acts at the second's edge; what the first did at its edge is
///   taken back. Nothing more comes of the two until they are let go. Any third button is on its own.
///
/// Deadlines are worked off in order of time with the edges, so that reading late changes nothing. A button that repeats
/// catches up with no more than 2 s: what was due earlier, while nobody could read any edge, is left out.
///
/// While a button is held its level is looked at every 100 ms, and whenever something is due: up means that its release was
/// lost, and nothing more comes of it. (Should the release come yet, since it happened after the edges had been read and
/// before the level was, then it is no lost one, and a short press that waits for it acts.) A button that lets go for less
/// than a lock-out is released by that, but not pressed anew: nothing more comes of it until it is let go. One that goes
/// down though it is down has lost edges; it is let go by that, and pressed anew only if its level says so. No press counts
/// twice, whatever edges are lost, and each counts where none is: see ``Debouncer``.
///
/// The size of the state depends on the number of origins only. Taking an edge allocates nothing. One thread at a time.
public struct GestureMachine<Meaning: Hashable & Sendable>: Sendable {
  /// How long a press must be held to be more than a short one.
  public static var hold: Nanoseconds { GestureTracker.hold }

  /// What the gestures mean.
  public private(set) var table: GestureTable<Meaning>
  private var tracker: GestureTracker

  /// - Parameters:
  ///   - table: what gestures mean.
  ///   - lockOut: of each contact; more than 0 and less than ``hold``, or it traps.
  ///   - origins: how many there are, the box counted.
  public init(
    _ table: GestureTable<Meaning>, lockOut: Nanoseconds = Debouncer.standardLockOut, origins: Int = 1
  ) {
    self.table = table
    tracker = GestureTracker(table.shapes, lockOut: lockOut, origins: origins)
  }

  /// When ``settle(at:level:_:)`` must be called, if no edge comes before.
  public var deadline: Instant? { tracker.deadline }

  /// When a button went down last, whether it has a meaning or not.
  public var lastTouch: Instant? { tracker.lastTouch }

  /// Whether a button counts as down.
  public func isDown(_ button: Button, _ origin: Origin = .box) -> Bool { tracker.isDown(button, origin) }

  /// Edges of an origin may have been lost before an instant. Must be called before the edges read after the gap are taken;
  /// what is uncertain about them is no press.
  public mutating func mayHaveLost(_ origin: Origin = .box, until instant: Instant) {
    tracker.mayHaveLost(origin, until: instant)
  }

  /// Takes an edge, after all that was due before. Traps on an origin that is not there.
  ///
  /// - Parameters:
  ///   - edge: edges of one button come in order of time.
  ///   - act: is told what comes of it, in order of time.
  public mutating func take(_ edge: ButtonEdge, _ act: (GestureEvent<Meaning>) -> Void) {
    tracker.take(edge) { [table] in GestureMachine.tell($0, table, act) }
  }

  /// Works off the deadlines that have passed. To be called when all edges have been read.
  ///
  /// - Parameters:
  ///   - now: the present.
  ///   - level: whether a button is down at this moment; nil if that cannot be told.
  ///   - act: is told what comes of it, in order of time.
  public mutating func settle(
    at now: Instant, level: (Button, Origin) -> Bool?, _ act: (GestureEvent<Meaning>) -> Void
  ) {
    tracker.settle(at: now, level: level) { [table] in GestureMachine.tell($0, table, act) }
  }

  /// A device is gone, or edges of it were lost: its buttons are up, and no gesture comes of what was under way. A button of
  /// it that is down still has to go up first.
  public mutating func interrupt(_ origin: Origin, at instant: Instant) { tracker.interrupt(origin, at: instant) }

  /// Gestures mean something else from now on. Nothing comes of what is under way: a button that is down has to go up first.
  ///
  /// - Parameters:
  ///   - table: what they mean then.
  ///   - lockOut: as in the initialiser; of a lock-out that has begun the old one counts.
  public mutating func rebind(to table: GestureTable<Meaning>, lockOut: Nanoseconds) {
    self.table = table
    tracker.rebind(to: table.shapes, lockOut: lockOut)
  }

  /// There are other devices beside the box from now on: `origins` of them, the box counted, whose buttons stay as they were.
  public mutating func renew(origins: Int) { tracker.renew(origins: origins) }

  private static func tell(
    _ found: GestureTracker.Found, _ table: GestureTable<Meaning>, _ act: (GestureEvent<Meaning>) -> Void
  ) {
    guard let meaning = table[found.gesture] else { return }
    act(
      GestureEvent(
        meaning, at: found.instant, press: found.press, steps: found.steps, provisional: found.provisional,
        takesBack: found.takesBack))
  }
}

/// What a gesture means, and when the hand made it.
public struct GestureEvent<Meaning: Hashable & Sendable>: Hashable, Sendable {
  public var meaning: Meaning
  /// When it became what it is: at the edge, at the end of a deadline.
  public var instant: Instant
  /// How often: more than once for a quick repetition.
  public var steps: Int
  /// The edge of the press it belongs to.
  public var press: Instant
  /// The press, if it acts at its edge and may yet turn out to be the beginning of another gesture.
  public var provisional: Press?
  /// A press whose effect must be undone first, because it turned out to be the beginning of this gesture.
  public var takesBack: Press?

  public init(
    _ meaning: Meaning, at instant: Instant, press: Instant, steps: Int = 1, provisional: Press? = nil,
    takesBack: Press? = nil
  ) {
    self.meaning = meaning
    self.instant = instant
    self.steps = steps
    self.press = press
    self.provisional = provisional
    self.takesBack = takesBack
  }
}

/// From turns of dials to commands.
///
/// A detent of the tempo dial is a step of one BPM, and a quick one several: as many as the time since the turn before, of
/// the same device in the same direction, goes into 100 ms, but no more than 5. So 100 ms and more apart is one step a
/// detent, 50 ms apart two, 20 ms and less apart five. The detents that come in one turn are all as quick. The other dials
/// go on to the next or back to the previous, once for each detent.
public struct DialMachine: Hashable, Sendable {
  private static let slowest = Nanoseconds.milliseconds(100)
  private static let mostSteps: Int64 = 5
  /// More than any list has places. No hand turns as far at once.
  private static let mostDetents = 128

  private var lastTempoTurn: DialTurn?

  public init() {}

  /// Takes a turn; turns come in order of time.
  ///
  /// - Parameters:
  ///   - turn: of one dial. Of more than 128 detents at once only as many count.
  ///   - act: is told what it means.
  public mutating func take(_ turn: DialTurn, _ act: (GestureEvent<Command>) -> Void) {
    guard turn.detents != 0 else { return }
    let isForward = turn.detents > 0
    let detents = Int(min(turn.detents.magnitude, UInt(DialMachine.mostDetents)))
    switch turn.dial {
    case .tempo:
      let steps = detents * quickness(of: turn)
      lastTempoTurn = turn
      let step = Command.stepTempo(byMilliBPM: isForward ? 1_000 : -1_000)
      act(GestureEvent(step, at: turn.instant, press: turn.instant, steps: steps))
    case .numerator: tell(isForward ? .nextNumerator : .previousNumerator, turn, detents, act)
    case .denominator: tell(isForward ? .nextDenominator : .previousDenominator, turn, detents, act)
    case .preset: tell(isForward ? .nextPreset : .previousPreset, turn, detents, act)
    }
  }

  /// The steps of a detent.
  private func quickness(of turn: DialTurn) -> Int {
    guard let last = lastTempoTurn, last.origin == turn.origin, last.detents.signum() == turn.detents.signum() else {
      return 1
    }
    let interval = max(turn.instant - last.instant, Nanoseconds(1))
    return Int(max(1, min(DialMachine.slowest.count / interval.count, DialMachine.mostSteps)))
  }

  private func tell(_ command: Command, _ turn: DialTurn, _ detents: Int, _ act: (GestureEvent<Command>) -> Void) {
    for _ in 0..<detents { act(GestureEvent(command, at: turn.instant, press: turn.instant)) }
  }
}
