import Glibc
import HardwareAbstraction

/// Keeps the state in a file, `state` in a folder that exists.
///
/// The new bytes are written beside the old ones, brought to the disk, and then take their name: a power cut at any
/// moment leaves one of the two. Without a folder nothing is kept, and nothing was.
public final class FileStore: StateStore {
  /// More than any state of a metronome; a file that is larger is none of ours.
  private static let maximumSize = 65_536

  private let directory: String?

  public init(directory: String?) {
    self.directory = directory
  }

  public func load() throws(HardwareError) -> [UInt8]? {
    guard let directory else { return nil }
    let path = directory + "/state"
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 && errno == ENOENT { return nil }
    guard descriptor >= 0 else { throw failure(.loadState, errno, "cannot open \(path)") }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: FileStore.maximumSize + 1)
    var count = 0
    while count < bytes.count {
      let more = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + count, $0.count - count) }
      if more == 0 { return Array(bytes[..<count]) }
      if more < 0 && errno == EINTR { continue }
      guard more > 0 else { throw failure(.loadState, errno, "cannot read \(path)") }
      count += more
    }
    throw HardwareError(
      .loadState, errno: EFBIG, detail: "\(path) is larger than any state of the metronome: delete it")
  }

  public func save(_ bytes: [UInt8]) throws(HardwareError) {
    precondition(bytes.count <= FileStore.maximumSize, "a state this large could not be loaded again")
    guard let directory else { return }
    let path = directory + "/state"
    let newPath = path + ".new"
    do throws(HardwareError) {
      try writeFile(newPath, bytes)
      guard rename(newPath, path) == 0 else { throw failure(.saveState, errno, "cannot replace \(path)") }
    } catch {
      unlink(newPath)
      throw error
    }
    try synchronize(directory)
  }

  private func writeFile(_ path: String, _ bytes: [UInt8]) throws(HardwareError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(.saveState, errno, "cannot create \(path)") }
    defer { close(descriptor) }
    var count = 0
    while count < bytes.count {
      let more = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + count, $0.count - count) }
      if more < 0 && errno == EINTR { continue }
      guard more >= 0 else { throw failure(.saveState, errno, "cannot write \(path)") }
      count += more
    }
    guard fsync(descriptor) == 0 else { throw failure(.saveState, errno, "cannot bring \(path) to the disk") }
  }

  /// Brings the file's new name to the disk.
  private func synchronize(_ directory: String) throws(HardwareError) {
    let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(.saveState, errno, "cannot open \(directory)") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(.saveState, errno, "cannot bring \(directory) to the disk") }
  }

  private func failure(_ operation: HardwareError.Operation, _ errno: Int32, _ detail: String) -> HardwareError {
    HardwareError(operation, errno: errno, detail: detail)
  }
}
