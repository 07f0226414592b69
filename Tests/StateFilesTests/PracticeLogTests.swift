import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import Testing

@testable import StateFiles

@Suite struct PracticeLogTests {
  private func record(_ what: String) -> PracticeRecord {
    PracticeRecord(
      start: .zero + .seconds(100), played: .seconds(754), bars: 340, lowest: Tempo(bpm: 80)!,
      highest: Tempo(bpm: 120)!, what: what)
  }

  private func text(_ disk: SimulatedDisk) throws -> String {
    String(decoding: try disk.read(PracticeLog.name) ?? [], as: UTF8.self)
  }

  @Test func linesAreAppended() throws {
    let disk = SimulatedDisk()
    let log = PracticeLog(disk)
    // 2026-11-23 20:15:00 UTC is 1,795,464,900 s after 1970; the start was 900 s earlier.
    log.append([record("4/4")], at: .zero + .seconds(1_000), wallClock: 1_795_464_900)
    log.append([record("3/4, gap 2/2")], at: .zero + .seconds(1_000), wallClock: 1_795_464_900)
    let expected = """
      2026-11-23T20:00:00Z  754 s  340 bars  80 to 120 BPM  4/4
      2026-11-23T20:00:00Z  754 s  340 bars  80 to 120 BPM  3/4, gap 2/2

      """
    #expect(try text(disk) == expected)
  }

  @Test func fullFileIsRenamed() throws {
    let disk = SimulatedDisk()
    let log = PracticeLog(disk)
    let long = String(repeating: "x", count: 1_000)
    for _ in 0..<600 { log.append([record(long)], at: .zero, wallClock: 0) }
    #expect(disk.fileNames == ["practice.log", "practice.log.1"])
    #expect(try text(disk).utf8.count < 131_072)
    let lines = try text(disk).split(separator: "\n").count
    let older = try #require(try disk.read("practice.log.1")).split(separator: UInt8(ascii: "\n")).count
    #expect(lines + older == 600)
  }

  @Test func textOfAnyLengthHasRoomInTheFile() throws {
    let place = TemporaryFolder()
    let folder = try FileFolder(place.path)
    let long = String(repeating: "🥁", count: 100_000)
    PracticeLog(folder).append(Array(repeating: record(long), count: 200), at: .zero, wallClock: 0)
    let bytes = try #require(try folder.read(PracticeLog.name))
    #expect(bytes.count > 100_000 && bytes.split(separator: UInt8(ascii: "\n")).count == 100)
  }

  @Test func powerCutLeavesWholeLines() throws {
    var random = SeededRandom(seed: 1)
    for cut in 0..<12 {
      let disk = SimulatedDisk()
      let log = PracticeLog(disk)
      log.append([record("first")], at: .zero, wallClock: 0)
      disk.cutStep = disk.steps + cut
      log.append([record("second")], at: .zero, wallClock: 0)
      disk.recover(from: .power, using: &random)
      let lines = try text(disk).split(separator: "\n").map { String($0.split(separator: " ").last ?? "") }
      #expect(lines == ["first"] || lines == ["first", "second"])
    }
  }
}
