import CLinux

extension LinuxClock {
  /// Whether the kernel holds the wall clock, and with it the seconds of every clock but the raw one, for synchronised; nil if
  /// it does not say.
  public static var isSynchronised: Bool? {
    let result = clinux_clock_is_synchronised()
    return result < 0 ? nil : result != 0
  }
}
