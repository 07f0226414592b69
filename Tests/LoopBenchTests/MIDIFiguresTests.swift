import Foundation
import MetronomeCore
import Testing

@testable import metronome_bench

/// The figures of MIDI clocks that were sent and came back, and how they are printed.
@Suite struct MIDIFiguresTests {
  private static let length = Nanoseconds.milliseconds(20)

  /// Clocks every 20 ms; each left after the next of these times, in nanoseconds.
  private static func clocks(_ late: Int64...) -> [SentClock] {
    late.enumerated().map { index, late in
      let due = Instant.zero + .seconds(1) + length * Int64(index)
      return SentClock(due: due, sent: due + Nanoseconds(late))
    }
  }

  /// The figures of clocks that arrived at these times after their instants; nil: never.
  private static func figures(_ late: Int64?..., extra: [Instant] = [], unsent: Int = 0) -> MIDIFigures {
    let clocks = clocks(100, 300, 200, 700)
    let arrivals = zip(clocks, late).compactMap { clock, late in late.map { clock.due + Nanoseconds($0) } }
    return MIDIFigures(clocks, unsent: unsent, arrivals: arrivals + extra, clockLength: length)
  }

  @Test func quantilesAreThoseOfTheSortedTimes() {
    #expect(Spread([]) == nil)
    let times = (1...200).reversed().map { Nanoseconds(Int64($0)) }
    let spread = Spread(times)
    #expect(spread?.min == Nanoseconds(1))
    #expect(spread?.p50 == Nanoseconds(100))
    #expect(spread?.p99 == Nanoseconds(198))
    #expect(spread?.max == Nanoseconds(200))
    let single = Spread([Nanoseconds(7)])
    #expect(single?.p50 == Nanoseconds(7) && single?.p99 == Nanoseconds(7))
  }

  @Test func latenessAndJitterAreThoseOfTheirClocks() {
    let figures = MIDIFiguresTests.figures(1_000, 5_000, 2_000, 3_000)
    #expect(figures.isComplete)
    #expect(figures.sent == 4 && figures.received == 4)
    #expect(figures.sending == Spread([100, 200, 300, 700].map(Nanoseconds.init)))
    #expect(figures.arrival == Spread([1_000, 2_000, 3_000, 5_000].map(Nanoseconds.init)))
    #expect(figures.jitter == Nanoseconds(4_000))
  }

  @Test func aClockOfASerialPortMayArriveBeforeItsInstant() {
    let figures = MIDIFiguresTests.figures(-320_000, -310_000, -4_999_999, 0)
    #expect(figures.isComplete)
    #expect(figures.arrival?.min == Nanoseconds(-4_999_999))
    #expect(figures.jitter == Nanoseconds(4_999_999))
  }

  @Test func lostAndDoubledClocksAreCounted() {
    let lost = MIDIFiguresTests.figures(1_000, nil, 2_000, nil)
    #expect(lost.lost == 2 && lost.doubled == 0 && !lost.isComplete)
    #expect(lost.arrival?.max == Nanoseconds(2_000))
    let again = MIDIFiguresTests.clocks(0, 0, 0)[2].due + Nanoseconds(9_000)
    let doubled = MIDIFiguresTests.figures(1_000, 2_000, 3_000, 4_000, extra: [again])
    #expect(doubled.lost == 0 && doubled.doubled == 1 && !doubled.isComplete)
    #expect(doubled.arrival?.max == Nanoseconds(4_000))
    let early = MIDIFiguresTests.figures(1_000, 2_000, 3_000, 4_000, extra: [.zero])
    #expect(early.doubled == 1)
    #expect(!MIDIFiguresTests.figures(0, 0, 0, 0, unsent: 1).isComplete)
  }

  @Test func nothingReceivedHasNoArrival() {
    let figures = MIDIFiguresTests.figures(nil, nil, nil, nil)
    #expect(figures.lost == 4 && figures.arrival == nil && figures.jitter == nil)
  }

  private static let result = MIDIResult(
    machine: "Linux 6.1, 2 processors, priority 78", output: "UMONE", input: "hw:CARD=Other,DEV=0", tempo: .initial,
    length: .seconds(90), figures: figures(1_000, nil, 2_500, 3_000, extra: [.zero], unsent: 2),
    notices: ["a notice"])

  @Test func resultIsPrintedAsATable() {
    #expect(
      MIDIFiguresTests.result.table == """
        Linux 6.1, 2 processors, priority 78
        MIDI clock at 120 BPM for 90s from UMONE to hw:CARD=Other,DEV=0
        4 clocks sent, 4 received; 1 lost, 1 doubled, 2 not sent in time

        lateness, µs         min        p50        p99        max
        sent               0.100      0.200      0.700      0.700
        received           1.000      2.500      3.000      3.000

        peak-to-peak jitter of the received clocks, µs: 2.000

        a notice

        """)
  }

  @Test func resultEncodesAsJSON() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let text = String(decoding: try encoder.encode(MIDIJSON(MIDIFiguresTests.result)), as: UTF8.self)
    #expect(
      text == """
        {"arrival":{"max_us":3,"min_us":1,"p50_us":2.5,"p99_us":3},"bpm":120,"clocks_doubled":1,"clocks_lost":1,\
        "clocks_received":4,"clocks_sent":4,"clocks_unsent":2,"input":"hw:CARD=Other,DEV=0","jitter_us":2,\
        "machine":"Linux 6.1, 2 processors, priority 78","notices":["a notice"],"output":"UMONE","seconds":90,\
        "sending":{"max_us":0.7,"min_us":0.1,"p50_us":0.2,"p99_us":0.7},"version":1}
        """)
  }

  @Test func clocksAre24PerQuarter() {
    #expect(MIDIBench.clockLength(Tempo(bpm: 125)!) == .milliseconds(20))
  }
}
