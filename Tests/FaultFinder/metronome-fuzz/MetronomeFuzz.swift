import ArgumentParser
import FaultFinder
import Foundation
import MetronomeCore

@main
struct MetronomeFuzz: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metronome-fuzz",
    abstract: "Search for simulated runs in which the metronome breaks a promise.",
    discussion: """
      A life is a random simulated run, generated from a seed: configurations, scores, button presses, and faults of \
      card, clock, disk, chip and power. It runs in virtual time, and all promises of Documentation/Promises.md are checked \
      after every step. The first life that breaks a promise is reduced, written into a folder, and printed with the \
      command that replays it.
      """)

  @Option(help: ArgumentHelp("The seed of the first life (default: the current time).", valueName: "number"))
  var seed: UInt64?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("End the search after this time, and the reduction after the same time.", valueName: "duration"))
  var length = "60s"

  @Option(help: ArgumentHelp("End the search after this number of lives.", valueName: "number"))
  var lives: UInt64?

  @Option(help: ArgumentHelp("The number of lives to run in parallel.", valueName: "number"))
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  @Option(help: ArgumentHelp("Write a life that breaks a promise into this folder.", valueName: "folder"))
  var out = "found-lives"

  @Option(
    help: ArgumentHelp("Run only the life in the files PATH.yaml and PATH.script.", valueName: "path"))
  var life: String?

  @Flag(help: "Run only lives that follow a MIDI source.")
  var sources = false

  @Flag(help: "Do not reduce a life that breaks a promise.")
  var findOnly = false

  @Option(
    help: ArgumentHelp(
      "Only write this number of lives for Tests/KernelBench/lives, from --seed on, into the folder --out.",
      valueName: "number"))
  var write: UInt64?

  @Flag(help: "Run only the life of --seed.")
  var once = false

  @Flag(help: ArgumentHelp(visibility: .hidden))
  var judge = false

  func run() throws {
    if judge { return try Judge.serve() }
    if let life {
      let path = URL(fileURLWithPath: life)
      return try judgeOnce("life \(path.deletingLastPathComponent().path) \(path.lastPathComponent) digest")
    }
    if let write {
      guard let seed else { throw ValidationError("--write needs --seed.") }
      for seed in seed..<seed + write { try Life(onKernel: seed).write(named: "life-\(seed)", in: out) }
      return
    }
    if once {
      guard let seed else { throw ValidationError("--once needs --seed.") }
      let name = "life-\(seed)"
      try Life(seed: seed).write(named: name, in: out)
      say("\(out)/\(name).script")
      return try judgeOnce("life \(out) \(name) digest")
    }
    guard let length = Nanoseconds(text: length), length > .zero else {
      throw ValidationError("\(length) is not a duration; write \(Nanoseconds.textForm).")
    }
    let first = (seed ?? UInt64(Date().timeIntervalSince1970)) + (sources ? Life.firstOfSources : 0)
    let campaign = Campaign(
      first: first, lives: lives ?? .max, jobs: max(1, jobs), seconds: Double(length.count) / 1e9)
    guard let (seed, breach) = try campaign.run() else { return }
    say("seed \(seed): \(breach)")
    if !findOnly { try reduce(Life(seed: seed), breach, named: "seed-\(seed)", within: Double(length.count) / 1e9) }
    throw ExitCode.failure
  }

  private func judgeOnce(_ request: String) throws {
    switch try Judge().judge(request).outcome {
    case .kept: say("kept")
    case .unlivable(let reason): throw ValidationError(reason)
    case .broken(let breach):
      say("\(breach)")
      throw ExitCode.failure
    }
  }

  /// Reduces the life for at most this number of seconds, and prints it.
  private func reduce(_ life: Life, _ breach: Breach, named name: String, within seconds: Double) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("metronome-fuzz-\(getpid())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let judge = Judge()
    let end = Date() + seconds
    var last = breach
    var reducer = Reducer(life) { attempt in
      guard Date() < end, (try? attempt.write(named: "attempt", in: folder)) != nil,
        case .broken(let found) = try? judge.judge("life \(folder) attempt").outcome, found.promise == breach.promise
      else { return false }
      last = found
      return true
    }
    reducer.reduce(end: breach.time > 0 ? Nanoseconds(breach.time) : life.length)
    try reducer.life.write(named: name, in: out)
    say("reduced to \(reducer.life.lines.count) lines and \(reducer.life.configuration.lines.count) keys: \(last)")
    let files = try FileManager.default.contentsOfDirectory(atPath: out).filter { $0.hasPrefix(name) }.sorted()
    for file in files { say("\(out)/\(file):\n" + (try String(contentsOfFile: "\(out)/\(file)", encoding: .utf8))) }
    say("\(last.promise.sentence)")
    say("cd \(out) && \(reducer.life.command(named: name))")
    say("metronome-fuzz --life \(out)/\(name)")
  }
}
