import BoardSimulation
import ControlSocket
import MetronomeCore
import MetronomeEngine

/// While the metronome is in a Link session, its beats and bar lines are those that the reports of the session give.
final class SessionChecker: Checker {
  private static let tolerance = Nanoseconds.microseconds(100)
  /// The error of a report's position that is only rounding.
  private static let rounding = Nanoseconds.microseconds(10)
  /// How long the length of a beat may matter after a change.
  private static let memory = Nanoseconds.seconds(12)

  /// A report of the session: its position in millionths of a quarter, and the picoseconds per quarter.
  private struct Report {
    var epoch: Int64
    var quarter: Int64
    var instant: Instant
    var period: Int64

    /// The position in units of 10⁻¹² quarters.
    func position(at other: Instant) -> Int128 {
      Int128(quarter) * 1_000_000 + Int128((other - instant).count) * 1_000_000_000_000_000 / Int128(period)
    }

    func time(ofQuarters trillionths: Int128) -> Nanoseconds {
      Nanoseconds(Int64(trillionths * Int128(period) / 1_000_000_000_000_000))
    }
  }

  private var report: Report?
  private var state: MetronomeState?
  /// When anything last happened that may move the beats or the bar lines.
  private var disturbed = Instant.never
  /// The reports since then, and the beats since those changes took effect.
  private var reports = 0
  private var tapped = Instant.never
  /// The first beat that each tap has moved.
  private var moved: [(session: UInt32, beat: Int64)] = []
  private var beats = 0
  private var session: UInt32 = 0
  private var last: Beat?
  /// The recent lengths of a quarter, in the tempo of the session and in our own.
  private var lengths: [(instant: Instant, length: Nanoseconds)] = []

  override init(_ scene: Scene) {
    super.init(scene)
    begin()
  }

  /// The metronome has started: stopped, or playing at once.
  private func begin() {
    (report, last, session, lengths) = (nil, nil, 0, [])
    let state = scene.simulation.engine.control.state
    self.state = state
    note(state)
    disturb()
  }

  override func exchanged(_ request: ControlMessage, _ answers: [ControlMessage]) {
    // Taps move the beats.
    if request["command"] == "tap" { tapped = scene.now }
    guard request.word == "source" else { return disturb() }
    guard answers.first?.word == "done", let new = report(in: request) else {
      report = nil
      return disturb()
    }
    defer { report = new }
    note(new)
    reports += 1
    guard let old = report, old.epoch == new.epoch, old.period == new.period,
      new.instant - old.instant < .milliseconds(300)
    else { return disturb() }
    let step = new.time(ofQuarters: Int128(new.quarter) * 1_000_000 - old.position(at: new.instant))
    if abs(step.count) > SessionChecker.rounding.count { disturb() }
  }

  /// nil: the session has ended.
  private func report(in request: ControlMessage) -> Report? {
    guard request["peers"] != "0", let epoch = request["epoch"].flatMap({ Int64($0) }),
      let quarter = request["quarter"].flatMap({ Int64($0) }), let micros = request["us-per-quarter"]
    else { return nil }
    let parts = micros.split(separator: ".").compactMap { Int64($0) }
    // A report is sent and read at the same instant, unless the control loop is late; that is noted as a disturbance.
    return Report(epoch: epoch, quarter: quarter, instant: scene.now, period: parts[0] * 1_000_000 + parts[1])
  }

  override func see(_ event: TraceEvent) {
    switch event.what {
    case .state(let state): see(state)
    case .beat(let beat): see(beat)
    case .button(let button, _):
      if scene.options.gestures.commands(with: button).contains(.tap) { tapped = scene.now }
      disturb()
    case .line, .click, .hit, .skipped, .missed, .underrun, .fault, .audio, .display, .ended, .began, .midi,
      .lostClocks:
      break
    }
  }

  override func look(after loop: Simulation.Loop?, _ changes: Scene.Changes) {
    if loop == .control, scene.lateness > .zero { disturb() }
    guard changes.hasTimeline else { return }
    if tapped == scene.now, let beat = firstMovedBeat { moved.append((scene.timeline.session, beat)) }
    moved.removeAll { $0.session != scene.timeline.session }
  }

  /// The first beat that the last change of the timeline has moved or begun with; nil: none soon.
  private var firstMovedBeat: Int64? {
    let new = scene.timeline
    guard let oldest = new.oldestIndex, let old = scene.publications.dropLast().last?.timeline else { return nil }
    guard old.session == new.session, let oldestBefore = old.oldestIndex else { return new.first }
    let from = max(oldest, oldestBefore)
    return (from..<from + 1_000).first { old.beat($0)?.instant != new.beat($0)?.instant }
  }

