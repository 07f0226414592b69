import BoardSimulation
import MetronomeCore

/// A life: the whole input of one simulated run of a box. Configuration, scores, presses, faults, and length.
///
/// All of it is text, so that anyone can replay it with `metronome simulate --virtual`.
public struct Life: Hashable, Sendable {
  /// A configuration file, or a score.
  public struct File: Hashable, Sendable {
    /// The name used in the script or in a configuration.
    public var name: String
    /// One key, heading or entry per line.
    public var lines: [String]

    public init(name: String, lines: [String]) {
      self.name = name
      self.lines = lines
    }

    /// An empty file would look like a file that was cut off.
    public var text: String { lines.isEmpty ? "tap: {}\n" : lines.map { $0 + "\n" }.joined() }
  }

  /// Seed of the contacts' bounces and of what a power cut leaves on the disk.
  public var seed: UInt64
  public var length: Nanoseconds
  /// The configuration at the start.
  public var configuration: File
  /// The configurations that the script reloads.
  public var reloads: [File]
  /// The scores that the configurations name.
  public var scores: [File]
  /// The lines of the script.
  public var lines: [String]

  public init(
    seed: UInt64, length: Nanoseconds, configuration: File = File(name: "box.yaml", lines: []), reloads: [File] = [],
    scores: [File] = [], lines: [String] = []
  ) {
    self.seed = seed
    self.length = length
    self.configuration = configuration
    self.reloads = reloads
    self.scores = scores
    self.lines = lines
  }

  public var script: String { lines.map { $0 + "\n" }.joined() }

  /// From this seed on every life only follows a MIDI source, below it every eighth.
  public static let firstOfSources: UInt64 = 1 << 40

  /// Creates a random life.
  public init(seed: UInt64) {
    if seed >= Life.firstOfSources || seed % 8 == 5 {
      self.init(sourceOf: seed)
    } else if seed % 16 == 3 {
      self.init(sessionOf: seed)
    } else if seed % 16 == 11 {
      self.init(undoneOf: seed)
    } else {
      var dice = Dice(seed: seed)
      self.init(seed: seed, Swarm(&dice), &dice)
    }
  }

  /// Creates a random life for the kernel bench, which has none of the faults, devices and sources of other lives.
  public init(onKernel seed: UInt64) {
    var dice = Dice(seed: seed)
    let swarm = Swarm(&dice)
    self.init(seed: seed, swarm.onKernel(&dice), &dice)
  }

  private init(seed: UInt64, _ swarm: Swarm, _ dice: inout Dice) {
    var maker = ConfigurationMaker(swarm)
    let configuration = File(name: "box.yaml", lines: maker.lines(&dice))
    var reloads: [File] = []
    for number in 0..<swarm.reloads {
      reloads.append(File(name: "reload-\(number + 1).yaml", lines: maker.reload(&dice)))
    }
    var script = ScriptMaker(swarm, maker)
    script.add(&dice, reloads: reloads.map(\.name))
    // A separate generator, so that the rest of each seed's life stays the same.
    var others = Dice(seed: ~seed)
    script.addPrograms(&others)
    self.init(
      seed: seed, length: swarm.length, configuration: configuration, reloads: reloads, scores: maker.scores,
      lines: script.lines)
  }
}
