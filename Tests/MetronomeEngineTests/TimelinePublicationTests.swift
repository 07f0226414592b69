import MetronomeCore
import MetronomeEngine
import Testing

@Suite struct TimelinePublicationTests {
  private func timeline(_ number: Int) -> Timeline {
    Timeline(
      session: UInt32(number), firstBeat: Instant(nanoseconds: Int64(number)),
      tempo: Tempo(milliBPM: 1_000 + number % 998_000)!, signature: .initial)
  }

  @Test func theNewestIsReadOnce() {
    let publication = TimelinePublication()
    var copy = timeline(9)
    var seen: UInt64 = 0
    #expect(publication.read(into: &copy, seen: &seen))
    #expect(copy == .stopped)
    #expect(!publication.read(into: &copy, seen: &seen))
    for number in 1...10 { publication.publish(timeline(number)) }
    #expect(publication.read(into: &copy, seen: &seen))
    #expect(copy == timeline(10))
    #expect(!publication.read(into: &copy, seen: &seen))
  }

  @Test func aReaderNeverSeesHalfATimeline() async {
    let publication = TimelinePublication()
    let last: UInt32 = 20_000
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 1...Int(last) { publication.publish(self.timeline(number)) }
      }
      group.addTask {
        var copy = Timeline.stopped
        var seen: UInt64 = 0
        while copy.session < last {
          let session = copy.session
          guard publication.read(into: &copy, seen: &seen), copy.isPlaying else { continue }
          #expect(copy == self.timeline(Int(copy.session)))
          #expect(copy.session > session)
        }
      }
    }
  }
}
