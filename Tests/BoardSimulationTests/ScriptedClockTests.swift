import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import Testing

/// The script's words for a simulated MIDI source.
@Suite struct ScriptedClockTests {
  private func script(_ text: String) throws -> Script { try Script(text: Array(text.utf8), file: "test") }

  /// When clocks arrive.
  private func clocks(_ text: String) throws -> [Nanoseconds] {
    try script(text).inputs(from: .zero).map { $0.instant - .zero }
  }

  @Test(arguments: [
    "midi clock 120 for 10s", "midi clock 80-160 for 2m jitter 1ms", "midi clock 99.5 for 1s loss 1%",
    "midi clock 120 for 10s doubling 0.5%", "midi clock 120 for 10s jitter 250us loss 2% doubling 100%", "midi start",
    "midi continue", "midi stop", "midi position 16", "midi unplug", "midi plug",
  ])
  func linesAreReadAndWritten(line: String) throws {
    #expect(try script("2s \(line)").text == "2s \(line)\n")
  }

  private static let forms =
    "write \"midi clock 120 for 10s\", \"midi clock 80-160 for 2m jitter 1ms loss 1% doubling 1%\", \"midi start\", "
    + "\"midi continue\", \"midi stop\", \"midi position 16\", \"midi unplug\", \"midi plug\", or \"midi out 1\" and "
    + "\"unplug\", \"plug\" or \"full 300ms\""

  /// The error of a script of one line.
  private func problem(_ line: String) -> String {
    do throws(ScriptError) {
      _ = try Script(text: Array("1s \(line)".utf8), file: "test")
      return "no error"
    } catch { return error.description }
  }

  @Test(arguments: [
    "midi", "midi clock 120 for 10s loss", "midi clock 120 for 1s loss 1% loss 1%", "midi out 0 plug",
    "midi out 1 full",
  ])
  func wrongEventsAreReported(line: String) {
    #expect(problem(line) == "test:1: invalid MIDI event \"\(line)\"; \(Self.forms)")
  }

  @Test(arguments: [("loss 1", "1"), ("doubling 100.1%", "100.1%")])
  func wrongPercentagesAreReported(fault: String, percentage: String) {
    let reported = problem("midi clock 120 for 10s \(fault)")
    #expect(reported == "test:1: invalid percentage \"\(percentage)\"; write 0% to 100%")
  }

  /// 457 quarters per minute in the mean are 293.5 clocks in 1.605415 s. At this pace the source would stop before the next one.
  @Test func aSourceMaySlowDownALot() throws {
    #expect(try clocks("0s midi clock 894-20 for 1605415us").count == 294)
  }

  @Test func clocksAreLostAndDoubledAtRandom() throws {
    let all = try clocks("1s midi clock 125 for 40s")
    #expect(all.count == 2_000)
    let lossy = try clocks("1s midi clock 125 for 40s loss 10%")
    #expect(Set(lossy).isSubset(of: all))
    #expect((1_700...1_900).contains(lossy.count))
    #expect(try clocks("1s midi clock 125 for 40s loss 10%") == lossy)
    #expect(try clocks("2s midi clock 125 for 40s loss 10%").map { $0 - .seconds(1) } != lossy)
    let doubled = try clocks("1s midi clock 125 for 40s doubling 10%")
    #expect(Set(doubled) == Set(all))
    #expect((2_100...2_300).contains(doubled.count))
    #expect(try clocks("1s midi clock 125 for 1s loss 100%").isEmpty)
  }
}
