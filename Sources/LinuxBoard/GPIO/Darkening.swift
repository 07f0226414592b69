import Glibc
import HardwareAbstraction

/// What came of switching outputs off from outside: after a metronome that died without doing it itself.
public enum Darkening: Hashable, Sendable {
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
  public static func darken(_ wiring: Wiring) throws(HardwareError) -> Darkening {
    let outputs = Wiring(chip: wiring.chip, outputs: wiring.outputs, buttons: [:])
    guard !outputs.lines.isEmpty else { return .done }
    do throws(HardwareError) {
      let chip = try ChipSearch(outputs).find(wiring.chip)
      return try darken(outputs, try ResolvedLines(outputs, on: chip))
    } catch {
      guard error.obstacle == .missing else { throw error }
      return .noChip(error)
    }
  }

  private static func darken(_ wiring: Wiring, _ lines: ResolvedLines) throws(HardwareError) -> Darkening {
    var refused: [WiredLine] = []
    var errno: Int32 = 0
    for (output, wired) in wiring.outputs {
      let one = Wiring(chip: wiring.chip, outputs: [output: wired], buttons: [:])
      do throws(HardwareError) {
        try HeldOutputs(one, lines)?.release()
      } catch {
        refused += one.lines
        errno = error.errno
      }
    }
    guard !refused.isEmpty else { return .done }
    let error = lines.refusal(of: refused, errno: errno)
    guard errno == EBUSY, lines.areHeldByMetronome(refused) else { throw error }
    return .held(error)
  }
}
