import HardwareAbstraction
import MetronomeCore
import Synchronization

/// An open display. Used by one thread at a time.
protocol DisplayDriver: AnyObject {
  /// Shows what this kind of display can show. Throws a `HardwareError` with operation `writeDisplay`. The frame may have been sent despite
  /// the error.
  func show(_ frame: DisplayFrame, _ wiring: DisplayWiring) throws(HardwareError)
  /// Makes the display dark. Errors are ignored.
  func switchOff()
  /// Must be called exactly once.
  func close()
}

/// The display of a real board. It is opened for the first text, and again after each failure. A failure does not stop the metronome; only
/// a line that the chip does not have is an error at the start, as for every part.
public final class LinuxDisplay: CharacterDisplay, PageDisplay, Sendable {
  private let state: Mutex<State>
  private let isPresent: Atomic<Bool>
  private let isScreen: Atomic<Bool>

  init(_ wiring: Wiring) {
    state = Mutex(State(wiring: wiring))
    isPresent = Atomic(wiring.display.isPresent)
    isScreen = Atomic(wiring.display.bus != nil)
  }

  public var isConfigured: Bool { isPresent.load(ordering: .acquiring) }

  package var showsPages: Bool { isScreen.load(ordering: .acquiring) }

  public func show(_ text: DisplayText) throws(HardwareError) { try state.withLock { $0.show(.text(text)) }.get() }

  package func show(_ page: ScreenPage) throws(HardwareError) { try state.withLock { $0.show(.page(page)) }.get() }

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
    isScreen.store(new.display.bus != nil, ordering: .releasing)
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
  /// What was sent last.
  private var last: DisplayFrame?

  init(wiring: Wiring) { self.wiring = wiring }

  /// Four digits are opened again if the text is the same as before: a display that was plugged in needs its setup, and the levels of its
  /// lines can only be checked while nothing drives them. A screen sends its setup itself.
  mutating func show(_ frame: DisplayFrame) -> Result<Void, HardwareError> {
    guard !isReleased, wiring.display.isPresent else { return .success(()) }
    if case .text = frame, frame == last { close() }
    last = frame
    do throws(HardwareError) {
      try open()
      try driver?.show(frame, wiring.display)
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
        driver = try SSD1306(bus, wiring.display)
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
