import CLinux
import Glibc
import HardwareAbstraction
import MetronomeCore

/// An ordinary thread for calls that may wait, even for ever: on a card that is broken.
public final class PatientThread {
  /// Ample for what alsa-lib does when it opens a card, and little to lock.
  private static let stackSize = 1_024 * 1_024

  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void
    let end = Doorbell()

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  private let start: Start
  private let thread: pthread_t

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: as tools show it, 15 bytes at the most.
  ///   - body: what the thread does. It ends when this returns.
  public init(name: String, body: @escaping @Sendable () -> Void) throws(SystemError) {
    precondition(name.utf8.count <= 15, "the kernel keeps no more than 15 bytes of a thread's name")
    let start = Start(name: name, body: body)
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, PatientThread.stackSize)
    var thread = pthread_t()
    let context = Unmanaged.passRetained(start)
    let result = withAsynchronousSignalsBlocked {
      pthread_create(&thread, &attributes, PatientThread.main, context.toOpaque())
    }
    guard result == 0 else {
      context.release()
      throw SystemError("pthread_create", errno: result)
    }
    self.start = start
    self.thread = thread
  }

  /// Waits until the body has returned, or until an instant, and then leaves the thread to itself. Once.
  ///
  /// - Returns: whether it has returned.
  public func join(until deadline: Instant) -> Bool {
    guard start.end.wait(until: deadline) else {
      pthread_detach(thread)
      return false
    }
    pthread_join(thread, nil)
    return true
  }

  private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    let start = Unmanaged<Start>.fromOpaque(context!).takeRetainedValue()
    _ = clinux_name_thread(start.name)
    start.body()
    start.end.ring()
    return nil
  }
}

/// Which missing hardware a board waits for when it is opened, instead of failing.
public enum WaitPolicy: Hashable, Sendable {
  /// Only a sound card that is in use.
  case none
  /// Also a chip and a sound card that are not there.
  case forWhatIsMissing
  /// Also lines that others hold, and missing rights: at boot they come a moment after the device.
  case forAll

  /// Whether this is waited for.
  func covers(_ error: HardwareError) -> Bool {
    switch error.obstacle {
    case .missing: self != .none
    case .passing: self == .forAll
    case .lasting: false
    }
  }
}

/// What has to happen before hardware can be used after all.
enum Obstacle {
  /// It is not there. It may come.
  case missing
  /// It is there, but somebody has it, or it is not for us. That may change.
  case passing
  /// It is not what was asked for: a person has to change the wiring, or the configuration.
  case lasting
}

extension HardwareError {
  var obstacle: Obstacle {
    switch (operation, kind) {
    case (_, .gone): .missing
    case (_, .denied), (.requestLines, .busy): .passing
    // A card that cannot play what is asked for never will; any other failure of a card may pass.
    case (.openAudio, .invalid): .lasting
    case (.openAudio, _): .passing
    default: .lasting
    }
  }
}
