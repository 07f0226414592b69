import BoardSimulation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import Testing

/// The MIDI file that a simulation writes: its bytes, and the instants and bars in it, as an independent reader here computes them.
@Suite struct MIDITraceTests {
  /// What a simulation writes for some commands at times in milliseconds.
  private func file(
    _ settings: Settings, ports: [MIDIOutputRequest] = [], whenStopped: Bool = false,
    _ commands: [(Int64, Command)] = [(0, .start)], for milliseconds: Int64, also sink: RecordedTrace = RecordedTrace()
  ) throws -> [UInt8] {
    var board = SimulatedBoard.Options()
    board.audio = nil
    board.midi = ports
    var options = EngineOptions(settings: settings)
    options.midi = ports
    options.clockWhenStopped = whenStopped
    var bytes: [UInt8] = []
    let simulation = try Simulation(
      options, board: board, sinks: [sink, MIDITrace(ports: ports) { bytes += Array($0) }])
    for (time, command) in commands {
      simulation.run(until: .zero + .milliseconds(time))
      simulation.perform(command)
    }
    simulation.run(until: .zero + .milliseconds(milliseconds))
    simulation.finish()
    return bytes
  }

  private func settings(_ bpm: String, _ signature: String = "4/4", _ rhythm: String = "") throws -> Settings {
    let signature = try #require(Signature(text: signature))
    return Settings(
      Music(
        tempo: try #require(Tempo(decimal: bpm)), signature: signature,
        rhythm: rhythm.isEmpty ? Rhythm() : try Rhythm(text: rhythm, for: Metre(signature))))
  }

  /// An event: its tick, and its bytes without the length of a meta event.
  struct Event: Equatable {
    var tick: Int
    var bytes: [UInt8]
  }

  /// A reader of format 1 that knows no running status, because the file has none.
  struct Reader {
    private var bytes: ArraySlice<UInt8>
    private(set) var tracks: [[Event]] = []

    init(_ file: [UInt8]) throws {
      bytes = file[...]
      try #require(take(14) == Array("MThd".utf8) + [0, 0, 0, 6, 0, 1, 0, file[11], 0x76, 0x20])
      for _ in 0..<file[11] {
        try #require(take(4) == Array("MTrk".utf8))
        let length = take(4).reduce(0) { $0 << 8 | Int($1) }
        let end = bytes.startIndex + length
        var (tick, events) = (0, [Event]())
        while bytes.startIndex < end {
          tick += number()
          let status = take(1)
          if status == [0xFF] {
            let type = take(1)
            events.append(Event(tick: tick, bytes: status + type + take(number())))
          } else {
            events.append(Event(tick: tick, bytes: status + take(2)))
          }
        }
        try #require(bytes.startIndex == end && events.last?.bytes == [0xFF, 0x2F])
        tracks.append(events)
      }
      try #require(bytes.isEmpty)
    }

    private mutating func take(_ count: Int) -> [UInt8] {
      defer { bytes = bytes.dropFirst(count) }
      return Array(bytes.prefix(count))
    }

    private mutating func number() -> Int {
      var value = 0
      while true {
        let byte = take(1).first ?? 0
        value = value << 7 | Int(byte & 0x7F)
        if byte < 0x80 { return value }
      }
    }

    /// The time of a tick in nanoseconds, from the tempi of the first track.
    func time(ofTick tick: Int) -> Double {
      var (last, tempo, time) = (0, 500_000, 0.0)
      for event in tracks[0] where event.bytes.prefix(2) == [0xFF, 0x51] && event.tick <= tick {
        time += Double(event.tick - last) * Double(tempo) / 30.24
        (last, tempo) = (event.tick, event.bytes.dropFirst(2).reduce(0) { $0 << 8 | Int($1) })
      }
      return time + Double(tick - last) * Double(tempo) / 30.24
    }

    var zero: Int? { tracks[0].first { $0.bytes.prefix(2) == [0xFF, 0x01] }?.tick }
  }

