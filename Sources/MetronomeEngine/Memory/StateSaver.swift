import HardwareAbstraction
import MetronomeCore
import Synchronization

/// Saves what the metronome remembers, when it has changed and not too often.
///
/// A step machine on a thread of its own, an ordinary one: a disk may keep it waiting for seconds. The control loop only
/// leaves the newest memory with it, and never waits for the disk.
public final class StateSaver<Observer: EngineObserver> {
  /// From the beginning of a save to that of the next, so that an SD card is not worn out by a thumb on a button.
  public static var interval: Nanoseconds { .seconds(2) }
  /// Between attempts in the long run.
  public static var longestRest: Nanoseconds { .seconds(60) }

  private struct Mailbox {
    var newest: SavedState?
    var isSealed = false
    /// What is on the disk.
    var saved: SavedState?
    /// Why the last attempt failed; nil: it did not.
    var refusal: HardwareError?

    var unsaved: SavedState? { newest == saved ? nil : newest }
  }

  private let archive: StateArchive
  private let observer: Observer
  private let mailbox: Mutex<Mailbox>
  private let wake: @Sendable (Loop) -> Void
  /// No save begins before it.
  private var earliest: Instant?
  /// After the next failure; nil while saving works.
  private var rest: Nanoseconds?

  /// - Parameters:
  ///   - archive: nobody else saves to it while this does.
  ///   - saved: what the archive holds, whole; nil: what comes is saved in any case.
  ///   - refusal: why nothing can be saved, as is known and told; nil: nothing of that is known.
  ///   - wake: wakes this when there is something new to save.
  public init(
    _ archive: StateArchive, saved: SavedState?, refusal: HardwareError? = nil, observer: Observer,
    wake: @escaping @Sendable (Loop) -> Void
  ) {
    self.archive = archive
    mailbox = Mutex(Mailbox(saved: saved, refusal: refusal))
    rest = refusal == nil ? nil : StateSaver.interval
    self.observer = observer
    self.wake = wake
  }

  /// Whether what was kept last is on the disk. Any thread; it never waits for a disk.
  public var saving: Saving {
    mailbox.withLock { mailbox in
      if let refusal = mailbox.refusal { return .refused(errno: refusal.errno) }
      return mailbox.unsaved == nil ? .done : .pending
    }
  }

  /// From now on this is to be remembered. Any thread; it never waits for a disk.
  public func keep(_ memory: SavedState) {
    let isNews = mailbox.withLock { mailbox in
      guard !mailbox.isSealed, mailbox.newest != memory else { return false }
      mailbox.newest = memory
      return true
    }
    if isNews { wake(.state) }
  }

  /// What is kept from now on is not remembered: the metronome is being switched off, and what it does for that is not what
  /// it was doing. Any thread.
  public func seal() { mailbox.withLock { $0.isSealed = true } }

  /// Saves if there is something to save, and it is time.
  ///
  /// - Returns: when to call again; nil: when it is woken.
  public func step(at now: Instant) -> Instant? {
    guard let memory = unsaved else { return nil }
    if let earliest, now < earliest { return earliest }
    save(memory, at: now)
    return unsaved == nil ? nil : earliest
  }

  /// Saves what is not saved, at once. To be called at the end.
  public func flush(at now: Instant) {
    if let memory = unsaved { save(memory, at: now) }
  }

  private var unsaved: SavedState? { mailbox.withLock { $0.unsaved } }

  private func save(_ memory: SavedState, at now: Instant) {
    earliest = now + StateSaver.interval
    do throws(HardwareError) {
      try archive.save(memory)
      mailbox.withLock { ($0.saved, $0.refusal) = (memory, nil) }
      if rest != nil { observer.savesAgain(at: now) }
      rest = nil
    } catch {
      // What is on the disk by now is not known.
      mailbox.withLock { ($0.saved, $0.refusal) = (nil, error) }
      if rest == nil { observer.failed(error, at: now) }
      let pause = rest ?? StateSaver.interval
      earliest = now + pause
      rest = min(pause * 2, StateSaver.longestRest)
    }
  }
}
