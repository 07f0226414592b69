import Glibc

/// Tells when input devices come.
///
/// A device's file is made, gets its rights a moment later, and after that its links by name: all of it is told.
final class DeviceWatch {
  private static let news = Int(IN_CREATE) | Int(IN_MOVED_TO)
  private static let folders = ["/dev/input", "/dev/input/by-id"]

  private let watch: FileWatch
  private let folders: Set<String>

  /// - Parameters:
  ///   - paths: files that are waited for besides those in the usual folders.
  ///   - group: becomes readable when devices may have come.
  init(for paths: [String], group: DescriptorGroup) throws(SystemError) {
    let parents = paths.compactMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } }
    folders = Set(DeviceWatch.folders + parents.filter { !$0.isEmpty && $0 != "/dev" })
    watch = try FileWatch()
    try group.add(watch.descriptor)
    look()
  }

  /// Whether devices may have come since this was asked last. Never waits.
  func takeNews() -> Bool {
    let hasNews = watch.takeNews()
    if hasNews { look() }
    return hasNews
  }

  /// The folders are there while there are devices, or were some; until then they are waited for in the folder above.
  private func look() {
    watch.add("/dev", DeviceWatch.news)
    for folder in folders { watch.add(folder, DeviceWatch.news | Int(IN_ATTRIB)) }
  }
}
