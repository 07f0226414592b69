import CLinux
import Glibc
import HardwareAbstraction
import MetronomeCore
import Synchronization

/// A loop on its own real-time thread. It runs a step, waits until the step's deadline or until the bell rings, and repeats.
///
/// A wake-up may be a hundred microseconds late. For an exact deadline the thread wakes up earlier by a margin and spins for
/// the rest. Before spinning it runs one early step, to warm the caches: with cold caches a step takes ten
/// microseconds instead of one.
public final class LoopThread {
  /// How long before an exact deadline the thread wakes up. The margin exceeds almost any wake-up latency. It costs
  /// 0.3 % of a CPU at 300 BPM with four edges per beat.
  private static let margin = Nanoseconds.microseconds(150)

  /// The data that the thread shares with others.
  private final class Shared: Sendable {
    let bell: Doorbell
    let spins = Atomic(false)
    let isOver = Atomic(false)

    init(_ bell: Doorbell) { self.bell = bell }
  }

  private let thread: RealTimeThread
  private let shared: Shared

  /// Starts the thread, which calls all closures. It starts with a step, and does not spin before ``setSpinning(_:)``.
  ///
  /// - Parameters:
  ///   - name: 15 bytes at most.
  ///   - priority: 1 to 99.
  ///   - bell: makes the loop step immediately. Any thread may ring it.
  ///   - lag: the delay until a step takes effect. The step runs that much earlier, and receives the instant of the
  ///     effect.
  ///   - isExact: whether the deadline returned by the last step must be met exactly.
  ///   - rehearse: warms the caches before the first step.
  ///   - wokeUp: called after each wake-up, after the step.
  ///   - finish: called as the last step, at the end of the thread.
  ///   - step: does the work at an instant and returns the next deadline; nil: the loop waits only for the bell.
  public init(
    name: String, priority: Int32, bell: Doorbell = Doorbell(), lag: @escaping () -> Nanoseconds = { .zero },
    isExact: @escaping () -> Bool = { false }, rehearse: @escaping () -> Void = {}, wokeUp: @escaping () -> Void = {},
    finish: @escaping (Instant) -> Void = { _ in }, step: @escaping (Instant) -> Instant?
  ) throws(SystemError) {
    let shared = Shared(bell)
    self.shared = shared
    // `nonisolated(unsafe)` is sound: from here on only the new thread calls these closures.
    nonisolated(unsafe) let (lag, isExact, rehearse) = (lag, isExact, rehearse)
    nonisolated(unsafe) let (wokeUp, finish, step) = (wokeUp, finish, step)
    thread = try RealTimeThread(name: name, priority: priority) {
      rehearse()
      let clock = LinuxClock()
      var now = clock.now
      while !shared.isOver.load(ordering: .acquiring) {
        let deadline = step(now + lag())
        wokeUp()
        guard let deadline, isExact(), shared.spins.load(ordering: .relaxed) else {
          now = shared.bell.sleep(until: deadline.map { $0 - lag() }).instant
          continue
        }
        let awake = deadline - lag() - LoopThread.margin
        now = clock.now
        if awake > now {
          let waking = shared.bell.sleep(until: awake)
          now = waking.instant
          if waking.isRung { continue }
        }
        if step(now + lag()) == deadline { now = shared.bell.spin(until: deadline - lag()).instant }
      }
      finish(clock.now + lag())
    }
  }

  /// Whether the kernel granted the real-time priority.
  public var scheduling: Grant { thread.scheduling }

  /// Lets the thread spin before exact deadlines from the next step on, if the kernel granted its priority. Any thread.
  public func setSpinning(_ spins: Bool) {
    if case .granted = scheduling { shared.spins.store(spins, ordering: .relaxed) }
  }

  /// Wakes up the loop for a step. Any thread.
  public func ring() { shared.bell.ring() }

  /// Ends the thread after its current step. Must be called at most once.
  public func stop() {
    shared.isOver.store(true, ordering: .releasing)
    shared.bell.ring()
    thread.join()
  }
}

/// A thread with a real-time priority, or an ordinary thread if the kernel refuses that priority.
///
/// Its stack is prefaulted, its timer slack is minimal, and it receives only the signals of its own faults, on an alternate
/// signal stack. It must be joined before it is released.
public final class RealTimeThread {
  /// The priority of the thread that sets the lines. Interrupt threads of the kernel run at 50.
  public static let beatPriority: Int32 = 80
  /// The priority of the thread that sends MIDI clock. A line of the same beat goes first.
  public static let midiPriority: Int32 = 78
  /// The priority of a thread that stamps the bytes of a serial MIDI input. Lower than the threads that send, because those have
  /// deadlines.
  public static let serialPriority: Int32 = 76
  /// The priority of the thread that feeds the sound card, whose buffer tolerates delays.
  public static let audioPriority: Int32 = 75
  /// More than the loops need, because they neither recurse nor keep buffers on the stack, but small enough to lock in
  /// memory.
  public static let stackSize = 256 * 1024

