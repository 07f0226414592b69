import RealModule

/// The player's volume: from 0 dB, at which clicks are as loud as configured, down to -36 dB, in exact steps of 1.5 dB.
///
/// Silent mode is independent of it. Lines have no volume: a buzzer is on or off.
public struct Volume: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// The number of steps below 0 dB, from 0 to 24.
  public let stepsDown: Int

  public static let full = Volume(stepsDown: 0)
  /// From the loudest to the softest: 0 dB, -1.5 dB and so on.
  public static let all = (0...24).map { Volume(stepsDown: $0) }

  private init(stepsDown: Int) { self.stepsDown = stepsDown }

  /// The volume whose ``number`` is this text; nil for any other text.
  public init?(number text: some StringProtocol) {
    guard let volume = Volume.all.first(where: { $0.number == text }) else { return nil }
    self = volume
  }

  /// The decibels as text, such as `0`, `-1.5` or `-36`.
  public var number: String {
    let halves = 3 * stepsDown
    return (halves > 0 ? "-" : "") + "\(halves / 2)" + (halves & 1 == 1 ? ".5" : "")
  }

  /// Such as `-1.5 dB`.
  public var description: String { "\(number) dB" }

  /// The factor for samples: exactly 1 at 0 dB.
  public var gain: Float { stepsDown == 0 ? 1 : Float(Double.exp10(-1.5 * Double(stepsDown) / 20)) }

  /// One step louder; 0 dB remains 0 dB.
  public var louder: Volume { Volume(stepsDown: max(stepsDown - 1, 0)) }

  /// One step softer; -36 dB remains -36 dB.
  public var softer: Volume { Volume(stepsDown: min(stepsDown + 1, Volume.all.count - 1)) }
}

/// The gain of a sound. It changes linearly over 5 ms, because a jump would be heard as a click.
///
/// A value for the audio thread: nothing allocates or waits.
package struct GainRamp: BitwiseCopyable {
  /// The length of a ramp in frames.
  package let length: Int
  private var target: Float = 1
  /// The change of the gain per frame of the ramp.
  private var slope: Float = 0
  /// The frames until the gain is ``target``.
  private var remaining = 0

  /// A gain of 1, for a sound at a rate in frames per second.
  package init(rate: Int) { length = max(1, rate / 200) }

  /// The gain of the last frame.
  private var gain: Float { target - slope * Float(remaining) }

  /// Begins a ramp to another gain. If a ramp is in progress, the new one begins at the gain it has reached.
  package mutating func change(to gain: Float) {
    guard gain != target else { return }
    slope = (gain - self.gain) / Float(length)
    (target, remaining) = (gain, length)
  }

  /// Ends the ramp at once; nothing must sound.
  package mutating func finish() { remaining = 0 }

  /// Multiplies the next frames of a channel. At a constant gain of 1 they stay as they are, bit for bit.
  package func apply(to samples: UnsafeMutablePointer<Float>, count: Int) {
    let ramped = min(remaining, count)
    for frame in 0..<ramped { samples[frame] *= target - slope * Float(remaining - 1 - frame) }
    guard target != 1 else { return }
    for frame in ramped..<count { samples[frame] *= target }
  }

  /// Moves on by some frames, after they were multiplied in all channels.
  package mutating func advance(by count: Int) { remaining -= min(remaining, count) }
}
