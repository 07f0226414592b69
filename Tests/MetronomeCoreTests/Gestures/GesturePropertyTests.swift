import MetronomeCore
import TestSupport
import Testing

/// What holds whatever hands do, and whatever is lost of it.
@Suite struct GesturePropertyTests {
  private static let seeds = Seeds.few(7, of: 25)
  private static let lossySeeds = Loss.allCases.flatMap { loss in Seeds.few(4, of: 12).map { (loss, $0) } }
  private static let tornSeeds = Loss.allCases.flatMap { loss in Seeds.few(6, of: 24).map { (loss, $0) } }

  private func readers<Meaning>(
    _ loss: Loss, _ seed: UInt64, origins: Int = 2, _ table: GestureTable<Meaning>
  ) -> [ReaderOfHands<Meaning>] {
    let hands = Hands(seed: seed, origins: origins, losing: loss == .bursts ? 15 : 0)
    return [0, 3, 250, 5_000].map { ReaderOfHands(hands, table, seed: seed, pauses: $0, loss: loss) }
  }

  @Test(arguments: lossySeeds) func nothingIsLeftHeld(loss: Loss, seed: UInt64) {
    for reader in readers(loss, seed, .standard) {
      #expect(reader.machine.deadline == nil)
      // A lock-out, a look, and the lock-out after it.
      #expect(reader.callsAfterwards <= 3 * reader.hands.origins * Button.allCases.count)
      for origin in 0..<reader.hands.origins {
        for button in Button.allCases { #expect(!reader.machine.isDown(button, Origin(number: origin))) }
      }
      #expect(reader.isOrderly)
    }
  }

  /// A table that makes an event of every press that counts.
  private static let presses = GestureTable(
    shorts: Dictionary(uniqueKeysWithValues: Button.allCases.map { ($0, $0) }))

  @Test(arguments: tornSeeds) func noPressIsCountedTwice(loss: Loss, seed: UInt64) {
    for reader in readers(loss, seed, origins: 1, GesturePropertyTests.presses) {
      for button in Button.allCases {
        let instants = reader.events.filter { $0.meaning == button }.map(\.press)
        let presses = instants.map { reader.hands.press(of: button, at: $0) }
        #expect(!presses.contains(nil))
        #expect(Set(presses).count == presses.count, "\(button) at \(instants)")
      }
    }
  }

  /// However short, however late it is read, and whether levels are told or not.
  @Test(arguments: [Hands.Manner.calm, .hasty], seeds) func everyPressIsCountedOnce(manner: Hands.Manner, seed: UInt64)
  {
    let hands = Hands(seed: seed, origins: 1, manner: manner)
    for levels in LevelReading.allCases {
      for pauses in [0, 1, 30, 110, 2_000, 100_000] {
        let reader = ReaderOfHands(hands, GesturePropertyTests.presses, seed: seed, pauses: pauses, levels: levels)
        for button in Button.allCases {
          let counted = reader.events.filter { $0.meaning == button }.map(\.press)
          let presses = hands.presses.filter { $0.button == button }.map(\.down)
          #expect(counted == presses, "\(button), levels \(levels), pauses of \(pauses)")
        }
      }
    }
  }

  @Test(arguments: lossySeeds) func noPressActsTwice(loss: Loss, seed: UInt64) {
    for reader in readers(loss, seed, .standard) {
      let singles = reader.events.filter(\.isSingle)
      #expect(singles.count <= reader.hands.presses.count)
      for button in Button.allCases {
        let short = GestureTable<Command>.standard[.short(button)]
        let times = singles.count { $0.meaning == short }
        #expect(times <= reader.hands.presses.count { $0.button == button }, "\(button)")
      }
    }
  }

  /// Where nothing is lost each press is known, and ends when it ends.
  @Test(arguments: seeds) func nothingIsHeldAfterTheRelease(seed: UInt64) {
    for reader in readers(.nothing, seed, .standard) {
      for event in reader.events where event.instant > event.press {
        let presses = reader.hands.presses.filter { $0.down == event.press }
        #expect(presses.contains { event.isOf($0) }, "\(event)")
      }
    }
  }

  @Test(arguments: [Hands.Manner.calm, .hasty], seeds) func readLateIsAsReadAtOnce(manner: Hands.Manner, seed: UInt64) {
    let hands = Hands(seed: seed, manner: manner)
    let atOnce = ReaderOfHands<Command>(hands, .standard, seed: seed, pauses: 0).events
    #expect(atOnce.count > 20)
    for pauses in [1, 30, 900] {
      #expect(ReaderOfHands<Command>(hands, .standard, seed: seed, pauses: pauses).events == atOnce)
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
    case .nextNumerator, .nextDenominator: instant == press.up && instant - self.press <= .milliseconds(500)
    default: instant == press.up && instant - self.press < .milliseconds(500)
    }
  }
}
