import HardwareAbstraction
import MetronomeCore

/// Other ports and settings, and the end of a port.
extension MIDIClockLoop {
  /// Ends the notes that sound and stops the followers, on every port. Call it on the loop's thread as the last step: whatever ends the
  /// program, no port is closed before its last message, also if the loop did not run since the metronome was stopped.
  public func end(at now: Instant) {
    guard let ports else { return }
    for port in 0..<plan.list.count { leave(port, ports, at: now) }
  }

  /// Uses other settings. A port that is still there goes on, whatever its number; one that is not is stopped and left to the board.
  func use(_ newest: MIDIPlan, _ ports: Ports, at now: Instant) {
    let former = plan
    if newest.list != former.list {
      for port in 0..<former.list.count where newest.list.port(of: former.list[port]) == nil {
        leave(port, ports, at: now)
      }
      renumber(from: former.list, to: newest.list)
      ports.use(newest.list)
    }
    plan = newest
    for port in 0..<newest.list.count {
      // The clocks of a stopped metronome go on from the last one at the new tempo.
      if newest.idle != former.idle { tracks[port].idleAnchor = nil }
      guard let before = former.list.port(of: newest.list[port]) else { continue }
      let latency = newest.latency(of: port)
      if latency > former.latency(of: before) { tracks[port].jumped = now + latency }
    }
  }

  private func renumber(from former: MIDIPortList, to newest: MIDIPortList) {
    for port in 0..<newest.count {
      let before = former.port(of: newest[port])
      spareTracks[port] = before.map { tracks[$0] } ?? MIDITrack()
      spareNotes[port] = before.map { notes[$0] } ?? MIDINoteTrack()
    }
    swap(&tracks, &spareTracks)
    swap(&notes, &spareNotes)
  }

  private func leave(_ port: Int, _ ports: Ports, at now: Instant) {
    let view = now + plan.latency(of: port)
    notes[port].mustEnd = true
    _ = sendEnds(port, ports, nextClock: nil, at: view)
    if tracks[port].hasStarted { sendStop(port, ports, at: view) }
    tracks[port].hasStarted = false
  }
}
