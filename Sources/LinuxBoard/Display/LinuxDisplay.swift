import HardwareAbstraction
import MetronomeCore
import Synchronization

/// An open display. Used by one thread at a time.
protocol DisplayDriver: AnyObject {
  /// Throws a `HardwareError` with operation `writeDisplay`. The text may have been sent despite the error.
  func show(_ text: DisplayText, brightness: Int) throws(HardwareError)
  /// Makes the display dark. Errors are ignored.
  func switchOff()
  /// Must be called exactly once.
  func close()
}

/// The display of a real board. It is opened for the first text, and again after each failure. A failure does not stop the metronome; only
/// a line that the chip does not have is an error at the start, as for every part.
public final class LinuxDisplay: CharacterDisplay {
  // Not a `Mutex` of a state: its closure would need the drivers to be `Sendable`, and `open` and `close` would all take the state.
  private let lock = Mutex(())
  // Safe although unchecked: every access below is within ``lock``, except in `init`.
  private nonisolated(unsafe) var wiring: Wiring
  private nonisolated(unsafe) var driver: (any DisplayDriver)?
  /// The text that was sent last.
  private nonisolated(unsafe) var last: DisplayText?
  private nonisolated(unsafe) var isReleased = false
  private let isPresent: Atomic<Bool>

  init(_ wiring: Wiring) {
    self.wiring = wiring
    isPresent = Atomic(wiring.display.isPresent)
  }

  public var isConfigured: Bool { isPresent.load(ordering: .acquiring) }

  /// The display is opened again if the text is the same as before: one that was plugged in needs its setup, and the levels of its lines
  /// can only be checked while nothing drives them.
  public func show(_ text: DisplayText) throws(HardwareError) {
    var result = Result<Void, HardwareError>.success(())
    lock.withLock { _ in
      guard !isReleased, wiring.display.isPresent else { return }
      if text == last { close() }
      last = text
      do throws(HardwareError) {
        try open()
        try driver?.show(text, brightness: wiring.display.brightness)
      } catch {
        close()
        result = .failure(error)
      }
    }
    try result.get()
  }

  /// Whether a new wiring moves or removes the display, or changes its brightness. Control thread.
  func differs(from new: Wiring) -> Bool {
    lock.withLock { _ in new.display != wiring.display || new.chip != wiring.chip }
  }

  /// Switches the display off and closes it until ``use(_:)``. Any thread; waits for a text that is being sent: about 2 ms, or 0.1 s on
  /// an I²C bus.
  func suspend() {
    lock.withLock { _ in
      isPresent.store(false, ordering: .releasing)
      switchOff()
      wiring.display = DisplayWiring()
    }
  }

  /// Uses the display of this wiring. Any thread.
  func use(_ new: Wiring) {
    lock.withLock { _ in
      wiring = new
      isPresent.store(new.display.isPresent, ordering: .releasing)
    }
  }

  /// Switches the display off, unless a text is being sent: then its thread hangs, and so would this one. Idempotent.
  public func release() {
    _ = lock.withLockIfAvailable { _ in
      switchOff()
      isReleased = true
    }
  }

  /// Switches off the display that a killed metronome left on. Does nothing if it cannot be opened.
  static func switchOff(_ wiring: Wiring) {
    let display = LinuxDisplay(wiring)
    display.lock.withLock { _ in try? display.open() }
    display.release()
  }

  /// Opens the display if it is closed.
  private func open() throws(HardwareError) {
    guard driver == nil, wiring.display.isPresent else { return }
    do throws(HardwareError) {
      if let bus = wiring.display.bus {
        driver = try SSD1306(bus, address: wiring.display.address)
      } else {
        driver = try TM1637(wiring)
      }
    } catch {
      var error = error
      error.operation = .writeDisplay
      throw error
    }
  }

  private func switchOff() {
    // After a failure the driver is closed, but the display may still be on. A bus may hang: it is not tried again.
    if last != nil, wiring.display.bus == nil { try? open() }
    driver?.switchOff()
    close()
    last = nil
  }

  private func close() {
    driver?.close()
    driver = nil
  }
}
