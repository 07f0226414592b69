import Glibc
import HardwareAbstraction
import MetronomeCore

/// Finds out by how many frames at a time a card's position moves on.
///
/// Not every card counts frames as they sound: some know where they stand only when an interrupt comes or a block of data has
/// been sent, a millisecond or ten apart. No interface tells which; a look at the running card does.
struct PositionStep {
  /// From one look to the next.
  private static let nap = Nanoseconds.microseconds(100)

  private let format: AudioFormat
  private let clock = LinuxClock()

  init(_ format: AudioFormat) { self.format = format }

  /// Looks at a card that has just been started, for half the time that its buffer plays. Waits so long.
  ///
  /// - Parameter position: reads it.
  /// - Returns: frames; 1 if it moves on all the time, a period's if it was not seen to move.
  func measure(_ position: () throws(ALSAFailure) -> Int64) throws(ALSAFailure) -> Int {
    let end = clock.now + format.bufferDuration / 2
    var looks = 0
    var moves: [Int64] = []
    var last = try position()
    let bell = Doorbell()
    while clock.now < end {
      _ = bell.wait(until: clock.now + PositionStep.nap)
      let next = try position()
      looks += 1
      if next > last { moves.append(next - last) }
      last = next
    }
    if moves.count > looks / 2 { return 1 }
    // The first move began before the first look.
    let whole = moves.dropFirst().sorted()
    return whole.isEmpty ? format.periodFrames : Int(whole[whole.count / 2])
  }
}
