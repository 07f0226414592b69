import Foundation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import StateFiles
import Testing

@Suite struct FileFolderTests {
  private let place = TemporaryFolder()

  @Test(arguments: [
    (ENOENT, HardwareError.Kind.gone), (EACCES, .denied), (EPERM, .denied), (ENOSPC, .full), (EDQUOT, .full),
    (EROFS, .readOnly), (EIO, .other),
  ])
  func errorNumbersMapToKinds(errno: Int32, kind: HardwareError.Kind) {
    #expect(HardwareError(.saveState, errno: errno, detail: "").kind == kind)
  }

  @Test(arguments: [0, 1, 163_840]) func writtenBytesAreReadBack(count: Int) throws {
    let bytes = [UInt8](repeating: 7, count: count)
    try FileFolder(place.path).write("state", bytes)
    let read = try FileFolder(place.path).read("state")
    #expect(read == bytes)
  }

  @Test func missingFoldersAreCreatedForTheirOwner() throws {
    let path = place.path + "/a/b"
    // With sudo, the home is another user's.
    if geteuid() == 0 { try #require(chown(place.path, 1_234, 2_345) == 0) }
    let isNew = try [FileFolder.create(path), FileFolder.create(path)]
    #expect(isNew == [true, false])
    for made in ["/a", "/a/b"] {
      let found = try FileManager.default.attributesOfItem(atPath: place.path + made)
      #expect(found[.posixPermissions] as? Int == 0o700)
      #expect(found[.ownerAccountID] as? UInt32 == (geteuid() == 0 ? 1_234 : geteuid()))
    }
    try FileFolder(path).write("state", [1])
    let detail = path + "/state/c cannot be created"
    #expect(throws: HardwareError(.saveState, .other, errno: ENOTDIR, detail: detail)) {
      try FileFolder.create(path + "/state/c")
    }
  }

