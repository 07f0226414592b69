import CGpiod
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
  private let wanted = Atomic(OutputSet.inactive.rawValue)
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
    var shown = OutputSet.inactive.rawValue
    while true {
      let wanted = wanted.load(ordering: .sequentiallyConsistent)
      if wanted == shown { return }
      _ = outputs.set(OutputSet(rawValue: wanted))
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

  public func set(_ levels: OutputSet) throws(HardwareError) {
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

/// Output lines as the kernel lends them, and which of its bits each output has.
struct HeldOutputs: BitwiseCopyable {
  private static let leastCalls = 3
  private static let mostCalls = 31
  private static let longestTrial = Nanoseconds.milliseconds(5)

  private let handle: OpaquePointer
  /// The kernel's bit of each output; 0 for one that has no line.
  private let bits: PerOutput<UInt64>

  /// Takes the lines, all inactive. nil if no output is wired.
  init?(_ wiring: Wiring, _ lines: ResolvedLines) throws(HardwareError) {
    let wired = Output.lines.filter { wiring.outputs[$0] != nil }
    guard !wired.isEmpty else { return nil }
    let bits = PerOutput<UInt64> { wired.firstIndex(of: $0).map { 1 << UInt64($0) } ?? 0 }
    self.bits = bits
    let activeLow = wired.filter { wiring.outputs[$0]?.active == .low }.reduce(0) { $0 | bits[$1] }
    let offsets = wired.map(lines.offset(of:))
    var error: Int32 = 0
    guard let handle = cgpiod_outputs_request(lines.chip.path, offsets, UInt32(offsets.count), activeLow, &error) else {
      throw HardwareError(.requestLines, errno: error)
    }
    self.handle = handle
  }

  /// - Returns: 0, or a negative error number.
  func set(_ levels: OutputSet) -> Int32 {
    var active: UInt64 = 0
    for output in levels { active |= bits[output] }
    return cgpiod_outputs_set(handle, active)
  }

  /// What a call costs that sets the lines, all inactive, to what they are: the median of a few, less what it costs to read
  /// the clock. It takes 5 ms, or three calls if those take longer.
  func costOfCall() -> Nanoseconds {
    let clock = LinuxClock()
    let end = clock.now + HeldOutputs.longestTrial
    var costs: [Nanoseconds] = []
    while costs.count < HeldOutputs.leastCalls || costs.count < HeldOutputs.mostCalls && clock.now < end {
      let before = clock.now
      _ = set(.inactive)
      let after = clock.now
      let reading = clock.now - after
      costs.append((after - before) - reading)
    }
    return max(costs.sorted()[costs.count / 2], .zero)
  }

  /// Makes the lines inactive and gives them back. Once.
  func release() { cgpiod_outputs_release(handle) }
}

/// Switches outputs off that a metronome has left on because it was killed, and the result of that.
public enum SwitchOff: Hashable, Sendable {
  /// All of them are off, or there are none.
  case done
  /// There is no chip, and so nothing that could be on.
  case noChip(HardwareError)
  /// A metronome that runs has some of them; the others are off.
  case held(HardwareError)

  /// Takes each output, inactive, and gives it back: one that somebody holds keeps no other from going off.
  ///
  /// - Throws: `HardwareError` when there are no such lines, or somebody else has some, or may not be asked; the others are
  ///   off.
  public static func outputs(of wiring: Wiring) throws(HardwareError) -> SwitchOff {
    let outputs = Wiring(chip: wiring.chip, outputs: wiring.outputs, buttons: [:])
    guard !outputs.lines.isEmpty else { return .done }
    do throws(HardwareError) {
      let chip = try ChipSearch(outputs).find(wiring.chip)
      return try switchOff(outputs, try ResolvedLines(outputs, on: chip))
    } catch {
      guard error.obstacle == .missing else { throw error }
      return .noChip(error)
    }
  }

  private static func switchOff(_ wiring: Wiring, _ lines: ResolvedLines) throws(HardwareError) -> SwitchOff {
    var refused: [WiredLine] = []
    var failure: HardwareError?
    for (output, wired) in wiring.outputs {
      let one = Wiring(chip: wiring.chip, outputs: [output: wired], buttons: [:])
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