  @Test func theBytesOfABeat() throws {
    let bytes = try file(settings("120", "2/4"), ports: [MIDIOutputRequest(.named("P"), notes: MIDINotes())], for: 24)
    // A bar of one second goes ahead of the first beat at 3 ms; so time 0 is 997 ms after the beginning: 60,299 ticks.
    let first: [UInt8] = [
      0, 0xFF, 0x03, 9, 0x6D, 0x65, 0x74, 0x72, 0x6F, 0x6E, 0x6F, 0x6D, 0x65,  // metronome
      0, 0xFF, 0x58, 4, 2, 2, 24, 8,
      0, 0xFF, 0x51, 3, 0x07, 0xA1, 0x20,
      0x83, 0xD7, 0x0B, 0xFF, 0x01, 24,
    ]
    let words = Array("time 0 of the simulation".utf8)
    // 24 ms: 1,451 ticks later.
    let end: [UInt8] = [0x8B, 0x2B, 0xFF, 0x2F, 0]
    let port: [UInt8] = [
      0, 0xFF, 0x03, 1, 0x50,
      0x83, 0xD7, 0x47, 0xFF, 0x7F, 5, 0x7D, 0xF2, 0, 0, 0xFA,  // 1 ms
      0x79, 0xFF, 0x7F, 2, 0x7D, 0xF8,  // 3 ms
      0, 0x99, 0x4C, 0x7F,
      0x89, 0x3A, 0x89, 0x4C, 0,  // 23 ms
      0x32, 0xFF, 0x7F, 2, 0x7D, 0xF8,  // 23.8 ms
      0x0A, 0xFF, 0x2F, 0,
    ]
    var wanted = Array("MThd".utf8) + [0, 0, 0, 6, 0, 1, 0, 2, 0x76, 0x20]
    wanted += Array("MTrk".utf8) + [0, 0, 0, UInt8(first.count + words.count + end.count)] + first + words + end
    wanted += Array("MTrk".utf8) + [0, 0, 0, UInt8(port.count)] + port
    #expect(bytes == wanted)
  }

