import Glibc

/// Tells when input devices come.
///
/// A device's file is made, gets its rights a moment later, and after that its links by name: all of it is told.
final class DeviceWatch {
  private static let news = UInt32(IN_CREATE) | UInt32(IN_ATTRIB) | UInt32(IN_MOVED_TO)
  private static let folders = ["/dev/input", "/dev/input/by-id"]

  private let descriptor: Int32
  private let folders: Set<String>

  /// - Parameters:
  ///   - paths: files that are waited for besides those in the usual folders.
  ///   - group: becomes readable when devices may have come.
  init(for paths: [String], group: DescriptorGroup) throws(SystemError) {
    let parents = paths.compactMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } }
    folders = Set(DeviceWatch.folders + parents.filter { !$0.isEmpty && $0 != "/dev" })
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError("inotify_init1", errno: errno) }
    try group.add(descriptor)
    watch()
  }

  deinit { close(descriptor) }

  /// Whether devices may have come since this was asked last. Never waits.
  func takeNews() -> Bool {
    var events = [UInt8](repeating: 0, count: 4_096)
    var hasNews = false
    while read(descriptor, &events, events.count) > 0 { hasNews = true }
    if hasNews { watch() }
    return hasNews
  }

  /// The folders are there while there are devices, or were some; until then they are waited for in the folder above.
  private func watch() {
    inotify_add_watch(descriptor, "/dev", UInt32(IN_CREATE) | UInt32(IN_MOVED_TO))
    for folder in folders { inotify_add_watch(descriptor, folder, DeviceWatch.news) }
  }
}
