import Glibc

/// Tells when files come, go, or get other rights, in folders that may come and go themselves.
final class FileWatch {
  /// To be polled for reading: readable when there is something to tell.
  let descriptor: Int32

  init() throws(SystemError) {
    let result = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    // Before there is an object: the end of one that is not to be had would change the error number.
    guard result >= 0 else { throw SystemError("inotify_init1", errno: errno) }
    descriptor = result
  }

  deinit { close(descriptor) }

  /// Looks at a folder, if it is there; once more changes nothing.
  ///
  /// - Parameter news: what is to be told of, as inotify(7) names it.
  func add(_ folder: String, _ news: Int) { inotify_add_watch(descriptor, folder, UInt32(news)) }

  /// Whether there was something to tell since this was asked last. Never waits.
  func takeNews() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { events in
      var hasNews = false
      while read(descriptor, events.baseAddress!, events.count) > 0 { hasNews = true }
      return hasNews
    }
  }
}

/// What a person can do who may not open a device file, as a sentence.
func accessAdvice(_ path: String) -> String {
  var status = stat()
  guard stat(path, &status) == 0, status.st_mode & 0o060 == 0o060, status.st_gid != 0,
    let group = getgrgid(status.st_gid)
  else {
    return "only root may open \(path): run this as root, or give the file to a group of yours by a udev rule"
  }
  let name = String(cString: group.pointee.gr_name)
  return "only members of the group \(name) may open \(path): join it with `sudo usermod -aG \(name) $USER`, then log"
    + " in again"
}
