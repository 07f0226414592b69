import HardwareAbstraction
import MetronomeCore

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

  /// Mutes the outputs in silent mode, and sets the volume of the clicks. Returns whether a loop must be woken for it.
  @discardableResult
  mutating func useSound(of state: MetronomeState) -> Bool {
    // No loop is woken for it: only the audio loop uses it.
    if state.volume != volume {
      volume = state.volume
      plan.use(volume)
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
