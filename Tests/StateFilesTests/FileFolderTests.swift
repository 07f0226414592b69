import Foundation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import StateFiles
import Testing

@Suite struct FileFolderTests {
  private let place = TemporaryFolder()

  @Test(arguments: [0, 1, 65_536]) func writtenBytesAreRead(count: Int) throws {
    let bytes = [UInt8](repeating: 7, count: count)
    try FileFolder(place.path).write("state", bytes)
    let read = try FileFolder(place.path).read("state")
    #expect(read == bytes)
  }

  @Test func whatIsTooLargeToBeOursIsRefused() throws {
    try Data(count: 65_537).write(to: place.url("state"))
    #expect(throws: HardwareError(.loadState, errno: EFBIG, detail: "\(place.path): state cannot be read")) {
      try FileFolder(place.path).read("state")
    }
  }

  @Test func aFolderThatIsNotThereIsAnError() {
    let path = place.path + "/nowhere"
    #expect(throws: HardwareError(.loadState, errno: ENOENT, detail: "\(path) cannot be opened")) {
      try FileFolder(path)
    }
  }

  @Test func aFolderThatWasRemovedRefusesToSave() throws {
    let path = place.path + "/gone"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let folder = try FileFolder(path)
    rmdir(path)
    #expect(throws: HardwareError(.saveState, errno: ENOENT, detail: "\(path): state.new cannot be created")) {
      try folder.write("state.new", [1])
    }
    let read = try folder.read("state")
    #expect(read == nil)
  }

  @Test func aFolderInPlaceOfAFileIsAnError() throws {
    let folder = try FileFolder(place.path)
    mkdir(place.path + "/state", 0o755)
    #expect(throws: HardwareError(.loadState, errno: EISDIR, detail: "\(place.path): state cannot be read")) {
      try folder.read("state")
    }
    #expect(throws: HardwareError(.saveState, errno: EEXIST, detail: "\(place.path): state cannot be created")) {
      try folder.write("state", [1])
    }
  }

  @Test func aPipeInPlaceOfAFileKeepsNobodyWaiting() throws {
    mkfifo(place.path + "/state", 0o644)
    let read = try FileFolder(place.path).read("state")
    #expect(read == [])
  }

  /// What the name stood for is another file's business.
  @Test func aLinkIsReplacedAndNotFollowed() throws {
    try Data([9]).write(to: place.url("other"))
    symlink("other", place.path + "/state.new")
    let folder = try FileFolder(place.path)
    try folder.write("state.new", [1])
    let written = try folder.read("state.new")
    let other = try folder.read("other")
    #expect(written == [1])
    #expect(other == [9])
  }

  /// Whatever stands where a state should be, something is saved in the end, and nothing is lost.
  @Test(arguments: [
    ["state"], ["state.new"], ["state.previous"], ["state.damaged"], ["state", "state.damaged", "state.new"],
  ])
  func aFolderInPlaceOfAFileIsSetAside(names: [String]) throws {
    let folder = try FileFolder(place.path)
    try StateArchive(folder).save(SavedState(tempo: Tempo(bpm: 99)!))
    try folder.rename("state", to: "state.previous")
    for name in names {
      unlink(place.path + "/" + name)
      mkdir(place.path + "/" + name, 0o755)
    }
    let archive = StateArchive(folder)
    _ = archive.load()
    try archive.save(SavedState(tempo: Tempo(bpm: 77)!))
    try archive.save(SavedState(tempo: Tempo(bpm: 78)!))
    #expect(StateArchive(folder).load().savedState?.tempo == Tempo(bpm: 78))
    let folders = try FileManager.default.contentsOfDirectory(atPath: place.path).filter {
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: place.path + "/" + $0, isDirectory: &isFolder) && isFolder.boolValue
    }
    #expect(folders.count == names.count && folders.allSatisfy { $0.contains(".damaged") })
  }

  @Test func onlyOwnerAndGroupCanHoldTheLock() throws {
    let folder = try FileFolder(place.path)
    let taken = try folder.lock()
    var status = stat()
    #expect(stat(place.path + "/lock", &status) == 0 && status.st_mode & 0o777 == 0o660)
    #expect(taken)
    // Who can only read the folder keeps nobody from it.
    let other = open(place.path, O_RDONLY | O_DIRECTORY)
    defer { close(other) }
    #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
  }

  @Test func oneHasTheFolderAtATime() throws {
    var first: FileFolder? = try FileFolder(place.path)
    let second = try FileFolder(place.path)
    let taken = try first?.lock()
    let refused = try second.lock()
    #expect(taken == true)
    #expect(refused == false)
    first = nil
    let had = try second.lock()
    #expect(had == true)
  }
}

/// A folder of a test's own, gone with it.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("state-" + UUID().uuidString).path
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func url(_ name: String) -> URL { URL(fileURLWithPath: path).appendingPathComponent(name) }
}
