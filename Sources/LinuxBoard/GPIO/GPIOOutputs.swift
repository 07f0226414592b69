import CGpiod
import Glibc
import HardwareAbstraction
import MetronomeCore
import Synchronization

/// Outputs on the lines of a GPIO chip, requested together and set together.
///
/// The control thread attaches and detaches lines while the beat thread sets them, and never blocks it. Levels set while no
/// lines are held are applied as soon as lines are attached.
public final class GPIOOutputs: OutputLines {
  /// nil while no lines are held. After setting this to nil, wait until ``isSetting`` is false before freeing the old value.
  private let held = Atomic<UnsafeMutablePointer<HeldOutputs>?>(nil)
  private let isSetting = Atomic(false)
  /// The last levels set.
  private let wanted = Atomic(LineSet.inactive.rawValue)
  private let hasLostChip = Atomic(false)
  /// ``lag``, in nanoseconds.
  private let lagCount = Atomic<Int64>(0)
  private static let shortestLag = Nanoseconds.microseconds(5)
  private static let longestLag = Nanoseconds.microseconds(500)
  private let bell: EventDescriptor
  private var isReleased = false

  /// - Parameter bell: rung when the chip is found to be missing.
  init(bell: EventDescriptor) { self.bell = bell }

  /// How early a call of ``set(_:)`` must begin: half of the cost of a call, measured by ``attach(_:_:)``. At most 0.5 ms, well
  /// within the lead. Any thread.
  ///
  /// Zero if under 5 µs. Such a delay is inaudible and constant. The earlier a call begins, the longer the kernel's tick can delay
  /// it.
  public var lag: Nanoseconds { Nanoseconds(lagCount.load(ordering: .relaxed)) }

  /// Requests the lines and applies the last levels set. Control thread, while no lines are held.
  func attach(_ wiring: Wiring, _ lines: ResolvedLines) throws(HardwareError) {
    precondition(held.load(ordering: .relaxed) == nil, "the outputs already have lines")
    guard let outputs = try HeldOutputs(wiring, lines) else { return }
    let half = outputs.costOfCall() / 2
    let lag = half < GPIOOutputs.shortestLag ? .zero : min(half, GPIOOutputs.longestLag)
    lagCount.store(lag.count, ordering: .relaxed)
    let pointer = UnsafeMutablePointer<HeldOutputs>.allocate(capacity: 1)
    pointer.initialize(to: outputs)
    held.store(pointer, ordering: .sequentiallyConsistent)
    // The beat thread may set the lines from now on. It stores the levels before it sets the lines, so this loop repeats until
    // the stored levels are applied.
    var shown = LineSet.inactive.rawValue
    while true {
      let wanted = wanted.load(ordering: .sequentiallyConsistent)
      if wanted == shown { return }
      _ = outputs.set(LineSet(rawValue: wanted))
      shown = wanted
    }
  }

  /// Makes every output inactive and releases the lines, if lines are held. Control thread.
  func detach() {
    guard let outputs = held.exchange(nil, ordering: .sequentiallyConsistent) else { return }
    while isSetting.load(ordering: .sequentiallyConsistent) { usleep(100) }
    hasLostChip.store(false, ordering: .relaxed)
    outputs.pointee.release()
    outputs.deinitialize(count: 1)
    outputs.deallocate()
  }

  /// Whether the chip of the lines was found to be missing. Any thread.
  var isLost: Bool { hasLostChip.load(ordering: .relaxed) }

