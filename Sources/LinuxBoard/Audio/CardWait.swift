import CALSA
import CLinux
import Glibc
import MetronomeCore

/// Lets a thread sleep until a sound card has played a period, until another thread rings, or until an instant.
///
/// Many cards know where they stand only when an interrupt comes: a thread that is woken by it reads a fresh position, one
/// that wakes by the clock an old one. Neither allocates nor takes a lock.
public final class CardWait {
  private let bell: EventDescriptor
  private let entries: UnsafeMutableBufferPointer<pollfd>
  private let clock = LinuxClock()

  /// - Parameter bell: to be rung by other threads.
  public init(_ bell: EventDescriptor) {
    self.bell = bell
    entries = .allocate(capacity: 1 + ALSAOutput.mostDescriptors)
    entries.initialize(repeating: pollfd())
    entries[0] = pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)
  }

  deinit { entries.deallocate() }

  /// Sleeps.
  ///
  /// - Parameters:
  ///   - card: nil: only the bell is waited for.
  ///   - deadline: nil: as long as it takes.
  public func wait(for card: ALSAOutput?, until deadline: Instant?) {
    let polled = UnsafeMutableBufferPointer(rebasing: entries[1...])
    let count = card?.fillDescriptors(polled) ?? 0
    var timeout = timespec()
    if let deadline { timeout = timespec(Instant(nanoseconds: max(deadline - clock.now, .zero).count)) }
    // An interrupted wait is a wait that ends early: the thread looks and waits again.
    _ = withUnsafePointer(to: &timeout) {
      clinux_poll(entries.baseAddress, UInt(1 + count), deadline == nil ? nil : $0)
    }
    if entries[0].revents != 0 { bell.clear() }
    card?.takeEvents(UnsafeMutableBufferPointer(rebasing: polled[..<count]))
  }
}
