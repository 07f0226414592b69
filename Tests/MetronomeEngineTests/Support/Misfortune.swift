import BoardSimulation
import HardwareAbstraction
import MetronomeCore

/// What befalls a sound card in a few seconds, all of it drawn from a seed: each kind of fault that a card has been seen
/// to have, at any time, one after the other and one within another.
struct Misfortune {
  /// A fault, and until when it may be the reason for silence.
  struct Blow {
    var kind: String
    var start: Nanoseconds
    var end: Nanoseconds
  }

  /// How long the engine plays; the last second and a half of it is quiet enough for everything to be well again.
  static let length = Nanoseconds.seconds(9)
  /// What the slowest card needs to be let go and had again: it is frozen for 200 ms, and tried every two seconds.
  private static let recovery = Nanoseconds.milliseconds(2_300)
  /// What is lost of a stream that starts anew: what was queued, and a buffer of silence.
  private static let gap = Nanoseconds.milliseconds(70)

  /// What the cards grant. All are content with the same lead, so that a run without faults is comparable.
  static let formats = [
    AudioFormat(rate: 48_000, channels: 2, sampleFormat: .s16, periodFrames: 256, bufferFrames: 1_024),
    AudioFormat(rate: 44_100, channels: 1, sampleFormat: .float, periodFrames: 220, bufferFrames: 900),
    AudioFormat(rate: 96_000, channels: 6, sampleFormat: .s24, periodFrames: 480, bufferFrames: 1_440),
    AudioFormat(rate: 48_000, channels: 8, sampleFormat: .s32, periodFrames: 64, bufferFrames: 256),
  ]

  private(set) var plan: FaultPlan
  private(set) var blows: [Blow] = []
  let driftPPB: Int64
  /// Whether cards of another format come.
  let changesFormat: Bool

  init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    plan = FaultPlan(seed: seed)
    driftPPB = Int64.random(in: -100_000...100_000, using: &random)
    changesFormat = Bool.random(using: &random)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      strike(Nanoseconds(.random(in: 300_000_000..<5_000_000_000, using: &random)), &random)
    }
    // A card that falls asleep again within a second is let go.
    let sleeps = blows.filter { $0.kind == "ESTRPIPE" }.map(\.start)
    for index in blows.indices where blows[index].kind == "ESTRPIPE" {
      let since = sleeps.filter { $0 < blows[index].start }.max()
      if let since, blows[index].start - since < .milliseconds(1_100) {
        blows[index].end = blows[index].start + Misfortune.recovery
      }
    }
  }

  private mutating func strike(_ time: Nanoseconds, _ random: inout SeededRandom) {
    let instant = Instant.zero + time
    let span = Nanoseconds(.random(in: 1_000_000..<1_200_000_000, using: &random))
    func note(_ kind: String, until end: Nanoseconds) { blows.append(Blow(kind: kind, start: time, end: end)) }
    switch Int.random(in: 0..<9, using: &random) {
    case 0:
      plan.befall(.stops, at: instant)
      note("EPIPE", until: time + Misfortune.gap)
    case 1:
      plan.befall(.sleeps(wakes: true), at: instant)
      note("ESTRPIPE", until: time + Misfortune.gap)
    case 2:
      plan.befall(.sleeps(wakes: false), at: instant)
      note("ESTRPIPE for good", until: time + Misfortune.recovery)
    case 3:
      // ENODEV, EIO, EBADFD, ENOTTY
      plan.befall(.fails(errno: [19, 5, 77, 25].randomElement(using: &random)!), at: instant)
      note("an error", until: time + Misfortune.recovery)
    case 4:
      plan.befall(.takesNothing(times: .max), at: instant)
      note("EAGAIN for ever", until: time + Misfortune.recovery)
    case 5:
      plan.befall(.takesNothing(times: .random(in: 1...2, using: &random)), at: instant)
      note("a write of 0", until: time)
    case 6:
      plan.befall(.freezes, at: instant)
      note("a frozen position", until: time + Misfortune.recovery)
    case 7:
      plan.befall(.fails(errno: 5), at: instant)
      // EBUSY
      plan.fail(.openAudio, errno: 16, on: .during(instant..<(instant + span)))
      note("in use", until: time + span + Misfortune.recovery)
    default:
      plan.unplugCard(during: instant..<(instant + span))
      note("unplugged", until: time + span + Misfortune.recovery)
    }
    if changesFormat { plan.grant(Misfortune.formats.randomElement(using: &random)!, from: instant) }
  }
}
