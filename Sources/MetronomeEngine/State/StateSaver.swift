import HardwareAbstraction
import MetronomeCore
import Synchronization

/// Saves the metronome's state after changes, but not too often. It runs on an ordinary thread, which a disk may block for
/// seconds. The control loop only passes it the newest state.
public final class StateSaver<Observer: EngineObserver> {
  /// The shortest time between the beginnings of two saves, so that repeated presses do not wear out an SD card.
  public static var interval: Nanoseconds { .seconds(2) }
  /// The longest delay between two attempts. The delay doubles with each failure.
  public static var longestDelay: Nanoseconds { .seconds(60) }

  private struct Shared {
    var newest: SavedState?
    var isClosed = false
    /// The state on the disk; nil if unknown.
    var saved: SavedState?
    /// Why the last attempt failed; nil if it succeeded.
    var refusal: HardwareError?

    var unsaved: SavedState? { newest == saved ? nil : newest }
  }

  private let archive: StateArchive
  private let observer: Observer
  private let shared: Mutex<Shared>
  private let wake: Waker
  /// When the next save may begin.
  private var earliest: Instant?
  /// The delay to the retry after the next failure; nil while saving works.
  private var retryDelay: Nanoseconds?

  /// Nothing else may use the archive. `saved` is the state in it; nil: the next state is saved in any case. `refusal` is why
  /// nothing can be saved, if that is known and was reported.
  public init(
    _ archive: StateArchive, saved: SavedState?, refusal: HardwareError? = nil, observer: Observer, wake: Waker
  ) {
    self.archive = archive
    shared = Mutex(Shared(saved: saved, refusal: refusal))
    retryDelay = refusal == nil ? nil : StateSaver.interval
    self.observer = observer
    self.wake = wake
  }

  /// Whether the newest state is on the disk. Any thread; never waits for a disk.
  public var saving: Saving {
    shared.withLock { shared in
      if let refusal = shared.refusal {
        return .refused(refusal.errno.map(Saving.Cause.errno) ?? .detail(refusal.detail))
      }
      return shared.unsaved == nil ? .done : .pending
    }
  }

  /// Schedules the state to be saved. Any thread; never waits for a disk.
  public func keep(_ state: SavedState) {
    let isNews = shared.withLock { shared in
      guard !shared.isClosed, shared.newest != state else { return false }
      shared.newest = state
      return true
    }
    if isNews { wake(.state) }
  }

  /// Ignores every later ``keep(_:)``, so that the stop at shutdown is not saved. Any thread.
  public func seal() { shared.withLock { $0.isClosed = true } }

  /// Saves an unsaved state if it is time. Returns when to call again; nil: only when woken.
  public func step(at now: Instant) -> Instant? {
    guard let state = unsaved else { return nil }
    if let earliest, now < earliest { return earliest }
    save(state, at: now)
    return unsaved == nil ? nil : earliest
  }

  /// Saves an unsaved state at once. Called at the end.
  public func flush(at now: Instant) { if let state = unsaved { save(state, at: now) } }

  private var unsaved: SavedState? { shared.withLock { $0.unsaved } }

  private func save(_ state: SavedState, at now: Instant) {
    earliest = now + StateSaver.interval
    do throws(HardwareError) {
      try archive.save(state)
      shared.withLock { ($0.saved, $0.refusal) = (state, nil) }
      if retryDelay != nil { observer.savingRecovered(at: now) }
      retryDelay = nil
    } catch {
      // It is unknown which state is on the disk now.
      shared.withLock { ($0.saved, $0.refusal) = (nil, error) }
      if retryDelay == nil { observer.failed(error, at: now) }
      let pause = retryDelay ?? StateSaver.interval
      earliest = now + pause
      retryDelay = min(pause * 2, StateSaver.longestDelay)
    }
  }
}
