import Foundation
import HandLife
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import StateFiles
import TestSupport
import Testing

/// A simulated box under random presses saves in a real folder, and is killed many times.
@Suite struct KillTests {
  /// The number of kills. The environment variable `STATE_KILLS` overrides it.
  private static let kills =
    Int(ProcessInfo.processInfo.environment["STATE_KILLS"] ?? "") ?? Seeds.count(few: 50, full: 100)
  private static let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appendingPathComponent("state-life")

  @Test func restoredStateIsOnlySecondsOld() throws {
    let place = TemporaryFolder()
    var before = SavedState()
    var saves = 0
    var (volumes, rhythms, presets) = (0, 0, 0)
    for kill in 0..<KillTests.kills {
      let moments = try runAndKill(in: place.path, seed: UInt64(kill))
      let archive = StateArchive(try FileFolder(place.path))
      let findings = archive.load()
      let restored = findings.savedState ?? before
      #expect(findings.unusable == [])
      let end = try #require(moments.last).instant
      let age = ([HandLife.Moment(.zero, before)] + moments).age(of: restored, at: end)
      let longest = Nanoseconds.seconds(2) + HandLife.latest
      #expect(age.map { $0 <= longest } == true, "kill \(kill): \(String(describing: age?.count)) ns old")
      if restored != before { saves += 1 }
      if restored.volume != before.volume { volumes += 1 }
      if restored.rhythm != before.rhythm || restored.signature.groups != before.signature.groups { rhythms += 1 }
      if restored.presets.presets.contains(where: { $0.rhythm != Rhythm() || $0.signature.hasGroups }) { presets += 1 }
      before = restored
    }
    #expect(saves * 2 > KillTests.kills, "only \(saves) of \(KillTests.kills) processes saved before they were killed")
    // Otherwise the kills tested only the contents of version 1.
    #expect(volumes * 4 > KillTests.kills, "\(volumes) restored volumes were new")
    #expect(rhythms * 4 > KillTests.kills, "\(rhythms) restored rhythms were new")
    #expect(presets * 4 > KillTests.kills, "\(presets) restored lists had a preset with a rhythm")
  }

  /// Runs the box until it has printed a random number of bytes, then kills it. Returns the printed moments.
  private func runAndKill(in folder: String, seed: UInt64) throws -> [HandLife.Moment] {
    try KillTests.runAndKill(["state", folder], seed: seed, Int.random(in: 1...20_000)).map(KillTests.moment)
  }

  /// Runs the program until it has printed this number of bytes, then kills it. Returns the printed lines. `words`: what is
  /// written, and the folder.
  static func runAndKill(_ words: [String], seed: UInt64, _ limit: Int) throws -> [Substring] {
    let (process, output) = (Process(), Pipe())
    process.executableURL = KillTests.program
    process.arguments = words + [String(seed)]
    // A program built for coverage must not leave a half-written profile.
    process.environment = ProcessInfo.processInfo.environment.merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
    process.standardOutput = output
    try process.run()
    var printed = Data()
    while printed.count < limit {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      printed += more
    }
    kill(process.processIdentifier, SIGKILL)
    printed += output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let complete = printed.prefix(through: try #require(printed.lastIndex(of: UInt8(ascii: "\n"))))
    return String(decoding: complete, as: UTF8.self).split(separator: "\n")
  }

  private static func moment(_ line: Substring) throws -> HandLife.Moment {
    let words = line.split(separator: " ")
    let digits = Array(words[1].utf8)
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16)
    }
    let time = try #require(Int64(words[0]))
    return HandLife.Moment(Instant(nanoseconds: time), try StateFile(bytes).savedState)
  }
}