  /// Whether the kernel granted the priority.
  public let scheduling: Grant
  private var thread: pthread_t?
  private let end: Doorbell

  /// Starts a thread with `SCHED_FIFO`, a priority of 1 to 99 and a name of 15 bytes at most.
  public init(name: String, priority: Int32, body: @escaping @Sendable () -> Void) throws(SystemError) {
    let start = ThreadStart(name: name, stackSize: RealTimeThread.stackSize, isRealTime: true, body: body)
    var thread = pthread_t()
    var result = start.create(&thread, priority: priority)
    scheduling = result == EPERM ? .refused(errno: EPERM) : .granted
    if result == EPERM { result = start.create(&thread, priority: nil) }
    guard result == 0 else { throw SystemError("pthread_create", errno: result) }
    self.thread = thread
    end = start.end
  }

  deinit { precondition(thread == nil, "a real-time thread must be joined before it is released") }

  /// Waits until the body has returned. Must be called at most once.
  public func join() {
    guard let thread else { preconditionFailure("a real-time thread must be joined only once") }
    pthread_join(thread, nil)
    self.thread = nil
  }

  /// Joins the thread if the body returns before the deadline, else detaches it. Must be called at most once, in place of
  /// ``join()``.
  ///
  /// - Returns: whether the body has returned.
  public func join(until deadline: Instant) -> Bool {
    guard let thread else { preconditionFailure("a real-time thread must be joined only once") }
    self.thread = nil
    return end.join(thread, until: deadline)
  }
}

/// The parameters with which a thread starts.
private final class ThreadStart: Sendable {
  /// The part of the stack that is not prefaulted, because the C library and the first frames already use it.
  private static let reservedStack = 32 * 1024
  /// The stack size for the fault handlers, including the backtracer.
  private static let signalStackSize = 64 * 1024

  private let name: String
  private let stackSize: Int
  private let isRealTime: Bool
  private let body: @Sendable () -> Void
  /// Rung when the body has returned.
  let end = Doorbell()

  init(name: String, stackSize: Int, isRealTime: Bool, body: @escaping @Sendable () -> Void) {
    precondition(name.utf8.count <= 15, "a thread's name must not exceed 15 bytes")
    self.name = name
    self.stackSize = stackSize
    self.isRealTime = isRealTime
    self.body = body
  }

  /// - Parameter priority: nil: ordinary scheduling.
  /// - Returns: 0 or an error number.
  func create(_ thread: inout pthread_t, priority: Int32?) -> Int32 {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackSize)
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

  private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    let start = Unmanaged<ThreadStart>.fromOpaque(context!).takeRetainedValue()
    _ = clinux_name_thread(start.name)
    if start.isRealTime {
      _ = clinux_set_timer_slack(1)
      clinux_touch_stack(start.stackSize - reservedStack)
      let signalStack = UnsafeMutableRawPointer.allocate(byteCount: signalStackSize, alignment: 16)
      _ = clinux_set_signal_stack(signalStack, signalStackSize)
      start.body()
      _ = clinux_set_signal_stack(nil, 0)
      signalStack.deallocate()
    } else {
      start.body()
    }
    start.end.ring()
    return nil
  }
}

extension Doorbell {
  /// Joins a thread that rings this bell when it ends. Detaches it if the deadline comes first. At most once per thread.
  fileprivate func join(_ thread: pthread_t, until deadline: Instant) -> Bool {
    let hasEnded = wait(until: deadline)
    if hasEnded { pthread_join(thread, nil) } else { pthread_detach(thread) }
    return hasEnded
  }
}

/// An ordinary thread for calls that may block, even for ever on a broken card.
public final class BlockingThread {
  /// More than alsa-lib needs to open a card, but small enough to lock in memory.
  private static let stackSize = 1_024 * 1_024

  private let thread: pthread_t
  private let end: Doorbell

  /// Starts the thread, with a name of 15 bytes at most.
  public init(name: String, body: @escaping @Sendable () -> Void) throws(SystemError) {
    let start = ThreadStart(name: name, stackSize: BlockingThread.stackSize, isRealTime: false, body: body)
    var thread = pthread_t()
    let result = start.create(&thread, priority: nil)
    guard result == 0 else { throw SystemError("pthread_create", errno: result) }
    self.thread = thread
    end = start.end
  }

  /// Joins the thread if the body returns before the deadline, else detaches it. Must be called at most once.
  ///
  /// - Returns: whether the body has returned.
  public func join(until deadline: Instant) -> Bool { end.join(thread, until: deadline) }
}

/// Runs `work` with all signals blocked except those of the thread's own faults. A thread created in `work` inherits the mask.
func withAsynchronousSignalsBlocked<Result>(_ work: () -> Result) -> Result {
  var blocked = sigset_t()
  var former = sigset_t()
  clinux_fill_with_asynchronous_signals(&blocked)
  pthread_sigmask(SIG_SETMASK, &blocked, &former)
  defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
  return work()
}
