import Glibc

/// Keeps all the memory of the process, present and to come, from being paged out, so that no real-time thread waits for
/// a disk.
public func lockMemory() -> Grant {
  mlockall(Int32(MCL_CURRENT) | Int32(MCL_FUTURE)) == 0 ? .granted : .refused(errno: errno)
}
