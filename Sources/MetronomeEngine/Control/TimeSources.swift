import HardwareAbstraction
import MetronomeCore

/// The clocks that the metronome can follow: a MIDI clock, or a Link session.
extension ControlLoop {
  /// Steers the beats to the source's clock.
  func follow(_ message: ClockMessage, now: Instant) {
    recordBeforeChange(at: now)
    follower?.metre = metronome.settings.bar.metre
    follower?.presumedMilliQuarters = metronome.settings.milliQuartersPerMinute
    let received = follower?.receive(message)
    if message.kind == .stop {
      metronome.sourceStopped(now: now)
      recordState()
    }
    if let received { follow(received, stamp: message.instant, now: now) }
  }

  private func follow(_ observation: BeatObservation, stamp: Instant, now: Instant) {
    // A box that follows a playing source is in use.
    if observation.isPlaying { touch(at: now) }
    if let state = follower?.state { metronome.show(state, now: now) }
    metronome.follow(
      observation, effective: effect(of: now, now: now), soonest: soonestEffect(of: stamp, now: now), now: now)
    observer.followed(deviation: observation.spread, resyncs: metronome.resyncs, at: now)
    recordState()
  }

  /// Notices that the source has fallen silent. The beat goes on at its last tempo.
  func checkSource(at now: Instant) {
    if let observation = follower?.check(at: now) { follow(observation, stamp: now, now: now) }
    guard let state = follower?.state else { return }
    metronome.show(state, now: now)
    recordState()
  }

  /// Chooses the clock that the configuration names; nil: none. A Link session ends.
  func use(_ options: SourceOptions?) {
    follower = options.map { ClockFollower(latency: $0.latency) }
    linkDeadline = nil
    metronome.use(options)
  }

  /// Follows a Link session with other peers. It is left if nothing is heard of it for two seconds.
  ///
  /// - Parameter transport: the session's start or stop, if the metronome shares it.
  /// - Returns: false if the configuration names a MIDI clock, which sets the time.
  package func followLink(
    _ observation: BeatObservation, peers: Int, transport: SharedTransport?, at now: Instant
  ) -> Bool {
    guard follower == nil else { return false }
    linkDeadline = now + Nanoseconds.seconds(2)
    change(at: now, isInput: transport?.isPlaying == true) {
      metronome.followLink(
        observation, peers: peers, transport: transport, effective: effect(of: now, now: now), now: now)
      observer.followed(deviation: .zero, resyncs: metronome.resyncs, at: now)
    }
    return true
  }

  /// Leaves a Link session: the beat goes on at its last tempo.
  package func leaveLink(at now: Instant) {
    linkDeadline = nil
    change(at: now, isInput: false) { metronome.leaveLink(now: now) }
  }

  /// The tempo that our hands want for a Link session: see ``Metronome/tempoWish``.
  package var tempoWish: (number: Int, milliQuarters: Int)? { metronome.tempoWish }

  /// See ``Metronome/refusesTempo``.
  package var refusesTempo: Bool { metronome.refusesTempo }
}
