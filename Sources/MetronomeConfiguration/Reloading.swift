import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// A configuration with its sound files, as read from the disk.
package struct LoadedConfiguration {
  package var configuration: Configuration
  package var sounds: ClickSounds
  package var score: SetList?
  /// What is not as the user wanted it, as lines for the log.
  package var warnings: [String] = []

  /// The maximum number of keys named in one log line.
  private static let maxNamed = 6

  /// Reads the files that the configuration names. `scores` are the texts of scores, by their names in the configuration; other
  /// scores are read from the disk.
  package init(_ configuration: Configuration, scores: [String: String] = [:]) throws(ConfigurationError) {
    self.configuration = configuration
    if let file = configuration.scoreFile { score = try file.readScore(scores[file.name]) }
    sounds = try configuration.readSounds(for: score)
  }

  package var options: EngineOptions {
    var options = configuration.engineOptions(sounds)
    options.score = score
    return options
  }

  package func boardChanges(from old: LoadedConfiguration) -> BoardChanges {
    BoardChanges(
      from: old.configuration.wiring, old.configuration.audio, to: configuration.wiring, configuration.audio,
      second: (old.configuration.secondAudio, configuration.secondAudio))
  }

  /// The changed keys, as one line for the log.
  package func news(since old: LoadedConfiguration) -> String {
    var keys = configuration.changes(from: old.configuration)
    // The files may have changed although their names have not.
    if sounds.recordings != old.sounds.recordings, !keys.contains("audio.sounds") { keys.append("audio.sounds") }
    if score != old.score, !keys.contains("score") { keys.append("score") }
    let speaks = !sounds.numbers.isEmpty && !old.sounds.numbers.isEmpty
    if speaks, sounds.numbers != old.sounds.numbers, !keys.contains("audio.numbers") { keys.append("audio.numbers") }
    let later: Set<String> = ["autoplay", "restore"]
    let named = keys.prefix(LoadedConfiguration.maxNamed).map {
      later.contains($0) ? "\($0) (takes effect at the next start)" : $0
    }
    let rest = keys.count - named.count
    let text = named.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    return "configuration reloaded: \(keys.isEmpty ? "nothing changed" : text)"
  }

  /// One line for the log. `reason` may have several lines, one for each problem.
  package static func refusal(_ reason: String) -> String {
    let lines = reason.split(separator: "\n")
    let rest = lines.count > 1 ? " (and other problems, see \"metronome config --check FILE\")" : ""
    return "configuration not reloaded, the old one remains active: \(lines.first ?? "")\(rest)"
  }
}

/// Reloads a configuration on a thread that may block, because sound files may be large. Only the thread that reads the buttons
/// uses this object. It accepts the outcome, and frees no large memory.
package final class Reloading {
  package enum Outcome {
    case read(Change)
    /// One line for the user.
    case refused(String)
  }

  /// A new configuration, already compared with ``current`` on the thread that may block.
  package struct Change: Sendable {
    package var loaded: LoadedConfiguration
    package var boardChanges: BoardChanges
    package var hasOtherSounds: Bool
    /// One line for the user.
    package var news: String
  }

  /// The active configuration.
  package private(set) var current: LoadedConfiguration
  private let read: @Sendable () throws -> LoadedConfiguration
  private let start: (@escaping @Sendable () -> Void) throws -> Void
  private let finished: @Sendable () -> Void
  private let results = Mailbox<Outcome>()
  /// Replaced configurations, which the thread that may block frees.
  private let discarded = Mailbox<LoadedConfiguration>()
  private var isReading = false
  private var isRequestedAgain = false

  /// `read` throws errors whose description is for the user. `start` runs a closure on a thread that may block. `finished` is
  /// called on that thread when an outcome is available.
  package init(
    _ current: LoadedConfiguration, read: @escaping @Sendable () throws -> LoadedConfiguration,
    start: @escaping (@escaping @Sendable () -> Void) throws -> Void, finished: @escaping @Sendable () -> Void
  ) {
    self.current = current
    self.read = read
    self.start = start
    self.finished = finished
  }

  /// Begins to read. If a reading is in progress, it is followed by another one, because the file may have changed meanwhile.
  package func begin() throws {
    isRequestedAgain = isReading
    if isReading { return }
    let (current, read, results, finished) = (current, read, results, finished)
    try start {
      do {
        results.post(.read(Change(try read(), since: current)))
      } catch {
        results.post(.refused(LoadedConfiguration.refusal("\(error)")))
      }
      finished()
    }
    isReading = true
  }

  /// The outcome of a reading, returned once; nil: no outcome yet. The caller must accept or drop a change before the next
  /// ``begin()``.
  package func consumeOutcome() throws -> Outcome? {
    guard let outcome = results.drain().last else { return nil }
    isReading = false
    guard isRequestedAgain else { return outcome }
    try begin()
    return nil
  }

  /// Makes a change the active configuration.
  package func accept(_ change: Change) {
    discarded.post(current)
    current = change.loaded
    try? start { [discarded] in _ = discarded.drain() }
  }
}

extension Reloading.Change {
  fileprivate init(_ loaded: LoadedConfiguration, since old: LoadedConfiguration) {
    var loaded = loaded
    hasOtherSounds = loaded.sounds != old.sounds
    // Equal sounds share their storage, so that they are not stored twice and later comparisons are fast.
    if !hasOtherSounds { loaded.sounds = old.sounds }
    if loaded.score == old.score { loaded.score = old.score }
    boardChanges = loaded.boardChanges(from: old)
    news = loaded.news(since: old)
    self.loaded = loaded
  }
}
