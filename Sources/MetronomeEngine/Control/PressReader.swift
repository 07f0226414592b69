import HardwareAbstraction
import MetronomeCore

/// Reads the buttons, and tells what the gestures mean, for a loop that follows them. Used by that loop's thread.
final class PressReader<Buttons: ButtonEdges, Meaning: Hashable & Sendable, Observer: EngineObserver> {
  /// From a failed reading to the next attempt.
  private static var rest: Nanoseconds { .seconds(1) }

  private let buttons: Buttons
  private let observer: Observer
  private var gestures: GestureMachine<Meaning>
  /// Until when the buttons are left alone because they could not be read.
  private var restUntil: Instant?

  init(_ gestures: GestureMachine<Meaning>, buttons: Buttons, observer: Observer) {
    self.gestures = gestures
    self.buttons = buttons
    self.observer = observer
  }

  /// Whether the buttons could be read when it was tried last.
  var canRead: Bool { restUntil == nil }

  /// When to read again though no edge has come.
  var deadline: Instant? { restUntil ?? gestures.deadline }

  /// Reads what there is to read.
  ///
  /// While the buttons cannot be read nothing comes of those that are held: their releases may be waiting to be read.
  ///
  /// - Parameter act: does what gestures mean.
  func read(at now: Instant, _ act: (GestureEvent<Meaning>) -> Void) {
    if now >= restUntil ?? now { readEdges(at: now, act) }
    if canRead { gestures.settle(at: now, level: level, act) }
  }

  private func readEdges(at now: Instant, _ act: (GestureEvent<Meaning>) -> Void) {
    do throws(HardwareError) {
      while let edge = try buttons.next() { gestures.take(edge, act) }
      restUntil = nil
    } catch {
      restUntil = now + PressReader.rest
      observer.failed(error, at: now)
    }
  }

  /// Whether a button is down, as far as it can be told. A chip that refuses it will refuse the next reading too, which is
  /// reported.
  private func level(of button: Button, at origin: Origin) -> Bool? { try? buttons.isDown(button) }
}
