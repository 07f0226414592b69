import BoardSimulation
import MetronomeCore

/// A whole life of a box: what it is configured with, what befalls it and what hands do, and for how long.
///
/// All of it is text, so that whoever has the text can live it again: `metronome simulate --virtual`.
public struct Life: Hashable, Sendable {
  /// A configuration file.
  public struct File: Hashable, Sendable {
    /// As the script names it.
    public var name: String
    /// One key or heading each.
    public var lines: [String]

    public init(name: String, lines: [String]) {
      self.name = name
      self.lines = lines
    }

    /// A file on which nothing stands would look like one that was cut off.
    public var text: String { lines.isEmpty ? "tap: {}\n" : lines.map { $0 + "\n" }.joined() }
  }

  /// Of the contacts' bounces, and of what a power cut leaves on the disk.
  public var seed: UInt64
  public var length: Nanoseconds
  /// With which it begins.
  public var configuration: File
  /// Those that the script puts in its place.
  public var reloads: [File]
  /// Of the script.
  public var lines: [String]

  public init(
    seed: UInt64, length: Nanoseconds, configuration: File = File(name: "box.yaml", lines: []), reloads: [File] = [],
    lines: [String] = []
  ) {
    self.seed = seed
    self.length = length
    self.configuration = configuration
    self.reloads = reloads
    self.lines = lines
  }

  public var script: String { lines.map { $0 + "\n" }.joined() }

  /// Draws a life.
  public init(seed: UInt64) {
    var dice = Dice(seed: seed)
    let swarm = Swarm(&dice)
    var maker = ConfigurationMaker(swarm)
    let configuration = File(name: "box.yaml", lines: maker.lines(&dice))
    var reloads: [File] = []
    for number in 0..<swarm.reloads {
      reloads.append(File(name: "reload-\(number + 1).yaml", lines: maker.reload(&dice)))
    }
    var script = ScriptMaker(swarm, maker)
    script.add(&dice, reloads: reloads.map(\.name))
    self.init(
      seed: seed, length: swarm.length, configuration: configuration, reloads: reloads, lines: script.lines)
  }
}
