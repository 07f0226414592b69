import BoardSimulation
import Foundation
import HandLife
import HardwareAbstraction
import MetronomeCore
import StateFiles
import TestSupport
import Testing

/// The stored scores, whole after every power cut and every kill.
@Suite struct ScoreFolderTests {
  private static let tune = Array("8 120\n".utf8)

  private static func name(_ text: String) throws -> ScoreName { try #require(ScoreName(text)) }

  @Test(arguments: ["a", "Blue in Green", "_", "9 to 5", "a-b_c", String(repeating: "x", count: 60)])
  func nameIsAccepted(text: String) {
    #expect(ScoreName(text)?.description == text)
  }

  @Test(arguments: [
    "", " a", "a ", "-a", ".", "..", "a.txt", "a/b", "a\\b", "a\nb", "Für Elise", "a\u{301}", "\0", "lock:",
    String(repeating: "x", count: 61),
  ])
  func textIsNotAName(text: String) {
    #expect(ScoreName(text) == nil)
  }

  @Test func scoreThatIsTooLargeIsAnError() throws {
    let scores = ScoreFolder(SimulatedDisk())
    let bytes = [UInt8](repeating: UInt8(ascii: "#"), count: ScoreFolder.largestScore + 1)
    #expect(throws: HardwareError(.saveState, .other, detail: "the score has more than 16 MiB")) {
      try scores.add(try ScoreFolderTests.name("a"), bytes)
    }
  }

  @Test func scoresAreAddedReplacedListedAndRemoved() throws {
    let disk = SimulatedDisk()
    let scores = ScoreFolder(disk)
    let (a, b) = (try ScoreFolderTests.name("a"), try ScoreFolderTests.name("b 2"))
    try scores.add(b, [1])
    try scores.add(a, [2])
    try scores.add(b, ScoreFolderTests.tune)
    let names = try scores.names()
    let bytes = try [scores.bytes(of: a), scores.bytes(of: b)]
    #expect(names == [a, b])
    #expect(bytes == [[2], ScoreFolderTests.tune])
    #expect(disk.fileNames == ["a.txt", "b 2.txt"])
    let removed = try [scores.remove(b), scores.remove(b)]
    let rest = try scores.bytes(of: b)
    #expect(removed == [true, false])
    #expect(rest == nil && disk.fileNames == ["a.txt"])
  }

  @Test func onlyScoresAreListed() throws {
    let disk = SimulatedDisk()
    for file in ["lock", "score.new", ".txt", "a.TXT", "a..txt", "tune.txt", " b.txt", "c.txt~"] {
      try disk.write(file, [])
    }
    let names = try ScoreFolder(disk).names()
    #expect(names.map(\.description) == ["tune"])
  }

  @Test func leftoverOfAKilledProcessIsRemoved() throws {
    let disk = SimulatedDisk()
    let scores = ScoreFolder(disk)
    try disk.write("score.new", [9])
    try scores.add(ScoreFolderTests.name("a"), [1])
    #expect(disk.fileNames == ["a.txt"])
    try disk.write("score.new", [9])
    _ = try scores.remove(ScoreFolderTests.name("x"))
    #expect(disk.fileNames == ["a.txt"])
  }

  /// Cuts the power, or kills the process, at a random step of a change; 500 times in all. Each score is then as after the last
  /// completed change, or as after the change that was cut.
  @Test(arguments: 0..<UInt64(100)) func everyScoreIsWholeAfterACut(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var disk = SimulatedDisk()
    var changes = ScoreChanges(seed: seed)
    var known: [String: [UInt8]] = [:]
    for life in 0..<5 {
      let cut: SimulatedDisk.Cut = Bool.random(using: &random) ? .power : .kill
      disk.cutStep = Int.random(in: 0..<40, using: &random)
      let last = try ScoreFolderTests.change(disk, &changes, &known)
      #expect(!disk.isAlive)
      disk = disk.survivor(of: cut, using: &random)
      let found = try ScoreFolderTests.contents(of: disk)
      var changed = known
      changed[last.name] = last.bytes
      // Not within #expect, which would print the scores.
      let isWhole = found == known || found == changed
      #expect(isWhole, "life \(life), \(cut) in \(last): \(found.keys)")
      known = found
    }
  }

