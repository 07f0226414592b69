/// All promises of the metronome, in one place. They hold under every fault.
///
/// `Documentation/Promises.md` lists them for users, and a test compares the two. A ``Checker`` checks each promise during a
/// simulation.
public enum Promise: String, CaseIterable, Hashable, Sendable {
  case eachBeatOnce = "each beat once"
  case onItsInstant = "on its instant"
  case evenly = "evenly"
  case phaseKept = "phase kept"
  case noGap = "no gap"
  case inItsBar = "in its bar"
  case committedBeatsStay = "committed beats stay"
  case linesAgree = "lines agree"
  case pulsesEnd = "pulses end"
  case silencesKept = "silences kept"
  case darkWhenStopped = "dark when stopped"
  case darkAfterTheEnd = "dark after the end"
  case clicksOnTheBeat = "clicks on the beat"
  case noClickTwice = "no click twice"
  case everyClick = "every click"
  case heardAsTraced = "heard as traced"
  case shownBeatsAreReported = "shown beats are reported"
  case leadAsNeeded = "lead as needed"
  case clocksOnTime = "clocks on time"
  case clocksStart = "clocks start and stop"
  case followsSource = "follows the source"
  case followsSession = "follows the session"
  case everyPress = "every press"
  case everyCommand = "every command"
  case undoneAlone = "undone alone"
  case released = "released"
  case endsWithTheTimer = "ends with the timer"
  case displayAgrees = "display agrees"
  case consistentState = "consistent state"
  case recentState = "recent state"
  case deadlinesAhead = "deadlines ahead"
  case boundedMemory = "bounded memory"
  case watchdog = "watchdog"
  case figures = "figures"
  case sameBytes = "same bytes"
  case continues = "goes on"

  /// The promise as a sentence, as in Documentation/Promises.md.
  public var sentence: String {
    switch self {
    case .eachBeatOnce:
      "Each beat is shown once and in order, or counted as skipped. No beat is shown twice, and no beat is lost."
    case .onItsInstant:
      "A beat is sent at its instant minus the latency of the output: never earlier, and later only by the lateness "
        + "of the loop's wake-up."
    case .evenly:
      "Between two changes every beat is at the instant given by tempo and signature, or by the score, rounded down once "
        + "to the nanosecond. Nothing accumulates."
    case .phaseKept:
      "A change of tempo or signature keeps the phase. The first beat after a start comes after the lead."
    case .noGap:
      "While the metronome plays, the interval between consecutive beats is at most one beat of the slowest tempo in "
        + "force, except where taps move a beat or a score pauses."
    case .inItsBar: "Each beat has its place in its bar, and the first beat of a bar is accented."
    case .committedBeatsStay: "No press changes a beat that an output may have committed."
    case .linesAgree:
      "Light, pendulum, buzzer and added outputs show the same beats, or those of them that they are set to show, each "
        + "earlier by its latency, except outputs that are muted, "
        + "not wired, showing a blink code, or dark in a gap."
    case .pulsesEnd: "An output that a beat switches on goes off after its pulse, and before the next beat."
    case .silencesKept:
      "The bars of a gap and the dropped beats do not click, and switch on only the outputs with `gaps: true`. All other "
        + "beats click."
    case .darkWhenStopped: "While the metronome is stopped, no output is on, except for a blink code."
    case .darkAfterTheEnd: "After the program ends, no output is on."
    case .clicksOnTheBeat:
      "A click sounds on a beat or on a hit within it, at its level, by the same clock as the light."
    case .noClickTwice: "No hit clicks twice, whatever happens to the card."
    case .everyClick:
      "While the card plays, every hit clicks, or a missed beat is counted. No click is missed while the card and the loop "
        + "run."
    case .heardAsTraced:
      "A click in the trace is heard. Clicks that a card had queued when it stopped, slept or froze are not in the "
        + "trace."
    case .shownBeatsAreReported:
      "Every beat that an output shows is reported, even if the latency of the output changes."
    case .leadAsNeeded: "A press waits as long as the outputs in use need. An output without a line delays nothing."
    case .clocksOnTime:
      "Each quarter has exactly 24 evenly spaced MIDI clocks, each at its instant minus the latency of its port. None "
        + "is missing unless a port was full or unplugged, or the loop stood still; none is sent later."
    case .clocksStart:
      "`F2 00 00 FA` is sent 1 to 3 ms before the first beat's clock, unless clocks are less than 1 ms apart, and `FC` after a "
        + "stop. Only lost clocks cause another start. With `clock_when_stopped: false` no clock is sent while the metronome is stopped."
    case .followsSource:
      "While a MIDI clock is followed, the beats are those of the source. Two beats are never closer than 0.6 of the shorter of the two periods. The bar jumps "
        + "only if the source does. Tempo keys are refused, and the set tempo is what is saved."
    case .followsSession:
      "In a Link session the beats and the bar lines are those of the session, within 0.1 ms some beats after the last "
        + "change. Two beats are never closer than half of the shorter of the two periods, unless a tap moves one of them. "
        + "Only a press or a command changes the tempo of the session: joining and leaving do not."
    case .everyPress: "Every press is handled, in order, at once."
    case .everyCommand:
      "A command of the control socket acts like a press at the instant at which it was given, or is refused and changes "
        + "nothing. One that was given more than two seconds ago is refused."
    case .undoneAlone:
      "A press that becomes another gesture is undone, and nothing else is: playing continues while play is held, "
        + "whatever else is pressed."
    case .released: "After the last release neither a repetition nor a long press follows."
    case .endsWithTheTimer: "While the timer is on, playback ends when its time is over, however it began."
    case .displayAgrees:
      "A display shows what was changed last, within 0.3 s, and then the tempo again, unless it is unplugged. A display that "
        + "was plugged in shows the current text within 5.3 s."
    case .consistentState:
      "The state restored after a power cut is one complete earlier state, never a mix of two. After a clean shutdown "
        + "it is the last state."
    case .recentState:
      "If the disk worked, the state restored after a power cut was in force at most two seconds before the cut."
    case .deadlinesAhead: "No loop spins: its deadlines are in the future, and its steps per second are bounded."
    case .boundedMemory: "Memory is bounded: it does not grow with time, presses, faults or restarts."
    case .watchdog: "The watchdog is fed if, and only if, the beat loop makes progress."
    case .figures: "The statistics equal what happened."
    case .sameBytes: "The same configuration, script and seed give the same bytes."
    case .continues: "The metronome neither crashes nor hangs."
    }
  }
}

/// A promise that was broken.
public struct Breach: Error, Hashable, Sendable, CustomStringConvertible {
  public var promise: Promise
  /// Nanoseconds since the life started.
  public var time: Int64
  /// The expected and the actual behaviour.
  public var text: String

  public init(_ promise: Promise, at time: Int64, _ text: String) {
    self.promise = promise
    self.time = time
    self.text = text
  }

  /// One line: `1.5 s: each beat once: …`.
  public var description: String { "\(Double(time) / 1e9) s: \(promise.rawValue): \(text)" }
}
