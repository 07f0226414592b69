import HardwareAbstraction
import MetronomeCore
import Synchronization

/// What the control loop publishes to the loops of the outputs. Only the control thread uses it.
struct Outlets {
  let timeline: TimelinePublication
  let blinkCodes: Publication<BlinkCode?>
  let plan: OutputPlan
  let midi: Publication<MIDIPlan>
  let lead: SharedLead
  private let wake: Waker
  /// nil: there has been no MIDI output.
  private var midiPlan: MIDIPlan?
  private var publishedTimeline = Timeline.stopped
  private var publishedBlinkCode: BlinkCode?
  private var publishedMIDIPlan: MIDIPlan?
  private var isSilent = false
  private var volume = Volume.full
  private var set = Voice.Sound.click

  init(
    timeline: TimelinePublication, blinkCodes: Publication<BlinkCode?>, plan: OutputPlan, midi: Publication<MIDIPlan>,
    lead: SharedLead, wake: Waker
  ) {
    self.timeline = timeline
    self.blinkCodes = blinkCodes
    self.plan = plan
    self.midi = midi
    self.lead = lead
    self.wake = wake
  }

  /// Sets the MIDI outputs, at the start and for a reload. They are published with the next state.
  mutating func use(_ requests: [MIDIOutputRequest], of list: MIDIPortList, clockWhenStopped: Bool) {
    if requests.isEmpty && midiPlan == nil { return }
    midiPlan = MIDIPlan(requests, list, sendsWhenStopped: clockWhenStopped)
  }

  /// Publishes what has changed, and wakes the loops that use it.
  mutating func publish(_ state: MetronomeState, _ newTimeline: Timeline, _ blinkCode: BlinkCode?) {
    var hasChanges = useSound(of: state)
    if let plan = plan(for: state), plan != publishedMIDIPlan {
      publishedMIDIPlan = plan
      midi.publish(plan)
      hasChanges = true
    }
    if newTimeline != publishedTimeline {
      publishedTimeline = newTimeline
      timeline.publish(newTimeline)
      hasChanges = true
    }
    if blinkCode != publishedBlinkCode {
      publishedBlinkCode = blinkCode
      blinkCodes.publish(blinkCode)
      hasChanges = true
    }
    // Do not wake the audio loop: it reads changes with its next period, and cannot change committed frames.
    if hasChanges {
      wake(.beats)
      if midiPlan != nil { wake(.midi) }
    }
  }

  /// Mutes the outputs in silent mode, and sets the volume and the set of the clicks. Returns whether a loop must be woken for it.
  @discardableResult
  mutating func useSound(of state: MetronomeState) -> Bool {
    // No loop is woken for it: only the audio loop uses it.
    if state.volume != volume || state.set != set {
      (volume, set) = (state.volume, state.set)
      plan.use(volume, set)
    }
    guard state.isSilent != isSilent else { return false }
    isSilent = state.isSilent
    plan.silence(isSilent)
    return true
  }

  private func plan(for state: MetronomeState) -> MIDIPlan? {
    var plan = midiPlan
    plan?.idle = MIDIPlan.Fraction(state.tempo, state.unit)
    plan?.isMuted = state.isSilent
    plan?.gain = state.volume.gain
    return plan
  }
}

/// The delay from a press to its effect: the first beat after a start, the new tempo or signature after a change.
///
/// It is constant, so that the user can get used to it, and the minimum for outputs that cannot change committed beats:
///
/// - without sound: 1 ms to wake the beat thread, plus the longest latency of a line;
/// - with sound: the maximum of that and of the duration of the card's full buffer and an interpolated click's lead-in, plus
///   the latency of the clicks, plus 2 ms: 24 ms for four periods of 256 frames at 48,000 Hz without latency;
/// - with MIDI clock: at least 3 ms plus the highest latency of a port, because a start goes ahead of the first beat;
/// - with a spoken count: the same with the longest onset of a word added, because the word begins this long before the beat.
///
/// It is rounded up to a whole millisecond. A press read more than ``slack`` after its edge takes effect later by the excess.
public struct Lead: Hashable, Sendable {
  public let duration: Nanoseconds
  /// How much of the lead may pass before the press is processed.
  public static let slack = Nanoseconds.microseconds(500)

  /// The lead that these outputs need. A `format` of nil means no sound, a `second` of nil no second card.
  public init(
    _ format: AudioFormat?, second: AudioFormat? = nil, latencies: OutputLatencies = .none, onset: Nanoseconds = .zero,
    midi: Nanoseconds? = nil
  ) {
    var latencies = latencies
    latencies.audio = latencies.audio + onset
    latencies.secondAudio = latencies.secondAudio + onset
    let outputs =
      OutputSet.all.map { output in
        Lead.needed(by: output, latency: latencies[output], output == .secondAudio ? second : format)
      }.max() ?? .zero
    duration = max(outputs, midi.map { Lead.milliseconds(max($0, .zero), and: 3) } ?? .zero)
  }

