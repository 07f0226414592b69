import CLibrary
import HardwareAbstraction

/// A folder on a disk, which exists, held open: it stays the same one whatever becomes of its name.
public final class FileFolder: StateFolder {
  /// More than any file of a metronome; one that is larger is none of ours.
  private static let maximumSize = 65_536

  /// As it was given, for messages.
  public let path: String
  let descriptor: Int32
  /// What ``lock()`` locks; negative: nothing yet.
  var lockDescriptor: Int32 = -1

  /// - Throws: `HardwareError` with operation `loadState` when there is no such folder, or it may not be opened.
  public init(_ path: String) throws(HardwareError) {
    // Before there is anything whose end could change errno.
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw HardwareError(.loadState, errno: errno, detail: "\(path) cannot be opened") }
    self.path = path
    descriptor = folder
  }

  deinit { for file in [lockDescriptor, descriptor] where file >= 0 { close(file) } }

  public func read(_ name: String) throws(HardwareError) -> [UInt8]? {
    // What is no file but a pipe would let its reader wait.
    let file = openat(descriptor, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    if file < 0 && errno == ENOENT { return nil }
    guard file >= 0 else { throw refusal(.loadState, errno, "\(name) cannot be opened") }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: FileFolder.maximumSize + 1)
    var count = 0
    while count < bytes.count {
      let more = bytes.withUnsafeMutableBytes { readBytes(file, $0.baseAddress! + count, $0.count - count) }
      if more == 0 { return Array(bytes[..<count]) }
      if more < 0 && errno == EINTR { continue }
      guard more > 0 else { throw refusal(.loadState, errno, "\(name) cannot be read") }
      count += more
    }
    throw refusal(.loadState, EFBIG, "\(name) cannot be read")
  }

  public func exists(_ name: String) -> Bool {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT
  }

  public func write(_ name: String, _ bytes: [UInt8]) throws(HardwareError) {
    precondition(bytes.count <= FileFolder.maximumSize, "a file this large could not be read again")
    // What is there may belong to somebody else, or be the other name of another file: it is not written to.
    unlinkat(descriptor, name, 0)
    let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw refusal(.saveState, errno, "\(name) cannot be created") }
    defer { close(file) }
    handOver(file, mode: 0o644)
    do throws(HardwareError) {
      try write(bytes, to: file, name)
      guard fsync(file) == 0 else { throw refusal(.saveState, errno, "\(name) cannot be brought to the disk") }
    } catch {
      unlinkat(descriptor, name, 0)
      throw error
    }
  }

  /// Gives a new file the mode whatever the process would take from it, and made by root the owner and the group of the
  /// folder: whose folder it is must be able to use it. File systems without owners or modes refuse, and need none.
  func handOver(_ file: Int32, mode: mode_t) {
    _ = fchmod(file, mode)
    var status = stat()
    guard geteuid() == 0, fstat(descriptor, &status) == 0 else { return }
    _ = fchown(file, status.st_uid, status.st_gid)
  }

  @discardableResult
  public func rename(_ name: String, to newName: String) throws(HardwareError) -> Bool {
    if renameat(descriptor, name, descriptor, newName) == 0 { return true }
    if errno == ENOENT, faccessat(descriptor, name, F_OK, 0) != 0 { return false }
    throw refusal(.saveState, errno, "\(name) cannot be renamed to \(newName)")
  }

  public func synchronize() throws(HardwareError) {
    guard fsync(descriptor) == 0 else { throw refusal(.saveState, errno, "it cannot be brought to the disk") }
  }

  private func write(_ bytes: [UInt8], to file: Int32, _ name: String) throws(HardwareError) {
    var count = 0
    while count < bytes.count {
      let more = bytes.withUnsafeBytes { writeBytes(file, $0.baseAddress! + count, $0.count - count) }
      if more < 0 && errno == EINTR { continue }
      guard more >= 0 else { throw refusal(.saveState, errno, "\(name) cannot be written") }
      count += more
    }
  }

  private func refusal(_ operation: HardwareError.Operation, _ errno: Int32, _ what: String) -> HardwareError {
    HardwareError(operation, errno: errno, detail: "\(path): \(what)")
  }
}

// Within the class the C library's functions of these names are hidden by its own.
private func readBytes(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(file, bytes, count)
}
private func writeBytes(_ file: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int { write(file, bytes, count) }

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
