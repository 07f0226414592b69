import MetronomeCore

/// How a person at the box pairs a phone: the command `pair` opens a window, in which a companion shows the numbers of the phones that
/// ask, one after the other; the command again confirms the phone whose number is shown.
///
/// The box does not know the phones, and the companion cannot confirm one.
package struct PairingWindow: Hashable, Sendable {
  /// How long a window is open: a companion shows twelve numbers in this time, each for ten seconds.
  package static let duration = Nanoseconds.seconds(120)
  /// A press confirms no number that has been shown for less than this: it was meant for the one before.
  package static let guardTime = Nanoseconds.milliseconds(1_500)
  /// How long a number can be confirmed while the window is open: a companion shows the next one, or the same one again, after ten
  /// seconds. The last one can be confirmed for ``lastValidity``, also after the window.
  package static let validity = Nanoseconds.seconds(20)
  package static let lastValidity = Nanoseconds.seconds(10)

  package enum Event: Hashable, Sendable {
    case opened
    /// A number is shown.
    case shown
    /// The phone with this number is paired.
    case confirmed(Int)
    /// All phones are forgotten.
    case forgotten
  }

  /// What has happened since the last call of ``takeEvents()``, at most ``most`` events.
  private var events: [Event] = []
  private static let most = 16
  private var openedAt: Instant?
  /// The number that is shown; nil: none.
  package private(set) var number: Int?
  private var shownAt = Instant.zero

  package init() {}

  /// The seconds until the window is shut, rounded up; 0: it is shut.
  package func seconds(at now: Instant) -> Int64 {
    guard let openedAt, openedAt + PairingWindow.duration > now else { return 0 }
    return ((openedAt + PairingWindow.duration - now).count + 999_999_999) / 1_000_000_000
  }

  /// A companion shows a number, 1 to 9,999. Returns false if the window is shut.
  package mutating func show(_ number: Int, at now: Instant) -> Bool {
    guard seconds(at: now) > 0, (1...9_999).contains(number) else { return false }
    (self.number, shownAt) = (number, now)
    record(.shown)
    return true
  }

  /// The command `pair`, for which a person pressed at an instant.
  ///
  /// - Returns: `pairing` if the window is open from now on, `stored` if a phone is confirmed, `refused` if the press came too soon
  ///   after the number has changed.
  package mutating func press(at press: Instant, now: Instant) -> Reply {
    let validity = seconds(at: now) > 0 ? PairingWindow.validity : PairingWindow.lastValidity
    guard let number, press < shownAt + validity else {
      (openedAt, self.number) = (now, nil)
      record(.opened)
      return .pairing
    }
    guard press >= shownAt + PairingWindow.guardTime else { return .refused(.numberIsNew) }
    (openedAt, self.number) = (nil, nil)
    record(.confirmed(number))
    return .stored
  }

  /// The command to forget all phones.
  package mutating func forget() { record(.forgotten) }

  package mutating func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  private mutating func record(_ event: Event) {
    if events.count < PairingWindow.most { events.append(event) }
  }
}
