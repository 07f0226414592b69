import BoardSimulation
import HardwareAbstraction
import MetronomeCore

/// Random faults of a sound card within a few seconds, generated from a seed. They include every kind of fault observed on real
/// cards, at any time, in sequence and overlapping.
struct FaultSequence {
  /// A fault, and the time until which it may explain missing sound.
  struct Fault {
    var kind: String
    var start: Nanoseconds
    var end: Nanoseconds
  }

  /// How long the engine plays; the last 1.5 s are quiet enough for everything to recover.
  static let length = Nanoseconds.seconds(9)
  /// The longest time to close and reopen a card: a freeze is detected after 200 ms, and reopening is retried every two
  /// seconds.
  private static let recovery = Nanoseconds.milliseconds(2_300)
  /// The sound lost when a stream restarts: the queued frames and one buffer of silence.
  private static let gap = Nanoseconds.milliseconds(70)

  /// The formats of the cards. All need the same lead, so that runs can be compared with one without faults.
  static let formats = [
    AudioFormat(rate: 48_000, channels: 2, sampleFormat: .s16, periodFrames: 256, bufferFrames: 1_024),
    AudioFormat(rate: 44_100, channels: 1, sampleFormat: .float, periodFrames: 220, bufferFrames: 900),
    AudioFormat(rate: 96_000, channels: 6, sampleFormat: .s24, periodFrames: 480, bufferFrames: 1_440),
    AudioFormat(rate: 48_000, channels: 8, sampleFormat: .s32, periodFrames: 64, bufferFrames: 256),
  ]

  private(set) var plan: FaultPlan
  private(set) var faults: [Fault] = []
  let driftPPB: Int64
  /// Whether the format may change when the card is reopened.
  let changesFormat: Bool

  init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    plan = FaultPlan(seed: seed)
    driftPPB = Int64.random(in: -100_000...100_000, using: &random)
    changesFormat = Bool.random(using: &random)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      addFault(Nanoseconds(.random(in: 300_000_000..<5_000_000_000, using: &random)), &random)
    }
    // A card that is suspended again within a second is closed.
    let sleeps = faults.filter { $0.kind == "ESTRPIPE" }.map(\.start)
    for index in faults.indices where faults[index].kind == "ESTRPIPE" {
      let since = sleeps.filter { $0 < faults[index].start }.max()
      if let since, faults[index].start - since < .milliseconds(1_100) {
        faults[index].end = faults[index].start + FaultSequence.recovery
      }
    }
  }

  private mutating func addFault(_ time: Nanoseconds, _ random: inout SeededRandom) {
    let instant = Instant.zero + time
    let span = Nanoseconds(.random(in: 1_000_000..<1_200_000_000, using: &random))
    func note(_ kind: String, until end: Nanoseconds) { faults.append(Fault(kind: kind, start: time, end: end)) }
    switch Int.random(in: 0..<9, using: &random) {
    case 0:
      plan.schedule(.stops, at: instant)
      note("EPIPE", until: time + FaultSequence.gap)
    case 1:
      plan.schedule(.sleeps(wakes: true), at: instant)
      note("ESTRPIPE", until: time + FaultSequence.gap)
    case 2:
      plan.schedule(.sleeps(wakes: false), at: instant)
      note("ESTRPIPE for good", until: time + FaultSequence.recovery)
    case 3:
      // ENODEV, EIO, EBADFD, ENOTTY
      let kinds: [(HardwareError.Kind, errno: Int32)] = [(.gone, 19), (.other, 5), (.gone, 77), (.gone, 25)]
      let (kind, errno) = kinds.randomElement(using: &random)!
      plan.schedule(.fails(kind, errno: errno), at: instant)
      note("an error", until: time + FaultSequence.recovery)
    case 4:
      plan.schedule(.acceptsNothing(times: .max), at: instant)
      note("EAGAIN for ever", until: time + FaultSequence.recovery)
    case 5:
      plan.schedule(.acceptsNothing(times: .random(in: 1...2, using: &random)), at: instant)
      note("a write of 0", until: time)
    case 6:
      plan.schedule(.freezes, at: instant)
      note("a frozen position", until: time + FaultSequence.recovery)
    case 7:
      plan.schedule(.fails(.other, errno: 5), at: instant)
      // EBUSY
      plan.fail(.openAudio, .busy, errno: 16, on: .during(instant..<(instant + span)))
      note("in use", until: time + span + FaultSequence.recovery)
    default:
      plan.unplugCard(during: instant..<(instant + span))
      note("unplugged", until: time + span + FaultSequence.recovery)
    }
    if changesFormat { plan.grant(FaultSequence.formats.randomElement(using: &random)!, from: instant) }
  }
}
