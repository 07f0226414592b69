import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

/// A configuration as it was read, with the sounds that it names.
package struct Reading {
  package var configuration: Configuration
  package var sounds: ClickSounds

  /// So many keys are named in a line.
  private static let mostNamed = 6

  package init(_ configuration: Configuration) throws(ConfigurationError) {
    self.configuration = configuration
    sounds = try configuration.readSounds()
  }

  package init(_ configuration: Configuration, _ sounds: ClickSounds) {
    self.configuration = configuration
    self.sounds = sounds
  }

  /// What the engine plays.
  package var options: EngineOptions { configuration.engineOptions(sounds) }

  /// What of a board is another than with a former configuration.
  package func boardChanges(from old: Reading) -> BoardChanges {
    BoardChanges(
      from: old.configuration.wiring, old.configuration.audio, to: configuration.wiring, configuration.audio)
  }

  /// What has changed since a former one, in a line for the log.
  package func news(since old: Reading) -> String {
    var keys = configuration.changes(from: old.configuration)
    let isResounding = sounds.first != old.sounds.first || sounds.regular != old.sounds.regular
    if isResounding, !keys.contains("audio.sounds") { keys.append("audio.sounds") }
    let later: Set<String> = ["autoplay", "restore"]
    let named = keys.prefix(Reading.mostNamed).map { later.contains($0) ? "\($0) (from the next start on)" : $0 }
    let rest = keys.count - named.count
    let text = named.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    return "configuration read again: \(keys.isEmpty ? "nothing changed" : text)"
  }

  /// That another one is not taken, in a line for the log.
  package static func refusal(_ reason: String) -> String { "the old configuration stays in force: \(reason)" }
}
