import CLinux
import Glibc
import HardwareAbstraction
import MetronomeCore

/// From what the kernel tells of one device to presses and turns.
///
/// Keys tell 1 and 0, and 2 while the kernel repeats them, which is nobody's press. What an axis moved within one report is
/// one turn. When the kernel had to drop events, what it tells until the next report is a part of one and is dropped too.
package struct EventDecoder {
  private let origin: Origin
  private let buttons: [UInt16: Button]
  private let dials: [UInt16: Dial]
  /// The keys that are down and are a button.
  private var held: Set<UInt16> = []
  /// By how much dials were turned since the last report.
  private var turned: [Dial: Int] = [:]
  private var isDropping = false
  /// Whether events were dropped since the keys were last looked at.
  package private(set) var hasLostEvents = false
  /// When the newest event happened.
  package private(set) var instant = Instant.zero

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
    hasLostEvents = false
  }

  /// Takes one event, in the order in which the kernel tells them, and appends what it means.
  package mutating func take(_ event: clinux_input_event, appendingTo events: inout [InputEvent]) {
    instant = Instant(nanoseconds: event.nanoseconds)
    switch Int32(event.type) {
    case EV_SYN where Int32(event.code) == SYN_DROPPED: drop()
    case EV_SYN where Int32(event.code) == SYN_REPORT: report(to: &events)
    case EV_KEY where !isDropping && event.value != 2: move(event.code, isDown: event.value != 0, &events)
    case EV_REL where !isDropping:
      if let dial = dials[event.code] { turned[dial, default: 0] += Int(event.value) }
    default: break
    }
  }

  private mutating func drop() {
    isDropping = true
    hasLostEvents = true
    // What was down may be up: better a release told twice than one untold.
    held = []
    turned = [:]
  }

  private mutating func report(to events: inout [InputEvent]) {
    isDropping = false
    for dial in Dial.allCases {
      guard let detents = turned[dial], detents != 0 else { continue }
      events.append(.turn(DialTurn(dial, by: detents, at: instant, from: origin)))
    }
    turned = [:]
  }

  private mutating func move(_ code: UInt16, isDown: Bool, _ events: inout [InputEvent]) {
    guard let button = buttons[code] else { return }
    held.remove(code)
    // Another key of the same button holds it as it is.
    let isHeld = self.isDown(button)
    if isDown { held.insert(code) }
    if !isHeld { events.append(.edge(ButtonEdge(button, isDown ? .down : .up, at: instant, from: origin))) }
  }
}
