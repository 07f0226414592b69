import MetronomeCore

/// When a loop of a simulation wakes up.
struct Wake {
  private struct Delay {
    var instant: Instant
    var time: Nanoseconds
  }

  /// For a deadline or because somebody has rung; nil: not before somebody rings.
  var instant: Instant?
  /// Before which it does not wake up, whoever rings.
  private var barrier: Instant?
  /// When it would have woken up that is delayed.
  private var due: Instant?
  /// Those to come, in order of time.
  private var delays: [Delay] = []

  /// Somebody rings. A thread that is waking up already does not wake up later for another ring.
  mutating func bring(forwardTo instant: Instant) { self.instant = min(self.instant ?? instant, instant) }

  /// It is not to wake up any more; the delays to come are still to come.
  mutating func clear() { (instant, barrier, due) = (nil, nil, nil) }

  /// See `Simulation.delay(_:by:from:)`.
  mutating func delay(by time: Nanoseconds, from instant: Instant) {
    let later = delays.lastIndex { $0.instant <= instant }.map { $0 + 1 } ?? 0
    delays.insert(Delay(instant: instant, time: time), at: later)
  }

  /// When it really wakes up for something at an instant.
  func notBefore(_ instant: Instant) -> Instant { barrier.map { max($0, instant) } ?? instant }

  /// Delays it, if it is to be delayed, when it is about to wake up.
  ///
  /// - Returns: whether it is.
  mutating func holdUp(at instant: Instant) -> Bool {
    guard barrier == nil, let delay = delays.first, delay.instant <= instant else { return false }
    delays.removeFirst()
    barrier = instant + delay.time
    due = instant
    return true
  }

  /// It has woken up.
  ///
  /// - Returns: how long it was delayed.
  mutating func release(at now: Instant) -> Nanoseconds {
    defer { (barrier, due) = (nil, nil) }
    return heldUp(at: now)
  }

  /// How long it has been delayed by now, if it is about to wake up.
  func heldUp(at now: Instant) -> Nanoseconds { due.map { now - $0 } ?? .zero }
}

/// When each loop of a simulation wakes up.
struct Wakes {
  var control = Wake()
  var beats = Wake()
  var audio = Wake()
  var keeper = Wake()
  var memory = Wake()

  subscript(loop: Simulation.Loop) -> Wake {
    get {
      switch loop {
      case .control: control
      case .beats: beats
      case .audio: audio
      case .keeper: keeper
      case .memory: memory
      }
    }
    set {
      switch loop {
      case .control: control = newValue
      case .beats: beats = newValue
      case .audio: audio = newValue
      case .keeper: keeper = newValue
      case .memory: memory = newValue
      }
    }
  }

  /// Nobody is to wake up any more.
  mutating func clear() { for loop in Simulation.Loop.allCases { self[loop].clear() } }
}
