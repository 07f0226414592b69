import CLinux
import Glibc
import HardwareAbstraction
import MetronomeCore
import Synchronization

/// A loop on a real-time thread of its own: it steps, waits until the step's deadline or until it is rung, and steps.
///
/// A wake-up comes late, by microseconds or by a hundred of them. For a deadline that the loop wants to meet exactly the
/// thread is awake before it, by a margin that is longer than almost any delay, and watches the clock for the rest. Before
/// that it steps once too early, which does nothing but bring code and data near: while it slept others had the caches, and
/// without them a step takes ten microseconds instead of one.
public final class LoopThread {
  /// How long before an exact deadline the thread wakes up. A later wake-up has lost the processor to a hypervisor or a driver,
  /// and no margin that a thread can afford makes up for it; a shorter margin saves next to nothing, as at 300 beats a minute
  /// with four edges each this one takes 0.3 % of a processor.
  private static let margin = Nanoseconds.microseconds(150)

  /// What the thread shares with others.
  private final class Shared: Sendable {
    let bell: Doorbell
    let clock = LinuxClock()
    let spins = Atomic(false)
    let isOver = Atomic(false)

    init(_ bell: Doorbell) { self.bell = bell }

    /// Sleeps until the margin before the deadline.
    func sleep(untilBefore deadline: Instant) -> Doorbell.Waking {
      let awake = deadline - LoopThread.margin
      let now = clock.now
      return awake > now ? bell.sleep(until: awake) : Doorbell.Waking(isRung: false, instant: now)
    }
  }

  private let thread: RealTimeThread
  private let shared: Shared

  /// Starts the thread. It begins with a step. It does not spin until it is told so.
  ///
  /// - Parameters:
  ///   - name: as tools show it, 15 bytes at the most.
  ///   - priority: 1 to 99.
  ///   - bell: lets the loop step at once. Any thread rings it.
  ///   - lag: how long after a step was begun what it does takes effect. It is begun as much earlier, and is told the instant
  ///     at which it takes effect. On this thread.
  ///   - isExact: whether the deadline that the last step answered with is to be met exactly. On this thread.
  ///   - rehearse: brings code and data of a step near before the first one. On this thread.
  ///   - wokeUp: told of each wake-up, once what it was for is done. On this thread.
  ///   - step: what the loop does at an instant; answers with when to do it again, nil: when it is rung. On this thread.
  public init(
    name: String, priority: Int32, bell: Doorbell = Doorbell(), lag: @escaping () -> Nanoseconds = { .zero },
    isExact: @escaping () -> Bool = { false }, rehearse: @escaping () -> Void = {}, wokeUp: @escaping () -> Void = {},
    step: @escaping (Instant) -> Instant?
  ) throws(SystemError) {
    let shared = Shared(bell)
    self.shared = shared
    // Unsafe: only the new thread calls these from here on.
    nonisolated(unsafe) let (lag, isExact, rehearse, wokeUp, step) = (lag, isExact, rehearse, wokeUp, step)
    thread = try RealTimeThread(name: name, priority: priority) {
      rehearse()
      var now = shared.clock.now
      while !shared.isOver.load(ordering: .acquiring) {
        let deadline = step(now + lag())
        wokeUp()
        guard let deadline, isExact(), shared.spins.load(ordering: .relaxed) else {
          now = shared.bell.sleep(until: deadline.map { $0 - lag() }).instant
          continue
        }
        let waking = shared.sleep(untilBefore: deadline - lag())
        now = waking.instant
        if waking.isRung { continue }
        if step(now + lag()) == deadline { now = shared.bell.spin(until: deadline - lag()).instant }
      }
    }
  }

  /// What the system said to the thread's priority.
  public var scheduling: Grant { thread.scheduling }

  /// Lets exact deadlines be watched for from the next step on, or leaves them to the timer alone. A thread that was refused
  /// its priority never spins: others would be run meanwhile. Any thread.
  public func setSpinning(_ spins: Bool) {
    if case .granted = scheduling { shared.spins.store(spins, ordering: .relaxed) }
  }

  /// Lets the loop step at once. Any thread.
  public func ring() { shared.bell.ring() }

  /// Ends the thread after its present step. Once.
  public func stop() {
    shared.isOver.store(true, ordering: .releasing)
    shared.bell.ring()
    thread.join()
  }
}

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

/// Keeps the heap of the process small, and reads no more of its files than it touches. To be called first, while the main
/// thread is alone.
///
/// Locked memory is counted by address space: without this each thread that allocates adds 64 MB to it.
public func keepMemorySmall() { clinux_keep_memory_small() }

/// Locks the memory of the process, each page from when it is first touched, so that no real-time thread waits for a disk.
///
/// Pages that nobody needs are never read. ``fillMemory()`` brings in the code that has not run yet.
public func lockMemory() -> Grant {
  if mlockall(Int32(MCL_CURRENT) | Int32(MCL_FUTURE) | onFault) == 0 { return .granted }
  return .refused(errno: errno)
}

/// Brings all code into the memory that ``lockMemory()`` has locked, so that a step that was never made before does not wait
/// for the disk either. On a card it takes up to a second: for an ordinary thread, once the first beats are out.
public func fillMemory() { clinux_touch_code() }

/// `MCL_ONFAULT`, from linux/mman.h; Linux 4.4.
private let onFault: Int32 = 4

/// Asks the processor, for as long as it is held, not to sleep so deeply that waking up takes long.
///
/// It costs power; a box on batteries holds it only while it plays.
public struct WakeupLatencyRequest: ~Copyable {
  private static let path = "/dev/cpu_dma_latency"

  public let grant: Grant
  private let descriptor: Int32

  /// Begins to ask. The request lives as long as this value.
  public init() {
    descriptor = open(WakeupLatencyRequest.path, O_WRONLY | O_CLOEXEC)
    var microseconds: Int32 = 0
    guard descriptor >= 0, write(descriptor, &microseconds, MemoryLayout<Int32>.size) > 0 else {
      grant = .refused(errno: errno)
      return
    }
    grant = .granted
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }
}