  override func reconfigured() { disturb() }

  override func switched(isOn: Bool) {
    begin()
  }

  private func disturb() {
    (disturbed, reports, beats) = (scene.now, 0, 0)
    if scene.isLinked { scene.noteJump() }
  }

  private func see(_ new: MetronomeState) {
    defer { state = new }
    note(new)
    guard let old = state else { return disturb() }
    let isSame =
      old.bar == new.bar && old.isPlaying == new.isPlaying && old.trainer == new.trainer && old.score == nil
      && new.score == nil && old.source?.kind == new.source?.kind
    if !isSame { disturb() }
  }

  private static let quarter: Int128 = 1_000_000_000_000

  /// The length of a beat in trillionths of a quarter.
  private func quarters(_ metre: Metre) -> Int128 {
    Int128(4 * metre.notesInBeat) * SessionChecker.quarter / Int128(metre.signature.denominator)
  }

  private func note(_ report: Report) { note(report.time(ofQuarters: SessionChecker.quarter)) }

  private func note(_ state: MetronomeState) {
    let unit = state.bar.metre.unit
    let quarter =
      60_000_000_000_000 * Int64(unit.denominator) / (Int64(state.tempo.milliBPM) * (unit.isDotted ? 12 : 4))
    note(Nanoseconds(quarter))
    if let report { note(report) }
  }

  private func note(_ length: Nanoseconds) {
    // A length ends with the next one.
    while lengths.count > 1, lengths[1].instant + SessionChecker.memory < scene.now {
      lengths.removeFirst()
    }
    if lengths.last?.length == length { lengths.removeLast() }
    lengths.append((scene.now, length))
  }

  private func see(_ beat: Beat) {
    defer { last = beat }
    guard let last, session == scene.timeline.session, last.index + 1 == beat.index else {
      session = scene.timeline.session
      return
    }
    guard scene.isLinked, let report, let state, state.score == nil, !state.trainer.contains("ramp") else { return }
    checkDistance(last, beat)
    guard disturbed + scene.lead.duration * 2 + .milliseconds(300) < last.instant else { return }
    beats += 1
    let length = report.time(ofQuarters: quarters(state.bar.metre))
    guard min(beats, reports) > settlingBeats(length) else { return }
    checkInStep(beat, report, state)
  }

  /// Two beats are never nearer than half of the shorter period, unless a tap has moved one of them.
  private func checkDistance(_ last: Beat, _ beat: Beat) {
    guard !moved.contains(where: { $0.beat == last.index || $0.beat == beat.index }) else { return }
    // The metre that plays: another one may wait for its bar line.
    let metres = [last, beat].compactMap { scene.timeline.bar(ofBeat: $0.index)?.metre }
    guard let quarter = lengths.map(\.length).min(), let part = metres.map(quarters).min() else { return }
    let (now, shortest) = (beat.instant - last.instant, Int64(Int128(quarter.count) * part / SessionChecker.quarter))
    if now.count * 2 + 2 < shortest {
      scene.breach(
        .followsSession, "beat \(beat.index) is \(now.count) ns after the one before, in a period of \(shortest) ns")
    }
  }

  /// Each report corrects an error of up to half a beat by 5 % of a beat, and the last 10 ms of it by 0.5 % or 200 µs, whichever is more.
  private func settlingBeats(_ length: Nanoseconds) -> Int { 16 + Int(10_000_000 / max(length.count / 200, 200_000)) }

  private func checkInStep(_ beat: Beat, _ report: Report, _ state: MetronomeState) {
    let length = quarters(state.bar.metre)
    let position = report.position(at: beat.instant)
    let number = (position + length / 2) / length - (position < -length / 2 ? 1 : 0)
    let error = report.time(ofQuarters: position - number * length)
    if abs(error.count) > SessionChecker.tolerance.count {
      scene.breach(.followsSession, "beat \(beat.index) is \(error.count) ns after the beat of the session")
    }
    let beatsInBar = state.bar.metre.beatsInBar
    let place = Int(number % Int128(beatsInBar))
    if beat.position != (place < 0 ? place + beatsInBar : place) {
      scene.breach(
        .followsSession,
        "beat \(beat.index) has place \(beat.position) of its bar, but beat \(number) of the session is at \(place)")
    }
  }
}
