/// Undoing a press that turned out to begin another gesture.
extension Metronome {
  struct Order {
    var command: Command
    var pressed: Instant
    /// The press, if it can be undone.
    var press: Press?
    var effective: Instant
    var now: Instant
    /// Where the timer counted from after a command that started playback; nil: it started nothing.
    var timedFrom: TimerOrigin?
  }

  /// The commands since the oldest press that can be undone, and the metronome before it. A press is undone by replaying the
  /// commands without it.
  struct History {
    /// The history stays empty unless a press can be undone. No user gives more commands than this during one press.
    static let capacity = 512

    var before: Metronome
    var orders: [Order] = []
  }

  /// Must be called before a command is carried out that can be undone, or while another one can be.
  mutating func record(_ order: Order) {
    if let press = order.press { forget(before: press.instant) }
    var order = order
    // Undoing a press affects only that press: a start or stop by another press in between is kept.
    if order.command == .togglePlaying {
      order.command = timeline.isPlaying && !isWaiting(at: order.effective) ? .stop : .start
    }
    if history == nil { history = Boxed(History(before: self)) }
    history?.value.orders.append(order)
    if let history, history.value.orders.count > History.capacity { self.history = nil }
  }

  /// Discards presses that can no longer be undone at an instant. Presses come in order of time.
  private mutating func forget(before instant: Instant) {
    guard let history else { return }
    let open = history.value.orders.firstIndex {
      $0.press.map { instant - $0.instant <= GestureMachine.longestGesture } ?? false
    }
    guard let open else {
      self.history = nil
      return
    }
    guard open > 0 else { return }
    let before = replayed(history.value.orders[..<open], after: history.value.before)
    self.history?.value.before = before
    self.history?.value.orders.removeFirst(open)
  }

  private func replayed(_ orders: some Sequence<Order>, after before: Metronome) -> Metronome {
    var other = resumed(from: before)
    for order in orders {
      let started = other.sessions
      _ = other.carryOut(order)
      // A source that has appeared since would start at another instant.
      if other.sessions != started, let timedFrom = order.timedFrom { other.timedFrom = timedFrom }
    }
    return other
  }

  /// This metronome with all state that commands change as in another one. Rules, source and time stay.
  private func resumed(from other: Metronome) -> Metronome {
    var resumed = other
    (resumed.rules, resumed.source, resumed.wishes) = (rules, source, wishes)
    (resumed.asOf, resumed.leadTime, resumed.history) = (asOf, leadTime, nil)
    resumed.sourceChanged()
    return resumed
  }

  /// Undoes the command of a press's edge, because the press turned out to begin another gesture.
  ///
  /// The press, `effective` and `now` are those of ``apply(_:pressed:provisional:effective:now:)``; `next` is the gesture's
  /// command, to be applied after this. Settings and presets become as if the press had not happened; other commands given
  /// meanwhile keep their effect. If the press stopped playback, playback resumes in phase and at the right beat and bar; the
  /// beats in between are skipped. If the press changed tempo or phase, the old beats return; if that would leave a gap or a
  /// double beat, only the tempo returns. If the press started playback, playback stops, unless the gesture toggles silent
  /// mode, which is only useful while playing.
  ///
  /// - Returns: false if the gesture must not be carried out, because it would leave the metronome stopped and silent.
  @discardableResult
  public mutating func undo(_ press: Press, for next: Command, effective: Instant, now: Instant) -> Bool {
    guard var kept = history?.value, let index = kept.orders.firstIndex(where: { $0.press == press }) else {
      return next != .toggleSilence
    }
    let undone = kept.orders.remove(at: index)
    let without = replayed(kept.orders, after: kept.before)
    let isStart = timeline.isPlaying && !without.timeline.isPlaying
    let (played, endedAWait) = (leader.player, without.isWaiting(at: now) && !isWaiting(at: now))
    if isStart, next == .toggleSilence { return true }
    history = kept.orders.contains { $0.press != nil } ? Boxed(kept) : nil
    let tempo = settings.tempo
    var undoing = resumed(from: without)
    (undoing.boxedTimeline, undoing.sessions, undoing.history) = (boxedTimeline, sessions, history)
    self = undoing
    if settings.tempo != tempo { wishForTempo(now: now) }
    if isStart {
      stop()
      settings.tempo = without.settings.tempo
    } else if without.timeline.isPlaying, !timeline.isPlaying, isInSession {
      // The session may have another tempo and place since the press.
      let since = timedFrom
      startWithSource(at: effective, now: now)
      timedFrom = since
    } else if without.timeline.isPlaying, !timeline.isPlaying || endedAWait {
      timeline = without.timeline.resumed(as: newSession(), from: effective)
    } else if let played {
      returnToScore(from: without, played, effective: effective, now: now)
    } else if timeline.session == without.timeline.session, timeline != without.timeline, !timeline.isSteered {
      timeline = timeline.returned(to: without.timeline, from: effective, now: now) ?? timeline
    }
    catchUp(effective: effective, now: now)
    let startsOrStops = undone.command == .start || undone.command == .stop
    return next != .toggleSilence || !startsOrStops || timeline.isPlaying
  }
}