  private static func needed(by output: Output, latency: Nanoseconds, _ format: AudioFormat?) -> Nanoseconds {
    if output != .audio, output != .secondAudio { return milliseconds(latency, and: 1) }
    guard let format else { return .zero }
    return milliseconds(format.duration(ofFrames: format.bufferFrames + ClickMixer.leadIn) + latency, and: 2)
  }

  private static func milliseconds(_ needed: Nanoseconds, and more: Int64) -> Nanoseconds {
    .milliseconds((needed.count + 999_999) / 1_000_000 + more)
  }

  /// The delay of the first beat that a source starts: the lines show it at once, and a card clicks as soon as it can. A MIDI start
  /// goes 2 ms ahead of it.
  init(ofSource latencies: OutputLatencies, midi: Nanoseconds?) {
    duration = max(
      Lead(nil, latencies: latencies).duration, midi.map { Lead.milliseconds(max($0, .zero), and: 2) } ?? .zero)
  }

  /// A chosen lead, which must be at least as long as the outputs need.
  public init(duration: Nanoseconds) { self.duration = duration }

  public func effect(ofPress press: Instant, now: Instant) -> Instant {
    max(press + duration, now + duration - Lead.slack)
  }
}

/// The lead that the outputs currently need; it depends on the card. Any thread except real-time ones.
public final class SharedLead: Sendable {
  private struct Needs {
    var latencies: OutputLatencies
    /// nil before a card is opened, and without sound.
    var format: AudioFormat?
    /// The same of the second card.
    var second: AudioFormat?
    /// The highest latency of a MIDI output; nil: there is none.
    var midi: Nanoseconds?
    /// The longest onset of a spoken number.
    var onset = Nanoseconds.zero
    var isHeld = false
  }

  private let needs: Mutex<Needs>
  private let nanoseconds: Atomic<Int64>
  private let sourceNanoseconds: Atomic<Int64>

  /// The lead before a card is opened.
  public init(latencies: OutputLatencies = .none) {
    needs = Mutex(Needs(latencies: latencies))
    nanoseconds = Atomic(Lead(nil, latencies: latencies).duration.count)
    sourceNanoseconds = Atomic(Lead(ofSource: latencies, midi: nil).duration.count)
  }

  public var current: Lead { Lead(duration: Nanoseconds(nanoseconds.load(ordering: .acquiring))) }

  /// The delay of the first beat that a source starts.
  public var ofSource: Lead { Lead(duration: Nanoseconds(sourceNanoseconds.load(ordering: .acquiring))) }

  /// Fixes the lead, whatever cards are opened: for outputs outside the engine.
  public func hold(_ lead: Lead) {
    needs.withLock { needs in
      needs.isHeld = true
      nanoseconds.store(lead.duration.count, ordering: .releasing)
      sourceNanoseconds.store(lead.duration.count, ordering: .releasing)
    }
  }

  /// Sets the lead for a card with this format; nil if sound was turned off. The lead does not change while a card is missing,
  /// so that the user need not get used to another lead.
  package func fit(_ format: AudioFormat?, on card: Output = .audio) {
    change { if card == .secondAudio { $0.second = format } else { $0.format = format } }
  }

  package func fit(_ latencies: OutputLatencies) { change { $0.latencies = latencies } }

  /// Sets the MIDI outputs, whose start is sent before the first beat.
  package func fit(_ midi: [MIDIOutputRequest]) { change { $0.midi = midi.map(\.latency).max() } }

  /// Sets how long before a beat a word may begin.
  package func fit(onset: Nanoseconds) { change { $0.onset = onset } }

  /// The same, unless a word may already begin earlier.
  package func raise(onset: Nanoseconds) { change { $0.onset = max($0.onset, onset) } }

  private func change(_ change: (inout Needs) -> Void) {
    needs.withLock { needs in
      change(&needs)
      guard !needs.isHeld else { return }
      let lead = Lead(
        needs.format, second: needs.second, latencies: needs.latencies, onset: needs.onset, midi: needs.midi)
      nanoseconds.store(lead.duration.count, ordering: .releasing)
      let ofSource = Lead(ofSource: needs.latencies, midi: needs.midi)
      sourceNanoseconds.store(ofSource.duration.count, ordering: .releasing)
    }
  }
}
