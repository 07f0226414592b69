import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

@Suite struct TraceTests {
  private final class Text { var bytes: [UInt8] = [] }

  private func run(_ script: String, for time: Nanoseconds, audio: Bool = true, _ sink: (Text) -> any TraceSink) throws
    -> String
  {
    let text = Text()
    var board = SimulatedBoard.Options()
    if !audio { board.audio = nil }
    let simulation = try Simulation(board: board, sinks: [sink(text)])
    simulation.board.buttons.schedule(try Script(text: Array(script.utf8), file: "test").edges(from: .zero))
    simulation.run(until: .zero + time)
    simulation.finish()
    return String(decoding: text.bytes, as: UTF8.self)
  }

  @Test func eventsAreWrittenAsJSONLines() throws {
    let lines = try run("1s press play\n1600ms press faster", for: .milliseconds(1_700)) { text in
      JSONLinesTrace { text.bytes += $0 }
    }
    #expect(
      lines == """
        {"t":0,"event":"state","playing":false,"tempo":"120 BPM","signature":"4/4","silent":false}
        {"t":0,"event":"audio","state":"locking"}
        {"t":1000000000,"event":"button","name":"play","value":1}
        {"t":1000000000,"event":"state","playing":true,"tempo":"120 BPM","signature":"4/4","silent":false}
        {"t":1024000000,"event":"line","name":"light","value":1}
        {"t":1024000000,"event":"line","name":"buzzer","value":1}
        {"t":1024000000,"event":"beat","index":0,"bar":0,"position":0,"kind":"first","parity":"even"}
        {"t":1024000000,"event":"hit","voice":0,"level":"strong","beat":0,"slot":"0"}
        {"t":1024000000,"event":"click","frame":49152.000,"kind":"first"}
        {"t":1064000000,"event":"line","name":"buzzer","value":0}
        {"t":1080000000,"event":"button","name":"play","value":0}
        {"t":1124000000,"event":"line","name":"light","value":0}
        {"t":1524000000,"event":"line","name":"light","value":1}
        {"t":1524000000,"event":"line","name":"pendulum","value":1}
        {"t":1524000000,"event":"line","name":"buzzer","value":1}
        {"t":1524000000,"event":"beat","index":1,"bar":0,"position":1,"kind":"regular","parity":"odd"}
        {"t":1524000000,"event":"hit","voice":0,"level":"weak","beat":1,"slot":"0"}
        {"t":1524000000,"event":"click","frame":73152.000,"kind":"regular"}
        {"t":1544000000,"event":"line","name":"buzzer","value":0}
        {"t":1574000000,"event":"line","name":"light","value":0}
        {"t":1600000000,"event":"button","name":"faster","value":1}
        {"t":1600000000,"event":"state","playing":true,"tempo":"121 BPM","signature":"4/4","silent":false}
        {"t":1680000000,"event":"button","name":"faster","value":0}
        {"t":1700000000,"event":"line","name":"pendulum","value":0}

        """)
  }

  @Test func eventsAreWrittenAsAValueChangeDump() throws {
    let dump = try run("5ms press play 50ms", for: .milliseconds(60), audio: false) { text in
      VCDTrace { text.bytes += $0 }
    }
    #expect(
      dump == """
        $version metronome $end
        $timescale 1 ns $end
        $scope module metronome $end
        $var wire 1 l light $end
        $var wire 1 p pendulum $end
        $var wire 1 b buzzer $end
        $var wire 1 0 button_play $end
        $var wire 1 1 button_slower $end
        $var wire 1 2 button_faster $end
        $var wire 1 3 button_numerator $end
        $var wire 1 4 button_denominator $end
        $var wire 1 5 button_tap $end
        $var wire 1 6 button_preset_next $end
        $var wire 1 7 button_preset_previous $end
        $var wire 1 8 button_preset_1 $end
        $var wire 1 9 button_preset_2 $end
        $var wire 1 : button_preset_3 $end
        $var wire 1 ; button_preset_4 $end
        $var event 1 B beat $end
        $var event 1 C click $end
        $var event 1 H hit $end
        $var event 1 M midi_clock $end
        $upscope $end
        $enddefinitions $end
        #0
        $dumpvars
        0l
        0p
        0b
        00
        01
        02
        03
        04
        05
        06
        07
        08
        09
        0:
        0;
        $end
        #5000000
        10
        #6000000
        1l
        1b
        1B
        1H
        #46000000
        0b
        #55000000
        00
        #60000000
        0l

        """)
  }

  @Test func soundFileHasItsClicksWhereTheTraceReportsThem() throws {
    let bytes = Text()
    let recording = WAVRecording(frames: 48_000 + 4_800, rate: 48_000) { bytes.bytes += $0 }
    let trace = RecordedTrace()
    var board = SimulatedBoard.Options()
    board.recording = recording
    let simulation = try Simulation(board: board, sinks: [trace])
    simulation.board.buttons.schedule(try Script(text: Array("500ms press play".utf8), file: "").edges(from: .zero))
    simulation.run(until: .zero + .milliseconds(1_100))
    simulation.finish()
    recording.finish()
    #expect(bytes.bytes.count == 44 + 2 * 52_800)
    #expect(Array(bytes.bytes[0..<4]) == Array("RIFF".utf8))
    let samples = (0..<52_800).map {
      Int16(bytes.bytes[44 + 2 * $0]) | Int16(bitPattern: UInt16(bytes.bytes[45 + 2 * $0]) << 8)
    }
    let clicks = trace.events.compactMap { event in
      if case .click(let place, _, _) = event.what { Int(place.whole) + Int(place.fraction.rounded()) } else { nil }
    }
    #expect(clicks == [25_152, 49_152])
    let peaks = clicks.map { click in
      samples[click..<click + 1_728].indices.max { samples[$0].magnitude < samples[$1].magnitude }
    }
    let voices = [Level.strong, .weak].map { ClickVoice($0, rate: 48_000).samples }
    let highest = voices.map { voice in voice.indices.max { voice[$0].magnitude < voice[$1].magnitude }! }
    #expect(peaks == zip(clicks, highest).map(+))
    // Each click is preceded by silence up to its own start.
    #expect(samples[..<25_152].allSatisfy { $0 == 0 } && samples[25_152 + 1_728..<49_152].allSatisfy { $0 == 0 })
  }
}