  public func set(_ levels: LineSet) throws(HardwareError) {
    precondition(!isReleased, "an output is set after its lines were released")
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

/// A kernel line request, and the lines in it.
struct HeldOutputs: BitwiseCopyable {
  private static let leastCalls = 3
  private static let maxCalls = 31
  private static let longestTrial = Nanoseconds.milliseconds(5)

  private let handle: OpaquePointer
  /// The lines of the request, in its order.
  private let lines: LineSet

  /// Requests the lines, all inactive. nil if no output is wired.
  init?(_ wiring: Wiring, _ lines: ResolvedLines) throws(HardwareError) {
    let wired = wiring.outputLines
    guard !wired.isEmpty else { return nil }
    self.lines = wired
    var activeLow: UInt64 = 0
    for (bit, line) in wired.enumerated() where wiring.outputs[line]?.active == .low { activeLow |= 1 << UInt64(bit) }
    let offsets = wired.map { lines.offset(ofRole: wiring.names[$0]) }
    var error: Int32 = 0
    guard let handle = cgpiod_outputs_request(lines.chip.path, offsets, UInt32(offsets.count), activeLow, &error) else {
      throw HardwareError(.requestLines, errno: error)
    }
    self.handle = handle
  }

  /// - Returns: 0, or a negative error number.
  func set(_ levels: LineSet) -> Int32 {
    var active: UInt64 = 0
    // The same work for all levels, so that each beat takes equally long.
    var bit: UInt64 = 1
    for line in lines {
      active |= levels.contains(line) ? bit : 0
      bit <<= 1
    }
    return cgpiod_outputs_set(handle, active)
  }

  /// The median cost of a call that leaves the lines inactive, minus the cost of a clock reading. The measurement takes
  /// up to 5 ms, or the time of three calls if that is longer.
  func costOfCall() -> Nanoseconds {
    let clock = LinuxClock()
    let end = clock.now + HeldOutputs.longestTrial
    var costs: [Nanoseconds] = []
    while costs.count < HeldOutputs.leastCalls || costs.count < HeldOutputs.maxCalls && clock.now < end {
      let before = clock.now
      _ = set(.inactive)
      let after = clock.now
      let reading = clock.now - after
      costs.append((after - before) - reading)
    }
    return max(costs.sorted()[costs.count / 2], .zero)
  }

  /// Must be called exactly once.
  func release() { cgpiod_outputs_release(handle) }
}

/// The result of switching off the outputs that a killed metronome left on.
public enum SwitchOff: Hashable, Sendable {
  /// All outputs are off, or no output is wired.
  case done
  /// The chip is missing, so no output can be on.
  case noChip(HardwareError)
  /// A running metronome holds some outputs; the others are off.
  case held(HardwareError)

  /// Requests each output separately as inactive and releases it, so that a busy line does not keep the others on. Switches the
  /// display off, too, unless its lines are missing or busy.
  ///
  /// - Throws: `HardwareError` when some lines do not exist, are held by other programs or are denied. The other
  ///   outputs are off.
  public static func outputs(of wiring: Wiring) throws(HardwareError) -> SwitchOff {
    var result = SwitchOff.done
    // Last, because a bus may hang. A running metronome keeps its display.
    defer { if case .held = result {} else { LinuxDisplay.switchOff(wiring) } }
    var outputs = Wiring(chip: wiring.chip, outputs: wiring.outputs, buttons: [:])
    outputs.names = wiring.names
    guard !outputs.lines.isEmpty else { return result }
    do throws(HardwareError) {
      let chip = try ChipSearch(outputs).find(wiring.chip)
      result = try switchOff(outputs, try ResolvedLines(outputs, on: chip))
      return result
    } catch {
      guard error.obstacle == .missing else { throw error }
      return .noChip(error)
    }
  }

  private static func switchOff(_ wiring: Wiring, _ lines: ResolvedLines) throws(HardwareError) -> SwitchOff {
    var refused: [WiredLine] = []
    var failure: HardwareError?
    for (line, wired) in wiring.outputs {
      var one = Wiring(chip: wiring.chip, outputs: [line: wired], buttons: [:])
      one.names = wiring.names
      do throws(HardwareError) {
        try HeldOutputs(one, lines)?.release()
      } catch {
        refused += one.lines
        failure = error
      }
    }
    guard let failure else { return .done }
    let error = lines.refusal(of: refused, failure)
    guard error.kind == .busy, lines.areHeldByMetronome(refused) else { throw error }
    return .held(error)
  }
}
