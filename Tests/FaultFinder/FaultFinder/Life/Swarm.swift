import MetronomeCore

/// What can happen in one life, and how often.
///
/// Each life has some of it only: where everything happens at once, one thing hides the other (swarm testing; Groce et al.,
/// ISSTA 2012).
struct Swarm {
  /// How much of it there is.
  enum Size: CaseIterable {
    /// A few seconds, in which a lot happens.
    case short
    /// Minutes.
    case middling
    /// Hours, up to more than a day, in which little happens: what counts frames in 32 bits comes to its end.
    case long
  }

  /// How hands press.
  enum Hands: CaseIterable {
    /// One button at a time, let go before anything but a short press comes of it: what has to come of it is known.
    case tidy
    /// Anything.
    case wild
  }

  /// Something that befalls the box.
  enum Fault: CaseIterable {
    case cardStops, cardSleeps, cardFails, cardFreezes, cardRefuses, cardUnplugged, cardDrifts
    case lateBeats, lateControl, lateAudio, lateKeeper, lateMemory
    case clockSlews, diskFull, diskFails, powerCut, restart, chipUnplugged, deviceUnplugged
  }

  var size: Size
  var hands: Hands
  var hasSound: Bool
  var length: Nanoseconds
  var faults: [Fault]
  /// How many faults there are.
  var strikes: Int
  /// How many presses, or groups of them.
  var presses: Int
  /// How many configurations are put in place.
  var reloads: Int
  var hasDevices: Bool

  /// Of the sound card. In a long life one whose frames come to an end in 32 bits: after 6.2 h at 192,000 Hz.
  var rates: [Int] {
    switch size {
    case .short, .middling: [8_000, 22_050, 44_100, 48_000, 96_000, 192_000]
    case .long: [48_000, 96_000, 192_000, 192_000, 192_000]
    }
  }

  /// How many steps for its periods, and how many beats, a life may take. Long ones are for the counters of frames: those of
  /// 32 bits come to their end after 524,288 periods of 8,192 frames.
  var mostPeriods: Int64 {
    switch size {
    case .short: 40_000
    case .middling: 80_000
    case .long: 600_000
    }
  }

  var mostBeats: Int64 { size == .short ? 8_000 : 20_000 }

  init(_ dice: inout Dice) {
    size = dice.pick([.short, .short, .short, .short, .middling, .middling, .long])
    hands = dice.pick(Hands.allCases)
    hasSound = dice.chance(0.6)
    hasDevices = dice.chance(0.2)
    switch size {
    case .short: length = dice.time(.seconds(2), .seconds(60))
    case .middling: length = dice.time(.seconds(60), .seconds(1_800))
    case .long: length = dice.time(.seconds(3_600), .seconds(108_000))
    }
    let density = dice.pick([0.0, 0.1, 0.3, 0.6])
    var faults: [Fault] = []
    for fault in Fault.allCases where dice.chance(density) { faults.append(fault) }
    self.faults = faults
    strikes = faults.isEmpty ? 0 : dice.roll(1...dice.pick([3, 10, 30]))
    presses = dice.roll(1...dice.pick([4, 15, 60]))
    reloads = dice.chance(0.3) ? dice.roll(1...4) : 0
  }
}