  @Test func fileThatCouldNotBeReadBackIsNotWritten() throws {
    let folder = try FileFolder(place.path)
    #expect(throws: HardwareError(.saveState, .other, errno: EFBIG, detail: "\(place.path): state cannot be written")) {
      try folder.write("state", [UInt8](repeating: 7, count: 163_841))
    }
    #expect(!folder.exists("state"))
  }

  @Test func tooLargeFileIsRefused() throws {
    try Data(count: 163_841).write(to: place.url("state"))
    #expect(throws: HardwareError(.loadState, .other, errno: EFBIG, detail: "\(place.path): state cannot be read")) {
      try FileFolder(place.path).read("state")
    }
  }

  @Test func missingFolderIsAnError() {
    let path = place.path + "/nowhere"
    #expect(throws: HardwareError(.loadState, .gone, errno: ENOENT, detail: "\(path) cannot be opened")) {
      try FileFolder(path)
    }
  }

  @Test func removedFolderRefusesToSave() throws {
    let path = place.path + "/gone"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let folder = try FileFolder(path)
    rmdir(path)
    #expect(throws: HardwareError(.saveState, .gone, errno: ENOENT, detail: "\(path): state.new cannot be created")) {
      try folder.write("state.new", [1])
    }
    let read = try folder.read("state")
    #expect(read == nil)
  }

  @Test func folderInPlaceOfAFileIsAnError() throws {
    let folder = try FileFolder(place.path)
    mkdir(place.path + "/state", 0o755)
    #expect(throws: HardwareError(.loadState, .other, errno: EISDIR, detail: "\(place.path): state cannot be read")) {
      try folder.read("state")
    }
    #expect(throws: HardwareError(.saveState, .other, errno: EEXIST, detail: "\(place.path): state cannot be created"))
    {
      try folder.write("state", [1])
    }
  }

  @Test func pipeInPlaceOfAFileDoesNotBlock() throws {
    mkfifo(place.path + "/state", 0o644)
    let read = try FileFolder(place.path).read("state")
    #expect(read == [])
  }

  /// The target of the link must stay unchanged.
  @Test func linkIsReplacedAndNotFollowed() throws {
    try Data([9]).write(to: place.url("other"))
    symlink("other", place.path + "/state.new")
    let folder = try FileFolder(place.path)
    try folder.write("state.new", [1])
    let written = try folder.read("state.new")
    let other = try folder.read("other")
    #expect(written == [1])
    #expect(other == [9])
  }

  /// Folders in place of state files are renamed. Then saving works again, and no folder is deleted.
  @Test(arguments: [
    ["state"], ["state.new"], ["state.previous"], ["state.damaged"], ["state", "state.damaged", "state.new"],
  ])
  func archiveRenamesFoldersInPlaceOfFiles(names: [String]) throws {
    let folder = try FileFolder(place.path)
    try StateArchive(folder).save(SavedState(Music(tempo: Tempo(bpm: 99)!)))
    try folder.rename("state", to: "state.previous")
    for name in names {
      unlink(place.path + "/" + name)
      mkdir(place.path + "/" + name, 0o755)
    }
    let archive = StateArchive(folder)
    _ = archive.load()
    try archive.save(SavedState(Music(tempo: Tempo(bpm: 77)!)))
    try archive.save(SavedState(Music(tempo: Tempo(bpm: 78)!)))
    #expect(StateArchive(folder).load().savedState?.tempo == Tempo(bpm: 78))
    let folders = try FileManager.default.contentsOfDirectory(atPath: place.path).filter {
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: place.path + "/" + $0, isDirectory: &isFolder) && isFolder.boolValue
    }
    #expect(folders.count == names.count && folders.allSatisfy { $0.contains(".damaged") })
  }

  private func modeOfLock() -> mode_t? {
    var status = stat()
    return stat(place.path + "/lock", &status) == 0 ? status.st_mode & 0o777 : nil
  }

  @Test func onlyTheOwnerCanHoldTheLock() throws {
    let folder = try FileFolder(place.path)
    let isLocked = try folder.lock()
    #expect(modeOfLock() == 0o600)
    #expect(isLocked)
    // A process that can only read the folder can lock the folder, but not the file `lock`, so it blocks no other process.
    let other = open(place.path, O_RDONLY | O_DIRECTORY)
    defer { close(other) }
    #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
  }

  @Test func theLockOfAnEarlierVersionIsClosedToTheGroup() throws {
    try Data().write(to: place.url("lock"))
    chmod(place.path + "/lock", 0o660)
    #expect(try FileFolder(place.path).lock())
    #expect(modeOfLock() == 0o600)
    // But not another file that it is a link to.
    chmod(place.path + "/lock", 0o664)
    link(place.path + "/lock", place.path + "/other")
    #expect(try FileFolder(place.path).lock())
    #expect(modeOfLock() == 0o664)
  }

  /// Another lock would exclude nobody.
  @Test func aLockThatCannotBeOpenedIsAnError() throws {
    symlink("other", place.path + "/lock")
    for isOptional in [false, true] {
      #expect(
        throws: HardwareError(.loadState, .other, errno: ELOOP, detail: "\(place.path): the file lock cannot be opened")
      ) {
        try FileFolder(place.path).lock(isOptional: isOptional)
      }
    }
    unlink(place.path + "/lock")
    let folder = try FileFolder(place.path)
    rmdir(place.path)
    #expect(
      throws: HardwareError(.loadState, .gone, errno: ENOENT, detail: "\(place.path): the file lock cannot be opened")
    ) {
      try folder.lock()
    }
  }

  @Test func onlyOneFileFolderCanHoldTheLock() throws {
    var first: FileFolder? = try FileFolder(place.path)
    let second = try FileFolder(place.path)
    let isLocked = try first?.lock()
    let isLockedTwice = try second.lock()
    #expect(isLocked == true)
    #expect(isLockedTwice == false)
    first = nil
    let isLockedAfterRelease = try second.lock()
    #expect(isLockedAfterRelease == true)
  }
}

/// A temporary folder of one test, removed at its end.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("state-" + UUID().uuidString).path
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func url(_ name: String) -> URL { URL(fileURLWithPath: path).appendingPathComponent(name) }
}
