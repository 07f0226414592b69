/// What runs, as far as it concerns the box.
public struct ProcessFacts: Hashable, Sendable {
  public struct Process: Hashable, Sendable {
    public var number: Int
    /// As the kernel has it, 15 bytes at the most.
    public var name: String

    public init(number: Int, name: String) {
      self.number = number
      self.name = name
    }
  }

  public var running: [Process]
  /// Those that have a sound card's device that plays open, by the card's id. Of other users' only root is told.
  public var players: [String: [Process]]

  public init(running: [Process] = [], players: [String: [Process]] = [:]) {
    self.running = running
    self.players = players
  }

  /// Whether a metronome runs besides the one that asks.
  public var hasMetronome: Bool { running.contains { $0.name == "metronome" } }
}

extension ProcessFacts {
  /// - Parameter own: the number of the process that asks, which is left out.
  public init(_ files: FileTree, own: Int) {
    var running: [Process] = []
    for path in files.paths(matching: "/proc/[0-9]*/comm") {
      let number = Int(path.split(separator: "/")[1]) ?? 0
      if number != own, let name = files.text(path) { running.append(Process(number: number, name: name)) }
    }
    self.init(running: running, players: ProcessFacts.players(files, running))
  }

  private static func players(_ files: FileTree, _ running: [Process]) -> [String: [Process]] {
    var players: [String: [Process]] = [:]
    for path in files.paths(matching: "/proc/asound/card[0-9]*/id") {
      guard let id = files.text(path), let card = path.split(separator: "/").dropLast().last else { continue }
      let number = card.dropFirst("card".count)
      // The kernel names whoever opened it, by a thread that may have ended since.
      let owners = files.paths(matching: "/proc/asound/card\(number)/pcm*p/sub*/status").compactMap { status in
        (files.text(status) ?? "").lines.first { $0.hasPrefix("owner_pid") }.flatMap {
          Int($0.split(separator: " ").last ?? "")
        }
      }
      guard !owners.isEmpty else { continue }
      let holders = running.filter { process in
        owners.contains(process.number) || files.holds(process.number, "/dev/snd/pcmC\(number)D")
      }
      players[id] = holders
    }
    return players
  }
}

extension FileTree {
  /// Whether a process has a device file open that plays and whose path begins so.
  fileprivate func holds(_ process: Int, _ device: String) -> Bool {
    paths(matching: "/proc/\(process)/fd/*").contains { path in
      link(path).map { $0.hasPrefix(device) && $0.hasSuffix("p") } ?? false
    }
  }
}
