import HardwareAbstraction
import MetronomeCore

/// Reads the buttons, and tells what the presses mean, for a loop that follows them. Used by that loop's thread.
final class PressReader<Buttons: ButtonEdges, Meaning: Sendable, Observer: EngineObserver> {
  /// From a failed reading to the next attempt.
  private static var rest: Nanoseconds { .seconds(1) }

  private let buttons: Buttons
  private let observer: Observer
  private var presses: Presses<Meaning>
  /// Until when the buttons are left alone because they could not be read.
  private var restUntil: Instant?

  init(_ presses: Presses<Meaning>, buttons: Buttons, observer: Observer) {
    self.presses = presses
    self.buttons = buttons
    self.observer = observer
  }

  /// Whether the buttons could be read when it was tried last.
  var canRead: Bool { restUntil == nil }

  /// When to read again though no edge has come.
  var deadline: Instant? {
    guard let settling = presses.deadline else { return restUntil }
    return restUntil.map { min($0, settling) } ?? settling
  }

  /// Reads what there is to read.
  ///
  /// - Parameter act: does what presses mean.
  func read(at now: Instant, _ act: ([Presses<Meaning>.Timed]) -> Void) {
    if now >= restUntil ?? now { readEdges(at: now, act) }
    act(presses.settle(at: now, level: level))
  }

  private func readEdges(at now: Instant, _ act: ([Presses<Meaning>.Timed]) -> Void) {
    do throws(HardwareError) {
      while let edge = try buttons.next() { act(presses.take(edge)) }
      restUntil = nil
    } catch {
      restUntil = now + PressReader.rest
      observer.failed(error, at: now)
    }
  }

  /// Whether a button is down, as far as it can be told. A chip that refuses it will refuse the next reading too, which is
  /// reported.
  private func level(of button: Button) -> Bool? { canRead ? try? buttons.isDown(button) : nil }
}
