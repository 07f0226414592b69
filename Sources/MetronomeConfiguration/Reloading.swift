import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// Reads a configuration again on a thread that may block: sound files may be large, and the card they are on slow. The thread
/// that reads the buttons only takes the outcome, and frees nothing large.
///
/// Used by one thread, but for what ``start`` runs elsewhere.
package final class Reloading {
  /// What a reload has led to.
  package enum Outcome {
    case read(Change)
    /// A line for a person.
    case refused(String)
  }

  /// A configuration to be taken over, compared with ``current`` while there was time for it.
  package struct Change: Sendable {
    package var reading: Reading
    package var boardChanges: BoardChanges
    package var hasOtherSounds: Bool
    /// A line for a person.
    package var news: String
  }

  /// In force.
  package private(set) var current: Reading
  private let read: @Sendable (Reading) throws -> Reading
  private let start: (@escaping @Sendable () -> Void) throws -> Void
  private let finished: @Sendable () -> Void
  private let results = Mailbox<Outcome>()
  /// Configurations that are in force no more, to be freed elsewhere.
  private let discarded = Mailbox<Reading>()
  private var isReading = false
  private var isAskedAgain = false

  /// - Parameters:
  ///   - current: with which it began.
  ///   - read: reads it again. What it throws is described for a person.
  ///   - start: runs a body on a thread that may block.
  ///   - finished: told there that an outcome can be taken.
  package init(
    _ current: Reading, read: @escaping @Sendable (Reading) throws -> Reading,
    start: @escaping (@escaping @Sendable () -> Void) throws -> Void, finished: @escaping @Sendable () -> Void
  ) {
    self.current = current
    self.read = read
    self.start = start
    self.finished = finished
  }

  /// Begins to read, or notes that it is to be read once more: what is being read may be older than this.
  package func begin() throws {
    guard !isReading else {
      isAskedAgain = true
      return
    }
    let (current, read, results, finished) = (current, read, results, finished)
    try start {
      do {
        results.leave(.read(Change(try read(current), since: current)))
      } catch {
        results.leave(.refused(Reading.refusal("\(error)")))
      }
      finished()
    }
    isReading = true
  }

  /// What has been read, once; nil: nothing yet. A change is to be accepted or dropped before the next is begun.
  package func takeOutcome() throws -> Outcome? {
    guard let outcome = results.takeAll().last else { return nil }
    isReading = false
    guard isAskedAgain else { return outcome }
    isAskedAgain = false
    try begin()
    return nil
  }

  /// Puts a change in force.
  package func accept(_ change: Change) {
    discarded.leave(current)
    current = change.reading
    try? start { [discarded] in _ = discarded.takeAll() }
  }
}

extension Reloading.Change {
  fileprivate init(_ reading: Reading, since old: Reading) {
    var reading = reading
    hasOtherSounds = reading.sounds != old.sounds
    // The same samples are not kept twice, and compared at once from here on.
    if !hasOtherSounds { reading.sounds = old.sounds }
    boardChanges = reading.boardChanges(from: old)
    news = reading.news(since: old)
    self.reading = reading
  }
}
