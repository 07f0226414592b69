import CLibrary
import ControlSocket
import HardwareAbstraction
import MetronomeCore

/// An existing folder on a disk, kept open, so that renaming the folder does not matter.
public final class FileFolder: StateFolder {
  /// In bytes; more than any file of the state.
  public static let largestStateFile = 163_840

  /// The path as given by the caller, for messages.
  public let path: String
  /// In bytes.
  private let largestFile: Int
  let descriptor: Int32
  /// The file that ``lock()`` locks; negative: not opened yet.
  var lockDescriptor: Int32 = -1

  /// - Throws: `HardwareError` with operation `loadState` if the folder does not exist or cannot be opened.
  public init(_ path: String) throws(HardwareError) {
    // Opened before `self` is initialized, because `deinit` could change errno.
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw HardwareError(.loadState, errno: errno, detail: "\(path) cannot be opened") }
    self.path = path
    largestFile = FileFolder.largestStateFile
    descriptor = folder
  }

  private init(_ path: String, _ descriptor: Int32, largestFile: Int) {
    (self.path, self.descriptor, self.largestFile) = (path, descriptor, largestFile)
  }

  /// Creates a folder and the missing folders above it, for the user alone, as the XDG Base Directory Specification says. A folder
  /// that root creates has the owner and group of the one that it is in, so that `sudo` locks nobody out.
  ///
  /// - Returns: false if there is something of this name.
  /// - Throws: `HardwareError` with operation `saveState`.
  package static func create(_ path: String) throws(HardwareError) -> Bool {
    var status = stat()
    if lstat(path, &status) == 0 { return false }
    let parent = Paths.folder(of: path)
    if !["", "/"].contains(parent) { _ = try create(parent) }
    guard mkdir(path, 0o700) == 0 else {
      if errno == EEXIST { return false }
      throw HardwareError(.saveState, errno: errno, detail: "\(path) cannot be created")
    }
    if geteuid() == 0, stat(parent, &status) == 0 { _ = chown(path, status.st_uid, status.st_gid) }
    return true
  }

  /// Opens a folder in this folder. With `creates`, creates it if it is missing, with this folder's mode and, as root, its owner
  /// and group, and flushes its name to the disk. `largestFile` is the size of the largest file in it, in bytes.
  ///
  /// - Returns: nil if it is missing.
  /// - Throws: `HardwareError` with operation `loadState`, or `saveState` if it cannot be created.
  public func folder(_ name: String, creates: Bool, largestFile: Int) throws(HardwareError) -> FileFolder? {
    let isNew = creates && mkdirat(descriptor, name, 0o755) == 0
    if creates, !isNew, errno != EEXIST { throw refusal(.saveState, errno, "\(name) cannot be created") }
    let folder = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else {
      if errno == ENOENT { return nil }
      throw refusal(.loadState, errno, "\(name) cannot be opened")
    }
    if isNew {
      var status = stat()
      setOwnerAndMode(of: folder, fstat(descriptor, &status) == 0 ? status.st_mode & 0o7777 : 0o755)
    }
    let opened = FileFolder("\(path)/\(name)", folder, largestFile: largestFile)
    // Also if the folder exists: its creator may have been killed before it did this.
    if creates { try synchronize() }
    return opened
  }

  deinit { for file in [lockDescriptor, descriptor] where file >= 0 { close(file) } }

  public func read(_ name: String) throws(HardwareError) -> [UInt8]? {
    // Non-blocking, because reading a pipe could block.
    let file = openat(descriptor, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    if file < 0 && errno == ENOENT { return nil }
    guard file >= 0 else { throw refusal(.loadState, errno, "\(name) cannot be opened") }
    defer { close(file) }
    guard let bytes = readBytes(from: file, atMost: largestFile + 1) else {
      throw refusal(.loadState, errno, "\(name) cannot be read")
    }
    guard bytes.count <= largestFile else { throw refusal(.loadState, EFBIG, "\(name) cannot be read") }
    return bytes
  }

  /// Whether the folder is on a read-only file system.
  public var isReadOnly: Bool { faccessat(descriptor, ".", W_OK, 0) != 0 && Refusal.last == .readOnly }

  public func exists(_ name: String) -> Bool {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT
  }

  public func write(_ name: String, _ bytes: [UInt8]) throws(HardwareError) {
    // It could not be read back.
    guard bytes.count <= largestFile else { throw refusal(.saveState, EFBIG, "\(name) cannot be written") }
    // An existing file is replaced, not written to, because it may be a link or belong to another user.
    unlinkat(descriptor, name, 0)
    let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw refusal(.saveState, errno, "\(name) cannot be created") }
    defer { close(file) }
    setOwnerAndMode(of: file, 0o644)
    do throws(HardwareError) {
      guard bytes.withUnsafeBytes({ writeAll($0, to: file) }) else {
        throw refusal(.saveState, errno, "\(name) cannot be written")
      }
      guard fsync(file) == 0 else { throw refusal(.saveState, errno, "\(name) cannot be flushed to the disk") }
    } catch {
      unlinkat(descriptor, name, 0)
      throw error
    }
  }

  /// Sets the mode of a new file regardless of the umask and, as root, its owner and group to those of the folder. Failures are
  /// ignored, because some file systems have no owners or modes.
  private func setOwnerAndMode(of file: Int32, _ mode: mode_t) {
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

  @discardableResult
  public func remove(_ name: String) throws(HardwareError) -> Bool {
    if unlinkat(descriptor, name, 0) == 0 { return true }
    if errno == ENOENT { return false }
    throw refusal(.saveState, errno, "\(name) cannot be removed")
  }

  public func list() throws(HardwareError) -> [String] {
    // A descriptor of its own, because a listing has a position, and `closedir` closes it.
    let own = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0, let listing = fdopendir(own) else {
      let error = errno
      if own >= 0 { close(own) }
      throw refusal(.loadState, error, "the folder cannot be listed")
    }
    defer { closedir(listing) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw refusal(.loadState, errno, "the folder cannot be listed") }
    return names
  }

  public func synchronize() throws(HardwareError) {
    guard fsync(descriptor) == 0 else { throw refusal(.saveState, errno, "the folder cannot be flushed to the disk") }
  }

  func refusal(_ operation: HardwareError.Operation, _ errno: Int32, _ what: String) -> HardwareError {
    HardwareError(operation, errno: errno, detail: "\(path): \(what)")
  }
}

