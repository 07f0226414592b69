import CLinux
import Glibc
import MetronomeCore

/// A thread with a fixed priority above everything ordinary, or an ordinary one where that is refused.
///
/// Its stack is touched before its body runs, its timers have no slack, and no signal is delivered to it but those that a
/// fault of its own raises, which are handled on a stack apart. It has to be joined before it is let go.
public final class RealTimeThread {
  /// Of the thread that sets the lines. Interrupt threads of the kernel run at 50.
  public static let beatPriority: Int32 = 80
  /// Of the thread that feeds the sound card, which has a buffer to live on.
  public static let audioPriority: Int32 = 75
  /// Ample for the loops, which neither recurse nor keep buffers on the stack, and cheap to lock.
  public static let stackSize = 256 * 1024

  /// What the system said to the priority.
  public let scheduling: Grant
  private var thread: pthread_t?
  private let end: Doorbell

  /// Starts a thread with `SCHED_FIFO`.
  ///
  /// - Parameters:
  ///   - name: as tools show it, 15 bytes at the most.
  ///   - priority: 1 to 99.
  ///   - body: what the thread does. It ends when this returns.
  public init(name: String, priority: Int32, body: @escaping @Sendable () -> Void) throws(SystemError) {
    precondition(name.utf8.count <= 15, "the kernel keeps no more than 15 bytes of a thread's name")
    let start = ThreadStart(name: name, body: body)
    var thread = pthread_t()
    var result = start.create(&thread, priority: priority)
    scheduling = result == EPERM ? .refused(errno: EPERM) : .granted
    if result == EPERM { result = start.create(&thread, priority: nil) }
    guard result == 0 else { throw SystemError("pthread_create", errno: result) }
    self.thread = thread
    end = start.end
  }

  deinit {
    precondition(thread == nil, "a real-time thread was let go before it was joined")
  }

  /// Waits until the body has returned. Once.
  public func join() {
    guard let thread else { preconditionFailure("a real-time thread is joined once") }
    pthread_join(thread, nil)
    self.thread = nil
  }

  /// Waits until the body has returned, or until an instant, and then leaves the thread to itself: for a body that calls what
  /// may hang. Once, in place of ``join()``.
  ///
  /// - Returns: whether it has returned.
  public func join(until deadline: Instant) -> Bool {
    guard let thread else { preconditionFailure("a real-time thread is joined once") }
    let hasEnded = end.wait(until: deadline)
    if hasEnded { pthread_join(thread, nil) } else { pthread_detach(thread) }
    self.thread = nil
    return hasEnded
  }
}

/// What a thread is given to begin with.
private final class ThreadStart: Sendable {
  /// What the C library and the first frames need of the stack; the rest of it is touched.
  private static let reservedStack = 32 * 1024
  /// Of the handlers of a fault, the backtracer's among them.
  private static let signalStackSize = 64 * 1024

  private let name: String
  private let body: @Sendable () -> Void
  /// Rung when the body has returned.
  let end = Doorbell()

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }

  /// - Parameter priority: nil: ordinary scheduling.
  /// - Returns: 0 or an error number.
  func create(_ thread: inout pthread_t, priority: Int32?) -> Int32 {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, RealTimeThread.stackSize)
    if let priority {
      var parameters = sched_param()
      parameters.sched_priority = priority
      pthread_attr_setinheritsched(&attributes, Int32(PTHREAD_EXPLICIT_SCHED))
      pthread_attr_setschedpolicy(&attributes, SCHED_FIFO)
      pthread_attr_setschedparam(&attributes, &parameters)
    }
    return withAsynchronousSignalsBlocked {
      let context = Unmanaged.passRetained(self)
      let result = pthread_create(&thread, &attributes, ThreadStart.main, context.toOpaque())
      if result != 0 { context.release() }
      return result
    }
  }

  /// Where the stack is refused, faults are handled on the thread's own.
  private static func withSignalStack(_ body: () -> Void) {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: signalStackSize, alignment: 16)
    _ = clinux_set_signal_stack(memory, signalStackSize)
    body()
    _ = clinux_set_signal_stack(nil, 0)
    memory.deallocate()
  }

  private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    let start = Unmanaged<ThreadStart>.fromOpaque(context!).takeRetainedValue()
    _ = clinux_name_thread(start.name)
    _ = clinux_set_timer_slack(1)
    clinux_touch_stack(RealTimeThread.stackSize - reservedStack)
    withSignalStack(start.body)
    start.end.ring()
    return nil
  }
}
