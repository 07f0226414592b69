extension Metronome {
  /// A command as it was given.
  struct Order {
    var command: Command
    var pressed: Instant
    /// The press, if it may be undone.
    var press: Press?
    var effective: Instant
    var now: Instant
  }

  /// All that commands change.
  struct Snapshot {
    var settings: Settings
    var timeline: Timeline
    var awaitsBarLine: Bool
    var presets: PresetList
    var recalled: Int?
    var taps: TapTempo
    var sessions: UInt32
  }

  /// The commands since the oldest press that may be undone, and what was before it. What would be without one of them is
  /// worked out by carrying out the others again.
  struct History {
    /// Without a press that may be undone nothing is kept; hands give fewer commands than this while a press lasts.
    static let capacity = 512

    var before: Snapshot
    var orders: [Order] = []
  }

  private var snapshot: Snapshot {
    Snapshot(
      settings: settings, timeline: timeline, awaitsBarLine: awaitsBarLine, presets: presets, recalled: recalled,
      taps: taps, sessions: sessions)
  }

  /// To be called before a command is carried out.
  mutating func remember(_ order: Order) {
    if let press = order.press { forget(before: press.instant) }
    guard order.press != nil || history != nil else { return }
    var order = order
    // A press is undone by itself only: what another one started or stopped meanwhile stays so.
    if order.command == .togglePlaying { order.command = timeline.isPlaying ? .stop : .start }
    if history == nil { history = History(before: snapshot) }
    history?.orders.append(order)
    if let history, history.orders.count > History.capacity { self.history = nil }
  }

  /// Forgets presses that have become what they are by an instant. Presses come in order of time.
  private mutating func forget(before instant: Instant) {
    guard var kept = history else { return }
    let open = kept.orders.firstIndex { $0.press.map { instant - $0.instant <= GestureTracker.hold } ?? false }
    if let open {
      kept.before = replayed(kept.orders[..<open], after: kept.before).snapshot
      kept.orders.removeFirst(open)
    }
    history = open == nil ? nil : kept
  }

  private func replayed(_ orders: some Sequence<Order>, after before: Snapshot) -> Metronome {
    var other = self
    other.history = nil
    other.adopt(before)
    (other.timeline, other.sessions) = (before.timeline, before.sessions)
    for order in orders { _ = other.carryOut(order) }
    return other
  }

  private mutating func adopt(_ snapshot: Snapshot) {
    settings = snapshot.settings
    presets = snapshot.presets
    recalled = snapshot.recalled
    taps = snapshot.taps
    awaitsBarLine = snapshot.awaitsBarLine
  }

  /// Undoes what a press did at its edge, because the press turned out to be the beginning of another gesture.
  ///
  /// Settings and presets are as if it had not been; other commands given meanwhile stay in force. What the press stopped
  /// plays on with the phase, beats and bars that it had: the beats meanwhile are left out. What it shifted, or made faster
  /// or slower, returns to its place, unless the beats played meanwhile would leave a gap or an echo there: then the tempo
  /// returns and the phase stays. What it started stops, unless the gesture is for silent mode, which is of use only while
  /// it plays. What another press started or stopped meanwhile stays so.
  ///
  /// - Parameters:
  ///   - press: as it was given to ``apply(_:pressed:provisional:effective:now:)``.
  ///   - next: what the gesture means, which is to be applied after this.
  ///   - effective: as in ``apply(_:pressed:provisional:effective:now:)``.
  ///   - now: the present, not after `effective`.
  /// - Returns: false if the gesture must not be carried out: it is for silent mode, and would leave a metronome stopped and
  ///   mute.
  @discardableResult
  public mutating func takeBack(_ press: Press, for next: Command, effective: Instant, now: Instant) -> Bool {
    guard var kept = history, let index = kept.orders.firstIndex(where: { $0.press == press }) else {
      return next != .toggleSilence
    }
    let undone = kept.orders.remove(at: index)
    let without = replayed(kept.orders, after: kept.before)
    let isStart = timeline.isPlaying && !without.timeline.isPlaying
    if isStart, next == .toggleSilence { return true }
    history = kept.orders.contains { $0.press != nil } ? kept : nil
    adopt(without.snapshot)
    if isStart {
      stop()
    } else if without.timeline.isPlaying, !timeline.isPlaying {
      timeline = without.timeline.resumed(as: newSession(), from: effective)
    } else if timeline.session == without.timeline.session, timeline != without.timeline {
      timeline = timeline.returned(to: without.timeline, from: effective, now: now) ?? timeline
    }
    catchUp(effective: effective, now: now)
    let startsOrStops = undone.command == .start || undone.command == .stop
    return next != .toggleSilence || !startsOrStops || timeline.isPlaying
  }
}
