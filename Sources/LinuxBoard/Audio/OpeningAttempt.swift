import HardwareAbstraction
import MetronomeCore
import Synchronization

/// One attempt at opening a sound card, on a thread of its own, because a card that is broken may never answer.
final class OpeningAttempt {
  /// What came of it, and what a person should know of it.
  typealias Outcome = (result: Result<ALSAOutput, HardwareError>, notices: [String])

  private enum Stage: UInt8, AtomicRepresentable {
    case underWay
    case done
    /// Nobody waits any more: what is opened after all is given back.
    case abandoned
  }

  private final class Desk: Sendable {
    let stage = Atomic(Stage.underWay)
    // Unsafe to the compiler, which does not know that the stage orders the two: until it changes this is the thread's, and
    // only if it then is `done` its maker's. An output is no Sendable, so a lock could not hold it either.
    nonisolated(unsafe) var outcome: Outcome?

    func change(to stage: Stage) -> Bool {
      self.stage.compareExchange(expected: .underWay, desired: stage, ordering: .acquiringAndReleasing).exchanged
    }
  }

  private let desk = Desk()
  private let thread: PatientThread

  /// Begins it.
  init(_ request: AudioRequest) throws(SystemError) {
    let desk = desk
    thread = try PatientThread(name: "sound-opening") {
      let outcome = OpeningAttempt.open(request)
      desk.outcome = outcome
      if !desk.change(to: .done), case .success(let output) = outcome.result { output.release() }
    }
  }

  /// What came of it; nil: it has not come to an end in this time, and whatever comes of it later does not count. Once.
  func outcome(within time: Nanoseconds) -> Outcome? {
    guard !thread.join(until: LinuxClock().now + time), desk.change(to: .abandoned) else { return desk.outcome }
    return nil
  }

  private static func open(_ request: AudioRequest) -> Outcome {
    // They wait: whoever is told them has one thread.
    var notices: [String] = []
    let opening = AudioOpening(request, notice: { notices.append($0) })
    do throws(HardwareError) {
      let output = try opening.open()
      return (.success(output), notices)
    } catch {
      return (.failure(error), notices)
    }
  }
}
