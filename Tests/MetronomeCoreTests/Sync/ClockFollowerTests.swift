import ClockTrials
import MetronomeCore
import TestSupport
import Testing

/// The estimate of a MIDI clock, against clocks with the faults of real devices.
@Suite struct ClockFollowerTests {
  private func clock(_ nanoseconds: Int64) -> ClockMessage {
    ClockMessage(.clock, at: Instant(nanoseconds: nanoseconds))
  }

  /// `sound-benchmark` prints the figures.
  @Test(arguments: MIDIJitter.allCases)
  func noClockIsFollowedWorseThanByTheBestKnownEstimator(jitter: MIDIJitter) {
    let seeds = 0..<UInt64(Seeds.count(few: 5, full: 20))
    let errors = MIDIClockTrial.errors(of: .follower, with: jitter, seeds: seeds)
    #expect(errors.isWithin(jitter.allowed), "\(errors)")
  }

  @Test func lockAndLossAreShown() {
    var follower = ClockFollower()
    #expect(follower.state == .waiting)
    #expect(follower.deadline == nil)
    var states: [FollowState] = []
    for k in 0..<Int64(48) {
      _ = follower.receive(clock(k * 60_000_000_000 / (24 * 133)))
      if states.last != follower.state { states.append(follower.state) }
    }
    #expect(states == [.waiting, .locking, .locked(133_000)])
    let end = 47 * 60_000_000_000 / (24 * 133)
    #expect(follower.deadline == Instant(nanoseconds: Int64(end) + 250_000_000))
    follower.check(at: Instant(nanoseconds: Int64(end) + 249_000_000))
    #expect(follower.state == .locked(133_000))
    follower.check(at: Instant(nanoseconds: Int64(end) + 250_000_001))
    #expect(follower.state == .lost(133_000))
    #expect(follower.deadline == nil)
  }

  /// Debian's midish sends one clock when its song is started, then the start, and the next clock 334 ms later.
  @Test func aLateFirstClockAfterTheStartIsNoLoss() {
    var follower = ClockFollower()
    _ = follower.receive(clock(0))
    _ = follower.receive(ClockMessage(.start, at: Instant(nanoseconds: 1_800)))
    #expect(follower.deadline == nil)
    follower.check(at: Instant(nanoseconds: 300_000_000))
    #expect(follower.state == .waiting)
    var states: [FollowState] = []
    for k in 0..<Int64(24) {
      _ = follower.receive(clock(334_000_000 + k * 20_000_000))
      if states.last != follower.state { states.append(follower.state) }
    }
    #expect(states == [.waiting, .locking, .locked(125_000)])
  }

  /// Feeds clocks at 120 BPM, with some lost or doubled, and returns the last observation and the number of the last clock.
  private func fed(_ count: Int64, lost: Set<Int64> = [], doubled: Set<Int64> = []) -> BeatObservation? {
    var follower = ClockFollower()
    _ = follower.receive(ClockMessage(.start, at: .zero))
    var seen: BeatObservation?
    for k in 0..<count where !lost.contains(k) {
      let at = k * 125_000_000 / 6
      seen = follower.receive(clock(at)) ?? seen
      if doubled.contains(k) { seen = follower.receive(clock(at + 1_000)) ?? seen }
    }
    return seen
  }

  @Test func lostClocksAreCounted() {
    for lost in [[100], [100, 101, 102], [200, 300], Array(100..<196)] as [[Int64]] {
      let seen = fed(480, lost: Set(lost))
      #expect(seen?.epoch == 1)
      #expect(seen?.quarter == Int64(19_958_333))
      let error = abs((seen?.instant.nanoseconds ?? 0) - 479 * 125_000_000 / 6)
      #expect(error < 100_000)
    }
  }

  @Test func doubledClocksAreIgnored() {
    for doubled in [[240], [240, 241], [240, 241, 242], Set(240..<250), [30, 479]] as [Set<Int64>] {
      let seen = fed(480, doubled: doubled)
      #expect(seen?.epoch == 1)
      #expect(seen?.quarter == Int64(19_958_333))
      let error = abs((seen?.instant.nanoseconds ?? 0) - 479 * 125_000_000 / 6)
      #expect(error < 100_000)
    }
  }

