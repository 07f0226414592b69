import CLinux
import Glibc
import MetronomeCore
import Synchronization

/// Reads a serial MIDI port on a real-time thread, which stamps the bytes when they arrive.
///
/// The kernel stamps no byte of a serial port, so the instants are as exact as the wake-up of this thread. Another thread takes the
/// bytes, however late: they wait in a ring. The thread neither allocates nor blocks, except for the next byte.
package final class SerialReader {
  /// Readable when bytes have arrived or the port was lost.
  package var descriptor: Int32 { shared.arrival.descriptor }

  private let shared: Shared
  private let thread: RealTimeThread

  /// What both threads use.
  private final class Shared: Sendable {
    let ring = StampedRing()
    let arrival: EventDescriptor
    let end: EventDescriptor
    let isOver = Atomic(false)
    let isLost = Atomic(false)

    init() throws(SystemError) {
      arrival = try EventDescriptor()
      end = try EventDescriptor()
    }
  }

  /// Starts the thread.
  ///
  /// - Parameter serial: an open port that does not block. It must stay open until ``stop()``.
  package init(_ serial: Int32) throws(SystemError) {
    let shared = try Shared()
    self.shared = shared
    thread = try RealTimeThread(name: "midi in", priority: RealTimeThread.serialPriority) {
      SerialReader.run(serial, shared)
    }
  }

  /// Ends the thread. Must be called once, before the port is closed.
  package func stop() {
    shared.isOver.store(true, ordering: .releasing)
    shared.end.ring()
    thread.join()
  }

  /// Passes the bytes that have arrived to `receive`, in order, with instants that never decrease. One thread only.
  ///
  /// - Returns: whether the port is still there.
  package func read(_ receive: (StampedByte) -> Void) -> Bool {
    shared.arrival.clear()
    // Read the flag first: bytes that arrived before the loss are already in the ring.
    let isLost = shared.isLost.load(ordering: .acquiring)
    while let byte = shared.ring.take() { receive(byte) }
    return !isLost
  }

  /// The number of bytes that were discarded so far because nobody took them. Any thread.
  package var overflows: UInt64 { shared.ring.overflows }

  /// The body of the thread.
  private static func run(_ serial: Int32, _ shared: Shared) {
    let clock = LinuxClock()
    var last = Instant(nanoseconds: .min)
    withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 2) { entries in
      entries.initializeElement(at: 0, to: pollfd(fd: serial, events: Int16(POLLIN), revents: 0))
      entries.initializeElement(at: 1, to: pollfd(fd: shared.end.descriptor, events: Int16(POLLIN), revents: 0))
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { bytes in
        while !shared.isOver.load(ordering: .acquiring) {
          guard clinux_poll(entries.baseAddress, 2, nil) > 0 else { continue }
          let now = clock.now
          let count = Glibc.read(serial, bytes.baseAddress, bytes.count)
          if count > 0 {
            last = shared.ring.append(bytes[..<count], at: now, after: last)
          } else if count == 0 || errno != EAGAIN && errno != EINTR {
            shared.isLost.store(true, ordering: .releasing)
            shared.arrival.ring()
            return
          } else {
            continue
          }
          shared.arrival.ring()
        }
      }
    }
  }
}

/// A byte of a serial port, and when it began to arrive.
package struct StampedByte: Hashable, Sendable, BitwiseCopyable {
  package var byte: UInt8
  package var instant: Instant

  package init(_ byte: UInt8, at instant: Instant) { (self.byte, self.instant) = (byte, instant) }
}

/// A queue of stamped bytes from one thread to another, wait-free. If it is full, new bytes are discarded and counted.
package final class StampedRing: Sendable {
  /// The longest queue: 1.3 s of a saturated line, or 85 s of clock at 120 BPM.
  package static let capacity = 4_096
  /// A byte has ten bits at 31,250 baud.
  private static let byteTime = Nanoseconds.microseconds(320)

  /// The writer fills a place before it stores ``written``, and the reader copies it before it stores ``taken``, so that no place
  /// is used by both at once.
  private nonisolated(unsafe) let places: UnsafeMutablePointer<StampedByte>
  private let written = Atomic<UInt64>(0)
  private let taken = Atomic<UInt64>(0)
  private let discarded = Atomic<UInt64>(0)

  package init() {
    places = .allocate(capacity: StampedRing.capacity)
    places.initialize(repeating: StampedByte(0, at: .zero), count: StampedRing.capacity)
  }

  deinit { places.deallocate() }

  /// How many bytes were discarded. Any thread.
  package var overflows: UInt64 { discarded.load(ordering: .acquiring) }

  /// Appends bytes that had all arrived by `now`. The last one is stamped one byte time earlier, the one before it two. Writer's
  /// thread.
  ///
  /// - Parameter last: the instant of the byte before; no new one is earlier.
  /// - Returns: the instant of the last byte.
  package func append(_ bytes: Slice<UnsafeMutableBufferPointer<UInt8>>, at now: Instant, after last: Instant)
    -> Instant
  {
    var last = last
    for (index, byte) in bytes.enumerated() {
      last = max(last, now - StampedRing.byteTime * Int64(bytes.count - index))
      append(StampedByte(byte, at: last))
    }
    return last
  }

  private func append(_ byte: StampedByte) {
    let next = written.load(ordering: .relaxed)
    guard next - taken.load(ordering: .acquiring) < UInt64(StampedRing.capacity) else {
      discarded.wrappingAdd(1, ordering: .releasing)
      return
    }
    places[Int(next % UInt64(StampedRing.capacity))] = byte
    written.store(next + 1, ordering: .releasing)
  }

  /// Removes the oldest byte; nil: there is none. Reader's thread.
  package func take() -> StampedByte? {
    let next = taken.load(ordering: .relaxed)
    guard next != written.load(ordering: .acquiring) else { return nil }
    let byte = places[Int(next % UInt64(StampedRing.capacity))]
    taken.store(next + 1, ordering: .releasing)
    return byte
  }
}
