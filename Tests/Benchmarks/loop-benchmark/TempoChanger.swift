import Foundation
import MetronomeCore
import MetronomeEngine
import Synchronization

/// A thread that changes the tempo again and again, while a loop plays on another one.
final class TempoChanger: Sendable {
  /// From one change to the next, on the loop's clock.
  static let pause = Nanoseconds.milliseconds(900)
  /// How far ahead a change is: as much as a press leaves the outputs.
  private static let lead = Nanoseconds.milliseconds(24)

  private let now = Atomic<Int64>(0)
  private let changes = Atomic<Int>(0)
  private let isOver = Atomic(false)

  /// Publishes the timeline, and from then on its changes.
  init(_ publication: TimelinePublication, _ timeline: Timeline) {
    publication.publish(timeline)
    Thread.detachNewThread { [self] in change(timeline, publication) }
  }

  /// How often the tempo was changed.
  var count: Int { changes.load(ordering: .acquiring) }

  /// Tells what the loop's clock shows.
  func tell(_ instant: Instant) { now.store(instant.nanoseconds, ordering: .releasing) }

  /// Waits until the tempo has been changed more often than so often, which takes more than ``pause`` on the loop's clock
  /// since it was so often. For the loop's thread, between two steps: it may be alone on its processor.
  func wait(for number: Int) { while count <= number { sched_yield() } }

  func end() { isOver.store(true, ordering: .relaxed) }

  private func change(_ first: Timeline, _ publication: TimelinePublication) {
    var timeline = first
    var next = Instant.zero
    while !isOver.load(ordering: .relaxed) {
      let now = Instant(nanoseconds: now.load(ordering: .acquiring))
      guard now >= next, timeline.hasRoom(at: now) else {
        sched_yield()
        continue
      }
      let number = count + 1
      let tempo = Tempo(clampingMilliBPM: 60_000 + number % 240 * 1_000 + number % 7 * 100)
      timeline = timeline.changed(to: tempo, .initial, from: now + TempoChanger.lead, now: now)
      publication.publish(timeline)
      next = now + TempoChanger.pause
      changes.store(number, ordering: .releasing)
    }
  }
}
