import HardwareAbstraction

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension FileFolder {
  /// Takes the folder for this process, until it is let go with the last reference to this object or the end of the
  /// process, whatever ends it.
  ///
  /// The lock is the folder's own (flock(2)), so that it needs no room on the disk and no right to write.
  ///
  /// - Returns: false when another process has it. Never waits.
  /// - Throws: `HardwareError` with operation `loadState` where the file system knows no locks.
  public func lock() throws(HardwareError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else {
        throw HardwareError(.loadState, errno: errno, detail: "\(path): it cannot be locked")
      }
    }
    return true
  }
}
