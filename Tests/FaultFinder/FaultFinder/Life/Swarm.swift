import MetronomeCore

/// The kinds of events in one life, and their number.
///
/// Each life enables only some of them: if everything happens at once, one event hides another (swarm testing; Groce et al.,
/// ISSTA 2012).
struct Swarm {
  /// The length of a life.
  enum Size: CaseIterable {
    /// Seconds, with many events; clicks use their real sounds, and a recording is compared with the trace.
    case brief
    /// Up to a minute.
    case short
    /// Minutes.
    case middling
    /// Hours, up to more than a day, with few events: 32-bit frame counters overflow.
    case long
  }

  /// How buttons are pressed.
  enum Hands: CaseIterable {
    /// One button at a time, each released before it can be more than a short press: the result is predictable.
    case tidy
    /// Any sequence.
    case wild
  }

  /// A fault injected into the box.
  enum Fault: CaseIterable {
    case cardStops, cardSleeps, cardFails, cardFreezes, cardRefuses, cardUnplugged, cardDrifts
    case lateBeats, lateControl, lateAudio, lateCards, lateState
    case clockSlews, diskFull, diskFails, powerCut, restart, chipUnplugged, deviceUnplugged
    case lateMIDI, midiUnplugged, midiFull
  }

  var size: Size
  var hands: Hands
  var hasAudio: Bool
  var length: Nanoseconds
  var faults: [Fault]
  /// The number of faults.
  var applies: Int
  /// The number of presses, or groups of presses.
  var presses: Int
  /// The number of reloads.
  var reloads: Int
  var hasDevices: Bool
  /// Whether starts play scores.
  var hasScores: Bool
  /// The number of MIDI outputs.
  var midiOutputs: Int
  /// Whether the beats may follow a MIDI source.
  var hasSource: Bool
  /// Whether the life has only what the kernel bench can play: no faults, devices, sources and Link sessions.
  private(set) var isOnKernel = false

  /// Sample rates of the sound card. A long life uses high ones: 32-bit frame counters overflow after 6.2 h at 192,000 Hz.
  var rates: [Int] {
    switch size {
    case .brief, .short, .middling: [8_000, 22_050, 44_100, 48_000, 96_000, 192_000]
    case .long: [48_000, 96_000, 192_000, 192_000, 192_000]
    }
  }

  /// Limits for the audio periods and the beats of a life. Long lives test the frame counters: 32-bit counters overflow after
  /// 524,288 periods of 8,192 frames.
  var maxPeriods: Int64 {
    switch size {
    case .brief: 20_000
    case .short: 40_000
    case .middling: 80_000
    case .long: 600_000
    }
  }

  var maxBeats: Int64 {
    switch size {
    case .brief: 2_000
    case .short: 8_000
    case .middling, .long: 20_000
    }
  }

  /// A long life costs the search as much as a hundred brief ones.
  private static func size(_ dice: inout Dice) -> Size {
    switch dice.roll(1...50) {
    case 1: .long
    case 2...8: .middling
    case 9...20: .short
    default: .brief
    }
  }

  init(_ dice: inout Dice) {
    size = Swarm.size(&dice)
    hands = dice.pick(Hands.allCases)
    hasAudio = dice.chance(size == .long ? 0.8 : 0.6)
    hasDevices = dice.chance(0.2)
    switch size {
    case .brief: length = dice.time(.seconds(2), .seconds(20))
    case .short: length = dice.time(.seconds(20), .seconds(60))
    case .middling: length = dice.time(.seconds(60), .seconds(1_800))
    case .long: length = dice.time(.seconds(3_600), .seconds(108_000))
    }
    let density = dice.pick([0.0, 0.1, 0.3, 0.6])
    var faults: [Fault] = []
    for fault in Fault.allCases where dice.chance(density) { faults.append(fault) }
    self.faults = faults
    applies = faults.isEmpty ? 0 : dice.roll(1...dice.pick([3, 10, 30]))
    presses = dice.roll(1...dice.pick([4, 15, 60]))
    reloads = dice.chance(0.3) ? dice.roll(1...4) : 0
    // The tempo of a random score is not limited, so it would make a long life expensive.
    hasScores = size != .long && dice.chance(0.4)
    // A clock is a step of a loop, so MIDI would make a long life expensive.
    midiOutputs = size != .long && dice.chance(0.3) ? dice.roll(1...3) : 0
    hasSource = size != .long && dice.chance(0.25)
  }

  /// The same with only what the kernel bench can play.
  func onKernel(_ dice: inout Dice) -> Swarm {
    var swarm = self
    swarm.size = .brief
    swarm.length = dice.time(.seconds(4), .seconds(20))
    (swarm.faults, swarm.applies) = ([], 0)
    swarm.midiOutputs = min(midiOutputs, 2)
    (swarm.hasDevices, swarm.hasSource, swarm.isOnKernel) = (false, false, true)
    return swarm
  }
}