  /// After a stall of the sender, clocks arrive at once. All of them count.
  @Test func aBurstAfterAStallKeepsThePosition() {
    var follower = ClockFollower()
    _ = follower.receive(ClockMessage(.start, at: .zero))
    var seen: BeatObservation?
    for k in 0..<Int64(480) {
      let due = k * 125_000_000 / 6
      // The sender stands still from clock 100 to clock 103.
      seen = follower.receive(clock((100..<103).contains(k) ? 103 * 125_000_000 / 6 - 9 + k % 9 : due)) ?? seen
    }
    #expect(seen?.quarter == Int64(19_958_333) && seen?.epoch == 1)
  }

  /// Lost clocks, some of them soon after others: none is miscounted.
  @Test(arguments: Seeds.few(20, of: 200)) func manyLostClocksAreCounted(seed: UInt64) {
    var random = Lehmer(seed: seed)
    let lost = Set((12..<Int64(2_390)).filter { _ in random.below(50) == 0 })
    let seen = fed(2_400, lost: lost)
    #expect(seen?.epoch == 1)
    #expect(seen?.quarter == Int64(99_958_333))
  }

  @Test func startContinueAndStopMoveThePosition() {
    var follower = ClockFollower()
    var now: Int64 = 0
    func send(_ kind: ClockMessage.Kind) -> BeatObservation? {
      defer { if kind == .clock { now += 20_833_333 } }
      return follower.receive(ClockMessage(kind, at: Instant(nanoseconds: now)))
    }
    for _ in 0..<10 { _ = send(.clock) }
    #expect(send(.clock)?.isPlaying == false)
    #expect(send(.start) == nil)
    var seen = send(.clock)
    #expect(seen?.quarter == 0 && seen?.isPlaying == true && seen?.epoch == 1)
    for _ in 0..<24 { seen = send(.clock) }
    #expect(seen?.quarter == 1_000_000)
    _ = send(.stop)
    seen = send(.clock)
    #expect(seen?.isPlaying == false && seen?.epoch == 1)
    for _ in 0..<5 { _ = send(.clock) }
    _ = send(.continue)
    seen = send(.clock)
    // It stopped after clock 24 and goes on with clock 25.
    #expect(seen?.quarter == Int64(1_041_666) && seen?.isPlaying == true && seen?.epoch == 2)
    _ = send(.stop)
    _ = send(.songPosition(8))
    _ = send(.continue)
    seen = send(.clock)
    #expect(seen?.quarter == 2_000_000 && seen?.epoch == 3)
  }

