import Glibc
import HardwareAbstraction
import MetronomeCore
import Synchronization

/// Outputs on the lines of a GPIO chip, requested together and set together.
///
/// The lines come and go while the beat thread sets them: ``attach(_:_:)`` and ``detach()`` are the control thread's, and
/// never keep the beat thread waiting. What is set while there are no lines is kept, and shown as soon as there are some.
public final class GPIOOutputs: OutputLines {
  /// The lines; nil while there are none. Whoever makes it nil waits for ``isSetting`` to become false, and only then frees
  /// what it pointed to.
  private let held = Atomic<UnsafeMutablePointer<HeldOutputs>?>(nil)
  private let isSetting = Atomic(false)
  /// What was set last.
  private let wanted = Atomic(OutputLevels.inactive.rawValue)
  private let hasLostChip = Atomic(false)
  /// ``lag``, in nanoseconds.
  private let lagCount = Atomic<Int64>(0)
  private static let shortestLag = Nanoseconds.microseconds(1)
  private static let longestLag = Nanoseconds.microseconds(500)
  private let bell: EventDescriptor
  private var isReleased = false

  /// - Parameter bell: is rung when the chip is found to be gone.
  init(bell: EventDescriptor) { self.bell = bell }

  /// How long after ``set(_:)`` was called the lines change: half of what such a call costs, as it was found when the lines
  /// were had. Less than a microsecond counts as nothing: rather so much too late than ever too early. At most half a
  /// millisecond, which is well within the lead of a press. Any thread.
  public var lag: Nanoseconds { Nanoseconds(lagCount.load(ordering: .relaxed)) }

  /// Takes the lines and shows on them what was set last. Control thread, while there are none.
  func attach(_ wiring: Wiring, _ lines: ResolvedLines) throws(HardwareError) {
    precondition(held.load(ordering: .relaxed) == nil, "lines are attached to outputs that have some")
    guard let outputs = try HeldOutputs(wiring, lines) else { return }
    let half = outputs.costOfCall() / 2
    let lag = half < GPIOOutputs.shortestLag ? .zero : min(half, GPIOOutputs.longestLag)
    lagCount.store(lag.count, ordering: .relaxed)
    let pointer = UnsafeMutablePointer<HeldOutputs>.allocate(capacity: 1)
    pointer.initialize(to: outputs)
    held.store(pointer, ordering: .sequentiallyConsistent)
    // The beat thread may set them from now on. It says what it wants before it sets it, so that whoever finds nothing new
    // said has written nothing older over it.
    var shown = OutputLevels.inactive.rawValue
    while true {
      let wanted = wanted.load(ordering: .sequentiallyConsistent)
      if wanted == shown { return }
      _ = outputs.set(OutputLevels(rawValue: wanted))
      shown = wanted
    }
  }

  /// Makes every output inactive and gives the lines back, if there are any. Control thread.
  func detach() {
    guard let outputs = held.exchange(nil, ordering: .sequentiallyConsistent) else { return }
    while isSetting.load(ordering: .sequentiallyConsistent) { usleep(100) }
    hasLostChip.store(false, ordering: .relaxed)
    outputs.pointee.release()
    outputs.deinitialize(count: 1)
    outputs.deallocate()
  }

  /// Whether the chip of the lines was found to be gone. Any thread.
  var isLost: Bool { hasLostChip.load(ordering: .relaxed) }

  public func set(_ levels: OutputLevels) throws(HardwareError) {
    precondition(!isReleased, "an output is set after the lines were given back")
    wanted.store(levels.rawValue, ordering: .sequentiallyConsistent)
    isSetting.store(true, ordering: .sequentiallyConsistent)
    let result = held.load(ordering: .sequentiallyConsistent)?.pointee.set(levels) ?? 0
    if result == -ENODEV { hasLostChip.store(true, ordering: .relaxed) }
    isSetting.store(false, ordering: .sequentiallyConsistent)
    if result == -ENODEV {
      bell.ring()
    } else if result < 0 {
      throw HardwareError(.setLines, errno: -result)
    }
  }

  public func release() {
    detach()
    isReleased = true
  }
}
