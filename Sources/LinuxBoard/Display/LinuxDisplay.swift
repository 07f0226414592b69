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
public final class LinuxDisplay: CharacterDisplay, Sendable {
  private let state: Mutex<State>
  private let isPresent: Atomic<Bool>

  init(_ wiring: Wiring) {
    state = Mutex(State(wiring: wiring))
    isPresent = Atomic(wiring.display.isPresent)
  }

  public var isConfigured: Bool { isPresent.load(ordering: .acquiring) }

  public func show(_ text: DisplayText) throws(HardwareError) { try state.withLock { $0.show(text) }.get() }

  /// Switches the display off and closes it until ``use(_:)``. Any thread; waits for a text that is being sent: about 2 ms, or 0.1 s on
  /// an I²C bus.
  func suspend() {
    isPresent.store(false, ordering: .releasing)
    state.withLock {
      $0.switchOff()
      $0.wiring.display = DisplayWiring()
    }
  }

  /// Uses the display of this wiring. Any thread.
  func use(_ new: Wiring) {
    state.withLock { $0.wiring = new }
    isPresent.store(new.display.isPresent, ordering: .releasing)
  }

  /// Switches the display off, unless a text is being sent: then its thread hangs, and so would this one. Idempotent.
  public func release() {
    _ = state.withLockIfAvailable {
      $0.switchOff()
      $0.isReleased = true
    }
  }

  /// Switches off the display that a killed metronome left on. Does nothing if it cannot be opened.
  static func switchOff(_ wiring: Wiring) {
    var state = State(wiring: wiring)
    try? state.open()
    state.switchOff()
  }
}

/// A display, open or closed.
private struct State {
  var wiring: Wiring
  var isReleased = false
  private var driver: (any DisplayDriver)?
  /// The text that was sent last.
  private var last: DisplayText?

  init(wiring: Wiring) { self.wiring = wiring }

  /// The display is opened again if the text is the same as before: one that was plugged in needs its setup, and the levels of its lines
  /// can only be checked while nothing drives them.
  mutating func show(_ text: DisplayText) -> Result<Void, HardwareError> {
    guard !isReleased, wiring.display.isPresent else { return .success(()) }
    if text == last { close() }
    last = text
    do throws(HardwareError) {
      try open()
      try driver?.show(text, brightness: wiring.display.brightness)
      return .success(())
    } catch {
      close()
      return .failure(error)
    }
  }

  /// Opens the display if it is closed.
  mutating func open() throws(HardwareError) {
    guard driver == nil, wiring.display.isPresent else { return }
    do throws(HardwareError) {
      if let bus = wiring.display.bus {
        driver = try SSD1306(bus, wiring.display.chip, address: wiring.display.address)
      } else {
        driver = try TM1637(wiring)
      }
    } catch {
      var error = error
      error.operation = .writeDisplay
      throw error
    }
  }

  mutating func switchOff() {
    // After a failure the driver is closed, but the display may still be on. A bus may hang: it is not tried again.
    if last != nil, wiring.display.bus == nil { try? open() }
    driver?.switchOff()
    close()
    last = nil
  }

  private mutating func close() {
    driver?.close()
    driver = nil
  }
}
