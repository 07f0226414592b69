import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeSimulation
import Testing

/// Power cuts and restarts of one box.
@Suite struct PowerTests {
  private static let silent = "audio: {device: none}\n"

  @Test func savedStateIsRestoredAfterAPowerCut() throws {
    let run = try Run(
      "1s press play\n2s press faster\n6s power cut\n9s power on\n10s press play\n", for: .seconds(11),
      configuration: PowerTests.silent)
    #expect(run.ends == ["6000 power", "9000 begins"])
    #expect(
      run.states == [
        "0 stopped 120 BPM", "1000 playing 120 BPM", "2000 playing 121 BPM", "9000 stopped 121 BPM",
        "10000 playing 121 BPM",
      ])
    #expect(!run.beats.contains { (6_000..<10_000).contains($0) })
    #expect(run.beats.contains(10_001))
  }

  @Test func linesSwitchOffWithThePower() throws {
    let run = try Run(
      "0 press play\n20ms power cut\n1s power on\n", for: .seconds(2), configuration: PowerTests.silent)
    let lines = run.json.filter { $0.contains(#""event":"line""#) && $0.contains(#""t":20000000,"#) }
    #expect(
      lines == [
        #"{"t":20000000,"event":"line","name":"light","value":0}"#,
        #"{"t":20000000,"event":"line","name":"buzzer","value":0}"#,
      ])
    #expect(run.json.contains(#"{"t":20000000,"event":"end","cause":"power"}"#))
    #expect(run.json.contains(#"{"t":1000000000,"event":"begin"}"#))
  }

  @Test func autoplayAppliesToEachStart() throws {
    let run = try Run(
      "2s press play\n3s restart\n4s press play\n7s restart\n", for: .seconds(8),
      configuration: PowerTests.silent + "autoplay: last\n")
    #expect(run.ends == ["3000 order", "3000 begins", "7000 order", "7000 begins"])
    #expect(
      run.states == [
        "0 stopped 120 BPM", "2000 playing 120 BPM", "3000 stopped 120 BPM", "3000 stopped 120 BPM",
        "3000 playing 120 BPM", "4000 stopped 120 BPM", "7000 stopped 120 BPM",
      ])
  }

  /// A change made right before the cut is on the disk or not, depending on the seed; no other state is possible.
  @Test func seedDecidesWhatTheDiskKeeps() throws {
    let script = "1s press faster\n5s press faster\n5300ms press faster\n5400ms power cut\n6s power on\n"
    let tempi = try (UInt64(0)..<24).map { seed in
      try Run(script, for: .seconds(7), configuration: PowerTests.silent, seed: seed).states.last ?? ""
    }
    #expect(Set(tempi) == ["6000 stopped 122 BPM", "6000 stopped 123 BPM"])
  }

  @Test func pressesWhileThePowerIsOffAreLost() throws {
    let run = try Run(
      "1s power cut\n2s press faster\n2500ms down slower\n3s power on\n4s up slower\n4500ms press faster\n",
      for: .seconds(5), configuration: PowerTests.silent)
    #expect(run.states == ["0 stopped 120 BPM", "3000 stopped 120 BPM", "4500 stopped 121 BPM"])
    let buttons = run.trace.events.compactMap { event -> String? in
      if case .button(let button, let isDown) = event.what {
        "\(event.time.count / 1_000_000) \(button) \(isDown)"
      } else {
        nil
      }
    }
    #expect(
      buttons == [
        "2000 faster true", "2080 faster false", "2500 slower true", "4000 slower false", "4500 faster true",
        "4580 faster false",
      ])
  }

  @Test func reloadWhileThePowerIsOffAppliesAtTheNextStart() throws {
    let run = try Run(
      "1s power cut\n2s reload fast.yaml\n3s power on\n", for: .seconds(4),
      configuration: PowerTests.silent, files: ["fast.yaml": "tempo: 200\nrestore: false\n"])
    #expect(run.states == ["0 stopped 120 BPM", "3000 stopped 200 BPM"])
    #expect(run.sounds == ["3000 locking"])
  }

  @Test func repeatedPowerEventsHaveNoEffect() throws {
    let run = try Run(
      "1s power on\n2s power cut\n3s power cut\n3s restart\n4s power on\n5s power on\n", for: .seconds(6),
      configuration: PowerTests.silent)
    #expect(run.ends == ["2000 power", "4000 begins"])
  }

  @Test(arguments: [UInt64](0..<8)) func samePlanGivesTheSameBytes(seed: UInt64) throws {
    let script = """
      0 press play
      1s card stops
      2s late beats 20ms
      3s press faster 900ms
      4s card unplug
      5s clock slews -500ppm
      6s power cut
      7s card plug
      7s power on
      8s press play
      9s card drifts +80ppm
      10s disk full
      11s press faster
      12s restart
      """
    let first = try Run(script, for: .seconds(20), seed: seed)
    let second = try Run(script, for: .seconds(20), seed: seed)
    #expect(first.json.count > 100)
    #expect(first.json == second.json)
  }

  @Test func valueChangeDumpContinuesAcrossAPowerCut() throws {
    var bytes: [UInt8] = []
    let script = try Script(
      text: Array("0 press play\n1s power cut\n2s power on\n3s press play\n".utf8), file: "script")
    let life = BoxLife(try SimulationPlan(configuration: nil, script: script), sinks: [VCDTrace { bytes += $0 }])
    life.simulation.run(until: .zero + .seconds(5))
    life.simulation.finish()
    let times = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
      line.first == "#" ? Int64(line.dropFirst()) : nil
    }
    #expect(times.last == 5_000_000_000)
    #expect(times == times.sorted())
  }

  /// The recording is as long as the simulation, and silent while the power is off.
  @Test func recordingContinuesAcrossAPowerCut() throws {
    let script = try Script(
      text: Array("0 press play\n1s power cut\n3s power on\n4s press play\n".utf8), file: "script")
    let tape = Tape()
    var options = BoxLife.Options()
    options.recording = tape
    let life = BoxLife(try SimulationPlan(configuration: nil, script: script), options, sinks: [])
    life.simulation.run(until: .zero + .seconds(6))
    life.simulation.finish()
    #expect(tape.frames.count == 6 * 48_000)
    #expect(tape.frames[..<48_000].contains { $0 != 0 })
    #expect(tape.frames[48_000..<(4 * 48_000)].allSatisfy { $0 == 0 })
    #expect(tape.frames[(4 * 48_000)...].contains { $0 != 0 })
  }
}

/// The first channel of the sound.
private final class Tape: AudioRecording {
  private(set) var frames: [Int16] = []

  func append(_ frames: UnsafeRawBufferPointer, format: AudioFormat) {
    for place in stride(from: 0, to: frames.count, by: format.bytesPerFrame) {
      self.frames.append(frames.loadUnaligned(fromByteOffset: place, as: Int16.self))
    }
  }

  func appendSilence(frames: Int64) { self.frames += repeatElement(0, count: Int(frames)) }
}
