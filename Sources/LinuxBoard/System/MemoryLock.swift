import Glibc

/// Keeps the memory of the process, what it has touched and what it will, from being paged out, so that no real-time thread
/// waits for a disk.
///
/// At once, whatever there is of the process; ``fillMemory()`` brings in the rest, which takes as long as the disk takes to
/// read the program: on a card a second.
public func lockMemory() -> Grant {
  if mlockall(Int32(MCL_CURRENT) | Int32(MCL_FUTURE) | onFault) == 0 { return .granted }
  return .refused(errno: errno)
}

/// Brings what was never touched of the memory that ``lockMemory()`` has locked into it. For a thread that has the time.
public func fillMemory() { mlockall(Int32(MCL_CURRENT) | Int32(MCL_FUTURE)) }

/// `MCL_ONFAULT`, from linux/mman.h; Linux 4.4.
private let onFault: Int32 = 4
