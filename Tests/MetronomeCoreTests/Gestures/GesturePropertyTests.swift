import MetronomeCore
import TestSupport
import Testing

/// Invariants of the gesture machine, for any presses and any loss of edges.
@Suite struct GesturePropertyTests {
  private static let seeds = Seeds.few(7, of: 25)
  private static let lossySeeds = Loss.allCases.flatMap { loss in Seeds.few(4, of: 12).map { (loss, $0) } }
  private static let moreLossySeeds = Loss.allCases.flatMap { loss in Seeds.few(6, of: 24).map { (loss, $0) } }

  private func readers(_ loss: Loss, _ seed: UInt64, origins: Int = 2, _ table: GestureTable) -> [EdgeReader] {
    let buttons = RandomButtons(seed: seed, origins: origins, losing: loss == .bursts ? 15 : 0)
    return [0, 3, 250, 5_000].map { EdgeReader(buttons, table, seed: seed, pauses: $0, loss: loss) }
  }

  @Test(arguments: lossySeeds) func noButtonStaysHeld(loss: Loss, seed: UInt64) {
    for reader in readers(loss, seed, .standard) {
      #expect(reader.machine.deadline == nil)
      // A lock-out, a level reading, and the lock-out after it.
      #expect(reader.readingsAfterwards <= 3 * reader.buttons.origins * Button.standard.count)
      for origin in 0..<reader.buttons.origins {
        for button in Button.standard { #expect(!reader.machine.isDown(button, Origin(number: origin))) }
      }
      #expect(reader.isOrderly)
    }
  }

  /// A table in which every counted press makes an event: each button recalls the preset of its index.
  private static let presses = GestureTable(
    shorts: Dictionary(uniqueKeysWithValues: Button.standard.map { ($0, .recallPreset($0.index)) }))

  @Test(arguments: moreLossySeeds) func pressesNeverCountTwice(loss: Loss, seed: UInt64) {
    for reader in readers(loss, seed, origins: 1, GesturePropertyTests.presses) {
      for button in Button.standard {
        let instants = reader.events.filter { $0.command == .recallPreset(button.index) }.map(\.press)
        let presses = instants.map { reader.buttons.press(of: button, at: $0) }
        #expect(!presses.contains(nil))
        #expect(Set(presses).count == presses.count, "\(button) at \(instants)")
      }
    }
  }

  /// Each press counts exactly once if no edge is lost, however short it is, however late it is read, and whether or not the
  /// levels are known.
  @Test(arguments: [RandomButtons.Manner.calm, .hasty], seeds) func pressesCountExactlyOnceWithoutLoss(
    manner: RandomButtons.Manner, seed: UInt64
  ) {
    let buttons = RandomButtons(seed: seed, origins: 1, manner: manner)
    for levels in LevelReading.allCases {
      for pauses in [0, 1, 30, 110, 2_000, 100_000] {
        let reader = EdgeReader(buttons, GesturePropertyTests.presses, seed: seed, pauses: pauses, levels: levels)
        for button in Button.standard {
          let counted = reader.events.filter { $0.command == .recallPreset(button.index) }.map(\.press)
          let presses = buttons.presses.filter { $0.button == button }.map(\.down)
          #expect(counted == presses, "\(button), levels \(levels), pauses of \(pauses)")
        }
      }
    }
  }

  @Test(arguments: lossySeeds) func pressesNeverActTwice(loss: Loss, seed: UInt64) {
    for reader in readers(loss, seed, .standard) {
      let singles = reader.events.filter(\.isSingle)
      #expect(singles.count <= reader.buttons.presses.count)
      for button in Button.standard {
        let short = GestureTable.standard[.short(button)]
        let times = singles.count { $0.command == short }
        #expect(times <= reader.buttons.presses.count { $0.button == button }, "\(button)")
      }
    }
  }

  /// No event follows the release of its press. Without losses each press is known and ends with its release.
  @Test(arguments: seeds) func noEventFollowsTheRelease(seed: UInt64) {
    for reader in readers(.nothing, seed, .standard) {
      for event in reader.events where event.instant > event.press {
        let presses = reader.buttons.presses.filter { $0.down == event.press }
        #expect(presses.contains { event.isOf($0) }, "\(event)")
      }
    }
  }

  @Test(arguments: [RandomButtons.Manner.calm, .hasty], seeds) func lateReadingGivesTheSameEvents(
    manner: RandomButtons.Manner, seed: UInt64
  ) {
    let buttons = RandomButtons(seed: seed, manner: manner)
    let atOnce = EdgeReader(buttons, .standard, seed: seed, pauses: 0).events
    #expect(atOnce.count > 20)
    for pauses in [1, 30, 900] {
      #expect(EdgeReader(buttons, .standard, seed: seed, pauses: pauses).events == atOnce)
    }
  }
}

extension GestureEvent {
  /// Whether a press can cause this event only once: the event is neither a repetition nor a long press.
  fileprivate var isSingle: Bool {
    switch command {
    case .previousNumerator, .previousDenominator, .toggleSilence, .storePreset: false
    case .stepTempo: instant == press
    default: true
    }
  }

  /// Whether this press, which began when the event's press did, can have caused the event.
  fileprivate func isOf(_ press: RandomButtons.Press) -> Bool {
    switch command {
    case .stepTempo, .previousNumerator, .previousDenominator: instant < press.up
    case .toggleSilence, .storePreset, .pair, .forgetPhones:
      instant <= press.up && instant - self.press == .milliseconds(500)
    case .nextNumerator, .nextDenominator: instant == press.up && instant - self.press <= .milliseconds(500)
    default: instant == press.up && instant - self.press < .milliseconds(500)
    }
  }
}
