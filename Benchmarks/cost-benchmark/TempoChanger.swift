import Foundation
import MetronomeCore
import MetronomeEngine
import Synchronization

/// A thread that repeatedly changes the tempo while a loop plays on another thread.
final class TempoChanger: Sendable {
  /// The time between changes, on the loop's clock.
  static let pause = Nanoseconds.milliseconds(900)
  /// How far ahead a change takes effect: the same lead as after a press.
  private static let lead = Nanoseconds.milliseconds(24)

  private let now = Atomic<Int64>(0)
  private let changes = Atomic<Int>(0)
  private let isOver = Atomic(false)

  /// Publishes the timeline, and later its changes.
  init(_ publication: TimelinePublication, _ timeline: Timeline) {
    publication.publish(timeline)
    Thread.detachNewThread { [self] in change(timeline, publication) }
  }

  /// The number of tempo changes.
  var count: Int { changes.load(ordering: .acquiring) }

  /// Sets the time of the loop's clock.
  func setTime(_ instant: Instant) { now.store(instant.nanoseconds, ordering: .releasing) }

  /// Waits until there have been more than `number` tempo changes; the next one comes ``pause`` after the last, on the loop's
  /// clock. For the loop's thread, between two steps. Yields, because both threads may share one processor.
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
