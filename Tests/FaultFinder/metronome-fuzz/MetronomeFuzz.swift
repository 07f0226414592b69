import ArgumentParser
import FaultFinder
import Foundation
import MetronomeCore

@main
struct MetronomeFuzz: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metronome-fuzz",
    abstract: "Look for a life of the box in which it breaks a promise.",
    discussion: """
      Each life is drawn from a number: configurations, what hands do, what befalls card, clock, disk, chip and power. It is \
      lived in virtual time, and after every step each promise is checked; Documentation/Promises.md lists them. The first \
      life in which one is broken is made as short as it goes, written into a folder, and shown with the command that \
      replays it.
      """)

  @Option(help: ArgumentHelp("The first life's number; without it one is taken from the clock.", valueName: "number"))
  var seed: UInt64?

  @Option(name: .customLong("for"), help: ArgumentHelp("Look for so long.", valueName: "duration"))
  var length = "60s"

  @Option(help: ArgumentHelp("How many lives are lived at a time.", valueName: "number"))
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  @Option(help: ArgumentHelp("Where a life that breaks a promise is written.", valueName: "folder"))
  var out = "found-lives"

  @Option(
    help: ArgumentHelp("Only live this one life, of which NAME.yaml and NAME.script are given.", valueName: "path"))
  var life: String?

  @Flag(help: "Leave the life that breaks a promise as long as it is.")
  var findOnly = false

  @Flag(help: "Only live the one life of --seed.")
  var once = false

  @Flag(help: ArgumentHelp(visibility: .hidden))
  var judge = false

  func run() throws {
    if judge { return try Judge.serve() }
    if let life {
      let path = URL(fileURLWithPath: life)
      return try judgeOnce("life \(path.deletingLastPathComponent().path) \(path.lastPathComponent) digest")
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
    let first = seed ?? UInt64(Date().timeIntervalSince1970)
    let campaign = Campaign(first: first, jobs: max(1, jobs), seconds: Double(length.count) / 1e9)
    guard let (seed, breach) = try campaign.run() else { return }
    say("seed \(seed): \(breach)")
    if !findOnly { try reduce(Life(seed: seed), breach, named: "seed-\(seed)") }
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

  /// Makes the life as short as it goes, and shows it.
  private func reduce(_ life: Life, _ breach: Breach, named name: String) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("metronome-fuzz-\(getpid())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let judge = Judge()
    var last = breach
    var reducer = Reducer(life) { attempt in
      guard (try? attempt.write(named: "attempt", in: folder)) != nil,
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
