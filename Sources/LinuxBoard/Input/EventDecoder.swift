import CEvdev
import Glibc
import HardwareAbstraction
import MetronomeCore

/// From what the kernel tells of one device to presses and turns.
///
/// Keys tell 1 and 0, and 2 while the kernel repeats them, which is nobody's press. What an axis moved within one report is
/// one turn.
package struct EventDecoder {
  private let origin: Origin
  private let buttons: [UInt16: Button]
  private let dials: [UInt16: Dial]
  /// The keys that are down and are a button.
  private var held: Set<UInt16> = []
  /// By how much dials were turned since the last report.
  private var turned: [Dial: Int] = [:]

  package init(_ request: InputRequest, from origin: Origin) {
    self.origin = origin
    buttons = Dictionary(uniqueKeysWithValues: request.keys.map { ($0.key.number, $0.value) })
    dials = Dictionary(uniqueKeysWithValues: request.relative.map { ($0.key.number, $0.value) })
  }

  /// Whether a button is down after all that was told.
  package func isDown(_ button: Button) -> Bool { held.contains { buttons[$0] == button } }

  /// Begins anew with the keys that are down, by the kernel's word.
  package mutating func look(isDown: (UInt16) -> Bool) {
    held = Set(buttons.keys.filter(isDown))
    turned = [:]
  }

  /// Takes one event, in the order in which the kernel tells them, and appends what it means.
  package mutating func take(_ event: input_event, at instant: Instant, appendingTo events: inout [InputEvent]) {
    switch Int32(event.type) {
    case EV_SYN where Int32(event.code) == SYN_REPORT: report(at: instant, to: &events)
    case EV_KEY where event.value != 2: move(event.code, isDown: event.value != 0, at: instant, &events)
    case EV_REL:
      if let dial = dials[event.code] { turned[dial, default: 0] += Int(event.value) }
    default: break
    }
  }

  private mutating func report(at instant: Instant, to events: inout [InputEvent]) {
    for dial in Dial.allCases {
      guard let detents = turned[dial], detents != 0 else { continue }
      events.append(.turn(DialTurn(dial, by: detents, at: instant, from: origin)))
    }
    turned = [:]
  }

  private mutating func move(_ code: UInt16, isDown: Bool, at instant: Instant, _ events: inout [InputEvent]) {
    guard let button = buttons[code] else { return }
    held.remove(code)
    // Another key of the same button holds it as it is.
    let isHeld = self.isDown(button)
    if isDown { held.insert(code) }
    if !isHeld { events.append(.edge(ButtonEdge(button, isDown ? .down : .up, at: instant, from: origin))) }
  }
}
