/// What the metronome promises, whatever happens to it. All of it, in one place.
///
/// `Documentation/Promises.md` tells the same to whoever uses it; a test holds the two together. Each is watched over by a
/// ``Checker`` while a life goes on.
public enum Promise: String, CaseIterable, Hashable, Sendable {
  case eachBeatOnce = "each beat once"
  case onItsInstant = "on its instant"
  case evenly = "evenly"
  case phaseKept = "phase kept"
  case noGap = "no gap"
  case inItsBar = "in its bar"
  case committedStays = "committed stays"
  case linesAgree = "lines agree"
  case pulsesEnd = "pulses end"
  case darkWhenStopped = "dark when stopped"
  case darkAfterTheEnd = "dark after the end"
  case clicksOnTheBeat = "clicks on the beat"
  case noClickTwice = "no click twice"
  case everyClick = "every click"
  case heardAsTold = "heard as traced"
  case shownIsTold = "shown is reported"
  case leadAsNeeded = "lead as needed"
  case everyPress = "every press"
  case undoneAlone = "undone alone"
  case letGo = "let go"
  case stateThatWas = "a state that was"
  case stateOfLate = "a state of late"
  case deadlinesAhead = "deadlines ahead"
  case boundedMemory = "bounded memory"
  case watchdog = "watchdog"
  case figures = "figures"
  case sameBytes = "same bytes"
  case goesOn = "goes on"

  /// In one sentence.
  public var sentence: String {
    switch self {
    case .eachBeatOnce: "Each beat is shown once, in order, or counted as skipped; none is shown twice, none is lost."
    case .onItsInstant:
      "A beat is shown at its instant, less the latency of the output that is sent first: never earlier, and later only by "
        + "as much as the loop woke up late."
    case .evenly:
      "Between two changes beats lie where tempo and signature put them, rounded down once to the nanosecond, however many "
        + "there are: nothing accumulates."
    case .phaseKept:
      "A change of tempo or signature keeps the phase, and a start begins with its first beat after the lead."
    case .noGap:
      "While it plays, no beat comes later after the one before than the longest interv"
        + "al in force, but where taps move it."
    case .inItsBar: "Each beat has its place in its bar, and the first of a bar is the accented one."
    case .committedStays: "No press changes a beat that an output may have committed."
    case .linesAgree:
      "Light, pendulum and buzzer show the same beats, each as early as its latency, but for outputs that are muted, not "
        + "wired or told a signal."
    case .pulsesEnd: "What a beat switches on goes off after its pulse, and before the next."
    case .darkWhenStopped: "Nothing is on while the metronome is stopped, but for the flashes of an answer."
    case .darkAfterTheEnd: "Nothing is on after the end."
    case .clicksOnTheBeat: "A click sounds on a beat, with the beat's accent, by the same clock as the light."
    case .noClickTwice: "No beat clicks twice, whatever becomes of the card."
    case .everyClick:
      "Every beat clicks while the card plays, but for those that are counted as missed; none is while card and loop go "
        + "on."
    case .heardAsTold: "A click that is traced is heard: none that a card had queued when it stopped, slept or froze."
    case .shownIsTold: "Every beat that an output shows is reported, whatever becomes of its latency."
    case .leadAsNeeded: "A press waits as long as the outputs that are there need: one without a line delays nothing."
    case .everyPress: "Every press is answered, in order, at once."
    case .undoneAlone:
      "A press that becomes another gesture is undone, and nothing else with it: play t"
        + "hat is held plays on, whatever else is pressed."
    case .letGo: "What nobody holds does not go on: no repetition and no long press after the last release."
    case .stateThatWas:
      "What is restored after a power cut was in force as a whole; after an orderly end it is the last."
    case .stateOfLate: "What is restored after a power cut was in force two seconds before, if the disk was well."
    case .deadlinesAhead: "No loop turns on the spot: its deadlines lie ahead, and its steps in a second are bounded."
    case .boundedMemory: "Memory is bounded: it does not grow with time, presses, faults or restarts."
    case .watchdog: "The watchdog is fed if, and only if, the beat loop goes on."
    case .figures: "The figures that are counted are those of what happened."
    case .sameBytes: "The same configuration, script and seed give the same bytes."
    case .goesOn: "It neither crashes nor hangs."
    }
  }
}

/// A promise that was broken.
public struct Breach: Error, Hashable, Sendable, CustomStringConvertible {
  public var promise: Promise
  /// Since the life began.
  public var time: Int64
  /// What was expected, and what happened.
  public var text: String

  public init(_ promise: Promise, at time: Int64, _ text: String) {
    self.promise = promise
    self.time = time
    self.text = text
  }

  /// One line: `1.5 s: each beat once: …`.
  public var description: String { "\(Double(time) / 1e9) s: \(promise.rawValue): \(text)" }
}
