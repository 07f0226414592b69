import Foundation
import HandLife
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import StateFiles
import TestSupport
import Testing

/// A box in busy hands that remembers in a real folder, killed again and again.
@Suite struct KillTests {
  /// `STATE_KILLS` in the environment asks for more of them.
  private static let kills =
    Int(ProcessInfo.processInfo.environment["STATE_KILLS"] ?? "") ?? Seeds.count(few: 50, full: 100)
  private static let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appendingPathComponent("state-life")

  @Test func whatIsRestoredWasInForceAMomentAgo() throws {
    let place = TemporaryFolder()
    var before = SavedState()
    var saves = 0
    for kill in 0..<KillTests.kills {
      let moments = try live(in: place.path, seed: UInt64(kill))
      let archive = StateArchive(try FileFolder(place.path))
      let findings = archive.load()
      let restored = findings.savedState ?? before
      #expect(findings.losses == [])
      let end = try #require(moments.last).instant
      let age = ([HandLife.Moment(.zero, before)] + moments).age(of: restored, at: end)
      let longest = Nanoseconds.seconds(2) + HandLife.latest
      #expect(age.map { $0 <= longest } == true, "kill \(kill): \(String(describing: age?.count)) ns old")
      if restored != before { saves += 1 }
      before = restored
    }
    #expect(saves * 2 > KillTests.kills, "most of them got as far as to save")
  }

  /// Lets it live until it has said something a random number of times.
  private func live(in folder: String, seed: UInt64) throws -> [HandLife.Moment] {
    let (process, output) = (Process(), Pipe())
    process.executableURL = KillTests.program
    process.arguments = [folder, String(seed)]
    // Built for coverage it would write a file of that, and perhaps half of it.
    process.environment = ProcessInfo.processInfo.environment.merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
    process.standardOutput = output
    try process.run()
    var said = Data()
    let enough = Int.random(in: 1...20_000)
    while said.count < enough {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      said += more
    }
    kill(process.processIdentifier, SIGKILL)
    said += output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let whole = said.prefix(through: try #require(said.lastIndex(of: UInt8(ascii: "\n"))))
    return try String(decoding: whole, as: UTF8.self).split(separator: "\n").map(KillTests.moment)
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