extension HardwareError {
  /// An error of a system call on files. Its kind is derived from the error number.
  package init(_ operation: Operation, errno: Int32, detail: String) {
    let kind: Kind =
      switch errno {
      case ENOENT, ENXIO, ENODEV: .gone
      case EPERM, EACCES: .denied
      case EBUSY: .busy
      case EINVAL: .invalid
      case ENOSPC, EDQUOT: .full
      case EROFS: .readOnly
      default: .other
      }
    self.init(operation, kind, errno: errno, detail: detail)
  }
}

extension FileFolder {
  /// Attempts to lock, one every 10 ms. Together they take longer than a command that changes presets.
  private static let attempts = 500
  /// Attempts before another metronome that answers is considered running; it may be about to exit.
  private static let attemptsToEnd = 50

  /// The state folder of a metronome that begins, locked as long as the result exists; nil, and one line to `notify`, if that
  /// fails. Waits for another metronome that ends, and for a command that changes presets.
  package static func locked(_ path: String, notify: (String) -> Void) -> FileFolder? {
    do throws(HardwareError) {
      let folder = try FileFolder(path)
      for attempt in 0..<attempts {
        if try folder.lock() { return folder }
        if attempt == attemptsToEnd, isServed(path) {
          notify("\(shownName(path)) is in use by another metronome; this one does not save its state")
          return nil
        }
        usleep(10_000)
      }
      notify("\(shownName(path)) is in use by another program; this metronome does not save its state")
    } catch {
      notify("the state is not saved: \(shownName(path)) cannot be used (\(error.reason(reason)))")
    }
    return nil
  }

  /// Whether a metronome answers in a folder.
  private static func isServed(_ path: String) -> Bool {
    #if os(Linux)
      guard let address = try? ControlAddress(in: path) else { return false }
      return (try? ControlConnection(to: address)) != nil
    #else
      return false
    #endif
  }

  /// Locks the folder for this process until this object or the process ends.
  ///
  /// The lock (flock(2)) is on the file `lock`, which only the owner of the folder can open: whoever can open it could keep the
  /// metronome from saving. If the file is missing on a read-only disk, the lock is on the folder itself.
  ///
  /// - Parameter isOptional: whether to go on without a lock if the file system does not support locks.
  /// - Returns: false if another process has locked the folder. Never waits.
  /// - Throws: `HardwareError` with operation `loadState` if the file can be neither opened nor created, or if the file system does
  ///   not support locks.
  public func lock(isOptional: Bool = false) throws(HardwareError) -> Bool {
    if lockDescriptor < 0 { lockDescriptor = try openLock() }
    if uninterrupted({ flock(lockDescriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
    if errno == EWOULDBLOCK { return false }
    if isOptional { return true }
    throw refusal(.loadState, errno, "the folder cannot be locked")
  }

  private func openLock() throws(HardwareError) -> Int32 {
    let (name, flags) = ("lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    let made = openat(descriptor, name, O_CREAT | O_EXCL | flags, 0o600)
    if made >= 0 {
      setOwnerAndMode(of: made, 0o600)
      return made
    }
    let refused = errno
    let file = openat(descriptor, name, flags)
    if file >= 0 {
      closeToGroup(file)
      return file
    }
    // If there is none, the reason is why none could be created.
    let error = errno == ENOENT ? refused : errno
    let folder = error == EROFS ? openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1
    guard folder >= 0 else { throw refusal(.loadState, error, "the file lock cannot be opened") }
    return folder
  }

  /// Earlier versions let the group open the lock. A link to another file is left alone.
  private func closeToGroup(_ file: Int32) {
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1,
      status.st_uid == geteuid(), status.st_mode & 0o077 != 0
    else { return }
    _ = fchmod(file, 0o600)
  }
}
