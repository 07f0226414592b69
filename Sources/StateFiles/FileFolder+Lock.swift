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
  /// What is locked (flock(2)) is the file `lock`, which only the folder's owner and group can open, so that nobody else
  /// can keep them from it. Where it cannot be had, on a disk that cannot be written to, it is the folder itself.
  ///
  /// - Returns: false when another process has it. Never waits.
  /// - Throws: `HardwareError` with operation `loadState` where the file system knows no locks.
  public func lock() throws(HardwareError) -> Bool {
    if lockDescriptor < 0 { lockDescriptor = openLock() }
    while flock(lockDescriptor >= 0 ? lockDescriptor : descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else {
        throw HardwareError(.loadState, errno: errno, detail: "\(path): it cannot be locked")
      }
    }
    return true
  }

  /// - Returns: a descriptor, or a negative number.
  private func openLock() -> Int32 {
    let (name, flags) = ("lock", O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    let made = openat(descriptor, name, O_RDONLY | O_CREAT | O_EXCL | flags, 0o600)
    guard made < 0 else {
      handOver(made, mode: 0o660)
      return made
    }
    return openat(descriptor, name, O_RDONLY | flags)
  }
}