  /// Every message is at the tick next to its instant, whatever the tempo does.
  @Test(arguments: ["133.7 4/4 sub=3", "61.333 2+2+3/8 ", "240 3/2 ", "20 5/32 sub=2"])
  func instantsAndBarsSurvive(music: String) throws {
    let words = music.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let ports = [
      MIDIOutputRequest(.named("a"), latency: .microseconds(-1_234), notes: MIDINotes()),
      MIDIOutputRequest(.named("b")),
    ]
    let trace = RecordedTrace()
    let settings = try settings(words[0], words[1], words[2])
    let bytes = try file(
      settings, ports: ports, whenStopped: true,
      [(1_300, .start), (20_000, .setTempo(Tempo(clampingMilliBPM: 97_300))), (31_000, .stop), (47_700, .start)],
      for: 60_000, also: trace)
    let reader = try Reader(bytes)
    let zero = reader.time(ofTick: try #require(reader.zero))
    for port in 0..<2 {
      let sent = trace.events.compactMap { event -> (Int64, [UInt8])? in
        guard case .midi(let message, port) = event.what else { return nil }
        let bytes = (0..<message.count).map { message[$0] }
        return (event.time.count, bytes[0] < 0xF0 ? bytes : [0xFF, 0x7F, 0x7D] + bytes)
      }
      let read = reader.tracks[port + 1].dropFirst().dropLast()
      #expect(sent.map { $0.1 } == read.map(\.bytes))
      #expect(sent.count > 100)
      var furthest = 0.0
      for ((time, _), event) in zip(sent, read) {
        furthest = max(furthest, abs(reader.time(ofTick: event.tick) - zero - Double(time)))
      }
      // Half a tick, and half a tick of the text; the pause may be slower by half.
      let slowest = min(try #require(Double(words[0])), 97.3)
      #expect(furthest <= 60e9 / slowest / 30_240 * 1.5)
    }
  }

  @Test func eachBeatIsAtAWholeBeatOfTheFile() throws {
    let trace = RecordedTrace()
    let ports = [MIDIOutputRequest(.named("a"), notes: MIDINotes())]
    let bytes = try file(
      settings("133.7", "3/4"), ports: ports,
      [(1_300, .start), (20_000, .setTempo(Tempo(clampingMilliBPM: 97_300))), (31_000, .stop), (47_700, .start)],
      for: 60_000, also: trace)
    let reader = try Reader(bytes)
    let notes = reader.tracks[1].filter { $0.bytes[0] == 0x99 }
    #expect(notes.count == 80)
    #expect(notes.allSatisfy { $0.tick % 30_240 == 0 })
    // Strong beats begin bars of three quarters.
    #expect(notes.allSatisfy { ($0.bytes[1] == 76) == ($0.tick % 90_720 == 0) })
    // A change of the tempo that is not a whole number of µs needs few events.
    #expect(reader.tracks[0].count < 30)
  }

  @Test func withoutPortsTheHitsAreNotes() throws {
    let bytes = try file(
      settings("120", "2/4", "X. & 3:2"), [(0, .start), (2_500, .toggleSilence)], for: 5_000)
    let reader = try Reader(bytes)
    #expect(reader.tracks[1].first?.bytes == [0xFF, 0x03] + Array("hits".utf8))
    let notes = reader.tracks[1].dropFirst().dropLast().prefix(8)
    #expect(
      Array(notes) == [
        Event(tick: 60_480, bytes: [0x99, 76, 127]), Event(tick: 60_480, bytes: [0x99, 56, 127]),
        Event(tick: 61_690, bytes: [0x89, 76, 0]), Event(tick: 61_690, bytes: [0x89, 56, 0]),
        Event(tick: 80_640, bytes: [0x99, 56, 80]), Event(tick: 81_850, bytes: [0x89, 56, 0]),
        Event(tick: 100_800, bytes: [0x99, 56, 80]), Event(tick: 102_010, bytes: [0x89, 56, 0]),
      ])
    // Four hits in a bar, and three in the bar in which silent mode begins.
    #expect(reader.tracks[1].filter { $0.bytes[0] == 0x99 }.count == 11)
  }

  @Test func theProjectsOwnImportReadsIt() throws {
    let bytes = try file(settings("125", "3/4"), [(500, .start)], for: 9_000)
    let read = try MIDIFile(bytes)
    #expect(read.ticksPerQuarter == 30_240 && read.name == "metronome")
    #expect(read.signatures.map { "\($0.tick) \($0.numerator) \($0.power)" } == ["0 3 2"])
    #expect(read.tempi.map { "\($0.tick) \($0.microsecondsPerQuarter)" } == ["0 480000"])
  }

  /// Three voices, of which two have the cowbell: one note for both, with the higher velocity.
  @Test(arguments: [true, false])
  func notesOfOneKeyAtOneTickAreOne(hasPort: Bool) throws {
    let ports = hasPort ? [MIDIOutputRequest(.named("P"), notes: MIDINotes())] : []
    let bytes = try file(settings("120", "4/4", "& x... & X..."), ports: ports, for: 7_900)
    let notes = try Reader(bytes).tracks[1].filter {
      ([0x99, 0x89] as [UInt8]).contains($0.bytes[0]) && $0.bytes[1] == 56
    }
    // Four bars, the first after one of lead-in.
    let starts = (1...4).map { $0 * 120_960 }
    #expect(notes.filter { $0.bytes[0] == 0x99 } == starts.map { Event(tick: $0, bytes: [0x99, 56, 127]) })
    #expect(notes.map(\.bytes[0]) == [0x99, 0x89, 0x99, 0x89, 0x99, 0x89, 0x99, 0x89])
  }

  /// 1 BPM: a beat lasts four quarters of 15 s, and a bar four bars.
  @Test(arguments: [
    ("1", "4/4", 15_000_000, "4"), ("4", "3/16", 15_000_000, "4"), ("3.6", "2/4", 16_666_667, "16666667us  # 3.6 BPM"),
  ])
  func aSlowBeatLastsSeveralQuarters(bpm: String, signature: String, tempo: Int, imported: String) throws {
    let trace = RecordedTrace()
    let ports = [MIDIOutputRequest(.named("a"), notes: MIDINotes())]
    let bytes = try file(settings(bpm, signature), ports: ports, [(500, .start)], for: 600_000, also: trace)
    let reader = try Reader(bytes)
    let tempi = reader.tracks[0].filter { $0.bytes.prefix(2) == [0xFF, 0x51] }
    #expect(tempi.map { $0.bytes.dropFirst(2).reduce(0) { $0 << 8 | Int($1) } } == [tempo])
    #expect(reader.tracks[0].count { $0.bytes.prefix(2) == [0xFF, 0x58] } == 1)
    let notes = reader.tracks[1].filter { $0.bytes[0] == 0x99 }
    let unit = 4 * 30_240 / (signature.hasSuffix("16") ? 16 : 4)
    let strong = notes.filter { $0.bytes[1] == 76 }
    #expect(strong.count > 1 && notes.allSatisfy { $0.tick % unit == 0 })
    let beats = try #require(Int(signature.prefix(1)))
    #expect(strong.allSatisfy { $0.tick % (beats * unit) == 0 })
    let score = try MIDIFile(bytes).score()
    #expect(score.notes == [] && score.text.hasSuffix(" \(signature) \(imported)\n"))
  }

  /// 999 whole notes per minute. The import is as fast as a score can be.
  @Test func fastBeatsAreClampedByTheImportOnly() throws {
    var settings = try settings("999", "2/1")
    settings.unit = try #require(BeatUnit(1, over: 1))
    let bytes = try file(settings, [(500, .start)], for: 3_000)
    #expect(try Reader(bytes).tracks[0].contains { $0.bytes == [0xFF, 0x51, 0, 0x3A, 0xA7] })
    let score = try MIDIFile(bytes).score()
    #expect(score.text.contains(" 2/1 60061us  # 998.984 BPM\n"))
    #expect(score.notes.first?.hasSuffix("µs per quarter is 60061 µs (999 BPM) here") == true)
  }

  /// A distance between events has at most 28 bits: 74 minutes at 120 BPM.
  @Test func longSilenceIsADistanceThatProgramsRead() throws {
    let reader = try Reader(try file(settings("120"), [(4_600_000, .start)], for: 4_602_000))
    for track in reader.tracks {
      #expect(zip(track, track.dropFirst()).allSatisfy { $1.tick - $0.tick < 1 << 28 })
    }
    #expect(reader.tracks[1].filter { $0.bytes[0] == 0x99 }.count == 4)
  }

  @Test func anEmptySimulationIsAFile() throws {
    let reader = try Reader(try file(settings("120"), [], for: 1_000))
    #expect(reader.tracks.count == 2 && reader.tracks[1].map(\.tick) == [0, 60_480])
  }
}