  /// A program that repeats bars sends the position while it plays. 3/4: a bar has 72 clocks.
  @Test func aSongPositionWhilePlayingIsReachedAtTheNextBarLine() throws {
    var follower = ClockFollower()
    follower.metre = Metre(try #require(Signature(text: "3/4")))
    var now: Int64 = 0
    func send(_ kind: ClockMessage.Kind) -> BeatObservation? {
      defer { if kind == .clock { now += 20_833_333 } }
      return follower.receive(ClockMessage(kind, at: Instant(nanoseconds: now)))
    }
    _ = send(.start)
    // The last clock of the second bar is number 143.
    for _ in 0..<100 { _ = send(.clock) }
    _ = send(.songPosition(12))
    for _ in 100..<120 { _ = send(.clock) }
    // The beat before the bar line, and the clock after it: the next beat is already the new one.
    var seen = send(.clock)
    #expect(seen?.quarter == 5_000_000 && seen?.epoch == 1)
    seen = send(.clock)
    #expect(seen?.quarter == 2_041_666 && seen?.epoch == 2)
    for _ in 122...144 { seen = send(.clock) }
    #expect(seen?.quarter == 3_000_000 && seen?.epoch == 2)
    for _ in 1..<73 { seen = send(.clock) }
    #expect(seen?.quarter == 6_000_000 && seen?.epoch == 2)
    // Before the bar line: a stop keeps it for the continue, a start drops it.
    _ = send(.songPosition(0))
    _ = send(.stop)
    _ = send(.continue)
    seen = send(.clock)
    #expect(seen?.quarter == 0 && seen?.epoch == 3)
    _ = send(.songPosition(12))
    _ = send(.start)
    for _ in 0..<73 { seen = send(.clock) }
    #expect(seen?.quarter == 3_000_000 && seen?.epoch == 4)
  }

  /// Any order of messages at any time: positions never overflow, periods are positive, and the state is shown.
  @Test(arguments: Seeds.few(20, of: 400))
  func anyMessagesAreSurvived(seed: UInt64) {
    var random = Lehmer(seed: seed)
    var follower = ClockFollower(latency: .microseconds(Int64(random.below(40_000)) - 20_000))
    var now: Int64 = 0
    for _ in 0..<2_000 {
      now += random.below(5) == 0 ? Int64(random.below(3_000_000)) * 1_000 : Int64(random.below(30_000)) * 1_000
      let instant = Instant(nanoseconds: now)
      let kind: ClockMessage.Kind =
        switch random.below(40) {
        case 0: .start
        case 1: .continue
        case 2: .stop
        case 3: .songPosition(random.below(16_384))
        default: .clock
        }
      follower.check(at: instant)
      let seen = follower.receive(ClockMessage(kind, at: instant))
      if let seen, seen.period <= 0 { Issue.record("a period of \(seen.period)") }
      _ = follower.state
    }
  }
}

@Suite struct MIDIParserTests {
  /// An independent reading: the system and channel messages of a stream, found by their lengths.
  private func reference(_ bytes: [UInt8]) -> [MIDIEvent] {
    var found: [MIDIEvent] = []
    var status: UInt8?
    var pending: [UInt8] = []
    for byte in bytes {
      if byte >= 0xF8 {
        let kinds: [UInt8: ClockMessage.Kind] = [0xF8: .clock, 0xFA: .start, 0xFB: .continue, 0xFC: .stop]
        if let kind = kinds[byte] { found.append(.clock(kind)) }
        continue
      }
      guard byte < 0x80 else {
        status = byte < 0xF0 || byte == 0xF2 ? byte : nil
        pending = []
        continue
      }
      guard let current = status else { continue }
      pending.append(byte)
      let isShort = current & 0xE0 == 0xC0
      guard pending.count == (isShort ? 1 : 2) else { continue }
      let channel = Int(current & 0x0F) + 1
      switch current & 0xF0 {
      case 0x80: found.append(.note(Int(pending[0]), isOn: false, channel: channel))
      case 0x90: found.append(.note(Int(pending[0]), isOn: pending[1] != 0, channel: channel))
      case 0xB0: found.append(.control(Int(pending[0]), value: Int(pending[1]), channel: channel))
      case 0xC0: found.append(.program(Int(pending[0]) + 1, channel: channel))
      case 0xF0: found.append(.clock(.songPosition(Int(pending[1]) * 128 + Int(pending[0]))))
      default: break
      }
      pending = []
      if current == 0xF2 { status = nil }
    }
    return found
  }

  @Test func randomStreamsLoseNoMessage() {
    var random = Lehmer(seed: 18)
    #expect(MemoryLayout<MIDIParser>.size <= 4)
    var wrong = 0
    for _ in 0..<Seeds.count(few: 20_000, full: 1_000_000) {
      let bytes = (0..<random.below(16)).map { _ -> UInt8 in
        switch random.below(4) {
        case 0: UInt8(0xF0 + random.below(16))
        case 1: UInt8(0x80 + random.below(112))
        default: UInt8(random.below(128))
        }
      }
      var parser = MIDIParser()
      if bytes.compactMap({ parser.receive($0) }) != reference(bytes) { wrong += 1 }
    }
    #expect(wrong == 0)
  }

  @Test func realTimeBytesMayInterruptAnything() {
    var parser = MIDIParser()
    let bytes: [UInt8] = [0xF0, 1, 0xF8, 2, 0xF7, 0xF2, 0xF8, 5, 0xFA, 1, 0x92, 0xF8, 60, 100, 61, 0xFC, 0]
    #expect(
      bytes.compactMap { parser.receive($0) } == [
        .clock(.clock), .clock(.clock), .clock(.start), .clock(.songPosition(133)), .clock(.clock),
        .note(60, isOn: true, channel: 3), .clock(.stop), .note(61, isOn: false, channel: 3),
      ])
  }
}
