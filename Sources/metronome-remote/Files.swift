import CLibrary
import RemoteServer

/// Reads the files of the page.
enum PageFolder {
  /// How many levels of subfolders are read.
  private static let depth = 2

  static func read(_ folder: String) throws(StartFailure) -> Assets {
    var assets = Assets()
    for name in try names(in: folder, within: "", depth: depth).sorted() {
      guard let bytes = bytes(of: folder + "/" + name, atMost: Assets.mostBytes) else {
        throw .missing("\(folder)/\(name) cannot be read: \(reason(errno)).")
      }
      guard assets.add(name, bytes) else {
        throw .missing(
          "\(folder)/\(name) cannot be served: its kind is unknown, or the page has more than \(Assets.mostFiles) files or "
            + "\(Assets.mostBytes >> 20) MiB.")
      }
    }
    guard assets["/"] != nil else { throw .missing("\(folder)/index.html is missing; use --page FOLDER.") }
    return assets
  }

  private static func names(in folder: String, within: String, depth: Int) throws(StartFailure) -> [String] {
    guard let stream = opendir(folder) else { throw .missing("\(folder) cannot be read: \(reason(errno)).") }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard Assets.isServed(name) else { continue }
      var status = stat()
      guard stat(folder + "/" + name, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFREG {
        names.append(within + name)
      } else if status.st_mode & S_IFMT == S_IFDIR, depth > 0 {
        names += try self.names(in: folder + "/" + name, within: within + name + "/", depth: depth - 1)
      }
    }
    return names
  }

  /// The content of a file; nil if the file cannot be read, or has more than `longest` bytes.
  static func bytes(of path: String, atMost longest: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return readBytes(from: descriptor, atMost: longest + 1).flatMap { $0.count > longest ? nil : $0 }
  }
}

/// The paired phones on the disk: the file `phones` in the state folder.
struct PhoneStore {
  /// The state folder; nil: the phones are kept in memory only.
  let folder: String?

  func read() -> Pairing {
    guard let folder, let bytes = PageFolder.bytes(of: folder + "/phones", atMost: 4_096) else { return Pairing() }
    return Pairing(text: String(decoding: bytes, as: UTF8.self))
  }

  /// Replaces the file atomically: after a power cut it contains either the old phones or the new ones. Blocks until the data is on
  /// the disk, but is only called when a phone is paired, or all phones are forgotten.
  func write(_ pairing: Pairing) {
    guard let folder else { return }
    let (path, draft) = (folder + "/phones", folder + "/phones.new")
    let bytes = Array(pairing.text.utf8)
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    let isWritten =
      descriptor >= 0 && CLibrary.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
    let error = errno
    if descriptor >= 0 { close(descriptor) }
    guard isWritten, rename(draft, path) == 0 else {
      return log("the phones cannot be stored in \(folder): \(reason(isWritten ? errno : error))")
    }
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return }
    fsync(directory)
    close(directory)
  }
}
