import MetronomeCore
import Testing

/// What holds whatever hands do, and whatever is lost of it.
@Suite struct GesturePropertyTests {
  private static let seeds = [UInt64](0..<40)
  private static let lossySeeds = ReaderOfHands.Loss.allCases.flatMap { loss in (UInt64(0)..<25).map { (loss, $0) } }

  private func readers(_ loss: ReaderOfHands.Loss, _ seed: UInt64) -> [ReaderOfHands] {
    let hands = Hands(seed: seed, losing: loss == .bursts ? 15 : 0)
    return [0, 3, 250].map { ReaderOfHands(hands, seed: seed, pauses: $0, loss: loss) }
  }

  @Test(arguments: lossySeeds) func nothingIsLeftHeld(loss: ReaderOfHands.Loss, seed: UInt64) {
    for reader in readers(loss, seed) {
      #expect(reader.machine.deadline == nil)
      // A lock-out, a look, and the lock-out after it.
      #expect(reader.callsAfterwards <= 3 * Hands.origins * Button.allCases.count)
      for origin in 0..<Hands.origins {
        for button in Button.allCases { #expect(!reader.machine.isDown(button, Origin(number: origin))) }
      }
      #expect(reader.isOrderly)
    }
  }

  @Test(arguments: lossySeeds) func noPressIsCountedTwice(loss: ReaderOfHands.Loss, seed: UInt64) {
    for reader in readers(loss, seed) {
      #expect(reader.events.count(where: \.isSingle) <= reader.hands.presses.count)
      // What is left of a release's bounces when the rest of it was lost looks like another press.
      let isTorn = loss == .newest || loss == .oldest
      for button in Button.allCases where !isTorn {
        let short = GestureTable<Command>.standard[.short(button)]
        let times = reader.events.count { $0.isSingle && $0.meaning == short }
        #expect(times <= reader.hands.presses.count { $0.button == button })
      }
      for presses in reader.presses {
        // However torn: never two within the lock-out.
        let intervals = zip(presses.dropFirst(), presses).map { $0 - $1 }
        #expect(intervals.allSatisfy { $0 >= Debouncer.standardLockOut })
      }
    }
  }

  /// Where nothing is lost each press is known, and ends when it ends.
  @Test(arguments: seeds) func nothingIsHeldAfterTheRelease(seed: UInt64) {
    for reader in readers(.nothing, seed) {
      for event in reader.events where event.instant > event.press {
        let presses = reader.hands.presses.filter { $0.down == event.press }
        #expect(presses.contains { event.isOf($0) }, "\(event)")
      }
    }
  }

  @Test(arguments: seeds) func readLateIsAsReadAtOnce(seed: UInt64) {
    let hands = Hands(seed: seed)
    let atOnce = ReaderOfHands(hands, seed: seed, pauses: 0).events
    #expect(atOnce.count > 20)
    for pauses in [1, 30, 900] {
      #expect(ReaderOfHands(hands, seed: seed, pauses: pauses).events == atOnce)
    }
  }
}

extension GestureEvent<Command> {
  /// Whether it is what a press does once: neither a repetition nor a long press.
  fileprivate var isSingle: Bool {
    switch meaning {
    case .previousNumerator, .previousDenominator, .toggleSilence, .storePreset: false
    case .stepTempo: instant == press
    default: true
    }
  }

  /// Whether it may have come of a press that it is later than.
  fileprivate func isOf(_ press: Hands.Press) -> Bool {
    switch meaning {
    case .stepTempo, .previousNumerator, .previousDenominator: instant < press.up
    case .toggleSilence, .storePreset: instant <= press.up && instant - self.press == .milliseconds(500)
    default: instant == press.up && instant - self.press < .milliseconds(500)
    }
  }
}
