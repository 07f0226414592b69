import Glibc
import HardwareAbstraction
import LinuxBoard
import Testing

@Suite struct FileStoreTests {
  @Test func nothingSavedIsNothingLoaded() throws {
    try inTemporaryFolder { folder in
      let loaded = try FileStore(directory: folder).load()
      #expect(loaded == nil)
    }
  }

  @Test(arguments: [0, 1, 65_536])
  func savedBytesAreLoaded(count: Int) throws {
    let bytes = [UInt8](repeating: 7, count: count)
    try inTemporaryFolder { folder in
      try FileStore(directory: folder).save(bytes)
      let loaded = try FileStore(directory: folder).load()
      #expect(loaded == bytes)
    }
  }

  @Test func laterBytesTakeThePlaceOfEarlierOnes() throws {
    try inTemporaryFolder { folder in
      let store = FileStore(directory: folder)
      try store.save([1, 2, 3])
      try store.save([4])
      let loaded = try store.load()
      #expect(loaded == [4])
      #expect(access(folder + "/state.new", F_OK) != 0, "nothing is left beside the state")
    }
  }

  @Test func missingFolderIsAnErrorAndKeepsNothing() throws {
    try inTemporaryFolder { folder in
      let store = FileStore(directory: folder + "/nowhere")
      #expect(throws: HardwareError(.saveState, errno: ENOENT, detail: "cannot create \(folder)/nowhere/state.new")) {
        try store.save([1])
      }
      let loaded = try store.load()
      #expect(loaded == nil)
    }
  }

  @Test func failedSaveKeepsTheOldBytes() throws {
    try inTemporaryFolder { folder in
      let store = FileStore(directory: folder)
      try store.save([1])
      mkdir(folder + "/state.new", 0o755)
      #expect(throws: HardwareError(.saveState, errno: EISDIR, detail: "cannot create \(folder)/state.new")) {
        try store.save([2])
      }
      rmdir(folder + "/state.new")
      let loaded = try store.load()
      #expect(loaded == [1])
    }
  }

  @Test func folderInPlaceOfTheStateIsAnError() throws {
    try inTemporaryFolder { folder in
      mkdir(folder + "/state", 0o755)
      defer { rmdir(folder + "/state") }
      #expect(throws: HardwareError(.loadState, errno: EISDIR, detail: "cannot read \(folder)/state")) {
        try FileStore(directory: folder).load()
      }
    }
  }

  @Test func withoutAFolderNothingIsKept() throws {
    let store = FileStore(directory: nil)
    try store.save([1])
    let loaded = try store.load()
    #expect(loaded == nil)
  }

  private func inTemporaryFolder(_ test: (String) throws -> Void) throws {
    var template = Array("/tmp/metronome-test-XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer {
      unlink(folder + "/state")
      rmdir(folder)
    }
    try test(folder)
  }
}
