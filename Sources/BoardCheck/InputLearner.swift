import HardwareAbstraction
import MetronomeCore

/// Recognizes the pedal, key, knob or wheel that a person moves to give it a function. A value; times come from outside.
///
/// A key of an input device is recognized when it goes down. A controller or note of a MIDI port is recognized with its release, or
/// with a second press, or after ``releaseTime`` without a release: then it is one that sends no releases. A knob is recognized
/// when it was turned in both directions, because only then its encoding is known.
public struct InputLearner: Sendable {
  /// How long a person may take.
  public static let patience = Nanoseconds.seconds(20)
  /// A press without a release for this time has none.
  public static let releaseTime = Nanoseconds.milliseconds(1_500)
  /// A wheel that moves by chance, such as that of a mouse that is touched, moves less.
  private static let fewestDetents = 3

  public enum Outcome: Hashable, Sendable {
    case learned(InputControl)
    /// Why nothing was learned, and what would be right.
    case failed(String)
  }

  private struct Axis: Hashable {
    var device: InputRequest.Device
    var code: AxisCode
  }

  private let isDial: Bool
  private let end: Instant
  /// A press of a MIDI controller or note, without its release so far.
  private var press: (control: InputControl, since: Instant)?
  private var turns: [Axis: Int] = [:]
  private var trials: [MIDIDevice: MIDITrial] = [:]
  private var sendsPrograms = false

  /// - Parameter isDial: whether a knob or wheel is to be turned; otherwise something is to be pressed.
  public init(isDial: Bool, at now: Instant) { (self.isDial, end) = (isDial, now + InputLearner.patience) }

  /// When to call ``settle(at:)``.
  public var deadline: Instant { press.map { min($0.since + InputLearner.releaseTime, end) } ?? end }

  /// The outcome after something was moved; nil: not known yet.
  public mutating func receive(_ touch: InputTouch, at now: Instant) -> Outcome? {
    switch touch {
    case .key(let key, let isDown, let device):
      return isDial || !isDown ? nil : .learned(InputControl(device, .key(key, isLatching: false)))
    case .turn(let axis, let detents, let device):
      guard isDial else { return nil }
      turns[Axis(device: device, code: axis), default: 0] += abs(detents)
      guard turns[Axis(device: device, code: axis), default: 0] >= InputLearner.fewestDetents else { return nil }
      return .learned(InputControl(device, .axis(axis, .twosComplement)))
    case .midi(let event, let device): return isDial ? turn(event, device) : press(event, device, at: now)
    }
  }

  private mutating func turn(_ event: MIDIEvent, _ device: MIDIDevice) -> Outcome? {
    _ = trials[device, default: MIDITrial(device: device.name)].record(event)
    guard let dial = trials[device]?.dial else { return nil }
    return .learned(
      InputControl(.midi(device), channel: dial.channel, .axis(.controller(dial.number), dial.encoding)))
  }

  private mutating func press(_ event: MIDIEvent, _ device: MIDIDevice, at now: Instant) -> Outcome? {
    let (key, channel, isDown): (KeyCode, Int, Bool)
    switch event {
    case .note(let number, let isOn, let on): (key, channel, isDown) = (.note(number), on, isOn)
    case .control(let number, let value, let on): (key, channel, isDown) = (.controller(number), on, value >= 64)
    case .program:
      sendsPrograms = true
      return nil
    case .clock: return nil
    }
    let momentary = InputControl(.midi(device), channel: channel, .key(key, isLatching: false))
    if press?.control == momentary { return .learned(isDown ? momentary.latching : momentary) }
    if press == nil, isDown { press = (momentary, now) }
    return nil
  }

  /// The outcome at the ``deadline``; nil: not known yet.
  public func settle(at now: Instant) -> Outcome? {
    guard now >= deadline else { return nil }
    if let press { return .learned(press.control.latching) }
    let doubts = trials.values.flatMap(\.findings).filter { $0.verdict.state == .doubtful }
    if let first = doubts.min(by: { $0.subject < $1.subject }), let remedy = first.verdict.remedy {
      return .failed("\(first.subject): \(first.verdict.text); \(remedy)")
    }
    if sendsPrograms {
      return .failed(
        "the pedal sends program changes, which can only recall presets; set it to send controllers or notes")
    }
    let seconds = InputLearner.patience.count / 1_000_000_000
    return .failed("nothing was \(isDial ? "turned" : "pressed") within \(seconds) seconds")
  }
}

extension InputControl {
  /// The same key, of a pedal that sends no releases.
  fileprivate var latching: InputControl {
    guard case .key(let key, _) = kind else { return self }
    return InputControl(device, channel: channel, .key(key, isLatching: true))
  }
}