  /// Carries out changes until the cut. Returns the change that was cut; `known` has what the changes before have stored.
  private static func change(
    _ disk: SimulatedDisk, _ changes: inout ScoreChanges, _ known: inout [String: [UInt8]]
  ) throws -> ScoreChanges.Change {
    let scores = ScoreFolder(disk)
    while let change = changes.next() {
      let name = try ScoreFolderTests.name(change.name)
      do throws(HardwareError) {
        if let bytes = change.bytes { try scores.add(name, bytes) } else { _ = try scores.remove(name) }
      } catch {
        return change
      }
      known[change.name] = change.bytes
    }
    preconditionFailure("the changes never end")
  }

  private static func contents(of folder: any StateFolder) throws -> [String: [UInt8]] {
    let scores = ScoreFolder(folder)
    var contents: [String: [UInt8]] = [:]
    for name in try scores.names() { contents[name.description] = try scores.bytes(of: name) }
    return contents
  }

  /// A program adds and removes scores in a real folder, and is killed many times.
  @Test func everyScoreIsWholeAfterAKill() throws {
    let place = TemporaryFolder()
    var known: [String: [UInt8]] = [:]
    var cutChanges = 0
    for kill in 0..<Seeds.count(few: 20, full: 100) {
      let lines = try KillTests.runAndKill(["scores", place.path], seed: UInt64(kill), Int.random(in: 1...2_000))
      var pending: ScoreChanges.Change?
      for line in lines {
        if line == "done" {
          if let done = pending { known[done.name] = done.bytes }
          pending = nil
        } else {
          let words = line.split(separator: " ", maxSplits: 1)
          pending = ScoreChanges.Change(name: String(words[1]), number: UInt64(words[0]))
        }
      }
      let state = try FileFolder(place.path)
      let folder = try state.folder("scores", creates: false, largestFile: ScoreFolder.largestScore)
      let found = try folder.map(ScoreFolderTests.contents) ?? [:]
      var outcomes = [known]
      if let pending {
        cutChanges += 1
        outcomes.append(known)
        outcomes[1][pending.name] = pending.bytes
      }
      let isWhole = outcomes.contains(found)
      #expect(isWhole, "kill \(kill): \(String(describing: pending))")
      known = found
    }
    #expect(cutChanges > 0, "no change was cut")
  }

  @Test func largestScoreIsReadBackAndALargerOneIsRefused() throws {
    let place = TemporaryFolder()
    let state = try FileFolder(place.path)
    let missing = try state.folder("scores", creates: false, largestFile: ScoreFolder.largestScore)
    #expect(missing == nil)
    let folder = try #require(try state.folder("scores", creates: true, largestFile: ScoreFolder.largestScore))
    let scores = ScoreFolder(folder)
    let name = try ScoreFolderTests.name("a")
    let bytes = [UInt8](repeating: 7, count: ScoreFolder.largestScore)
    try scores.add(name, bytes)
    let read = try scores.bytes(of: name)
    #expect(read == bytes)
    try Data(bytes + [7]).write(to: place.url("scores/a.txt"))
    let path = place.path + "/scores"
    #expect(throws: HardwareError(.loadState, .other, errno: EFBIG, detail: "\(path): a.txt cannot be read")) {
      try scores.bytes(of: name)
    }
  }

  @Test func fileInPlaceOfTheFolderIsAnError() throws {
    let place = TemporaryFolder()
    try Data().write(to: place.url("scores"))
    let state = try FileFolder(place.path)
    let detail = "\(place.path): scores cannot be opened"
    #expect(throws: HardwareError(.loadState, .other, errno: ENOTDIR, detail: detail)) {
      _ = try state.folder("scores", creates: true, largestFile: 1)
    }
  }

  @Test(
    arguments: [
      ([0xEF, 0xBB, 0xBF, 0x31, 0x20, 0x36, 0x30], nil),
      ([0x31, 0x20, 0x36, 0x30, 0x0D, 0x0A], nil),
      ([0x31, 0x20, 0x36, 0x30, 0x0A, 0xC3, 0xA4, 0xFF], "2:2: invalid UTF-8 byte 0xFF; save the file as UTF-8"),
      ([0x31, 0x20, 0x36, 0x30, 0x0A, 0xE2, 0x82], "2:1: invalid UTF-8 byte 0xE2; save the file as UTF-8"),
    ] as [([UInt8], String?)])
  func bytesAreUTF8(bytes: [UInt8], message: String?) {
    var found: String?
    do throws(NotationError) { _ = try Score(bytes: bytes) } catch {
      found = "\(error.line):\(error.column): \(error.text)"
    }
    #expect(found == message)
  }
}
