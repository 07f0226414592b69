import CLibrary
import MetronomeConfiguration
import MetronomeCore
import Testing

@Suite struct ConfigurationFileTests {
  @Test func fileIsRead() throws {
    try inTemporaryDirectory { directory in
      let path = directory + "/metronome.yaml"
      try write("tempo: 90\n", to: path)
      #expect(try Configuration.read(path: path) == Configuration(\.tempo, Tempo(bpm: 90)!))
      #expect(try Configuration.readIfPresent(path: path) == Configuration(\.tempo, Tempo(bpm: 90)!))
      try write("tempo: 0", to: path)
      #expect(complaint(path)?.hasPrefix("\(path):1:8: tempo: invalid value \"0\"; write ") == true)
    }
  }

  @Test func scoreIsRelativeToTheFolderOfTheFile() throws {
    try inTemporaryDirectory { directory in
      try write("8 120\n", to: directory + "/tune.txt")
      try write("score: tune.txt\n", to: directory + "/metronome.yaml")
      let configuration = try Configuration.read(path: directory + "/metronome.yaml")
      let score = try configuration.scoreFile?.readScore()
      #expect(score?.name == "tune")
    }
  }

  @Test func missingFileIsAnErrorOnlyIfItIsRequired() throws {
    try inTemporaryDirectory { directory in
      let path = directory + "/missing.yaml"
      #expect(complaint(path) == "\(path): no such file; check the path")
      let absent = try Configuration.readIfPresent(path: path)
      #expect(absent == nil)
    }
  }

  @Test func deviceOrPipeIsRefusedWithoutWaiting() throws {
    try inTemporaryDirectory { directory in
      #expect(complaint(directory) == "\(directory): this is a directory; give the path of a YAML file")
      let pipe = directory + "/pipe"
      #expect(mkfifo(pipe, 0o600) == 0)
      #expect(complaint(pipe) == "\(pipe): this is a device or a pipe; give the path of a YAML file")
    }
    #expect(complaint("/dev/zero") == "/dev/zero: this is a device or a pipe; give the path of a YAML file")
    #expect(complaint("/dev/null") == "/dev/null: this is a device or a pipe; give the path of a YAML file")
    #expect(complaint("") == ": invalid file name; check the path")
  }

  @Test func pathThroughAFileIsRefused() throws {
    try inTemporaryDirectory { directory in
      let path = directory + "/metronome.yaml"
      try write("", to: path)
      #expect(complaint(path)?.hasPrefix("\(path): the file is empty") == true)
      #expect(
        complaint(path + "/x") == "\(path)/x: cannot read the file: \(reason(ENOTDIR)); check its path and permissions")
    }
  }

  @Test func tooLongFileIsNotReadToItsEnd() throws {
    try inTemporaryDirectory { directory in
      let path = directory + "/long.yaml"
      try write(String(repeating: "[", count: 10_000_000), to: path)
      #expect(
        complaint(path)
          == "\(path): the file is larger than 256 KiB; check the path: a configuration is much smaller")
    }
  }

  private func complaint(_ path: String) -> String? {
    do {
      _ = try Configuration.read(path: path)
      return nil
    } catch {
      return error.description
    }
  }

  private func write(_ text: String, to path: String) throws {
    let file = try #require(fopen(path, "w"))
    defer { fclose(file) }
    #expect(fputs(text, file) >= 0)
  }

  private func inTemporaryDirectory(_ body: (String) throws -> Void) throws {
    var template = Array("/tmp/metronome-XXXXXX".utf8CString)
    let directory = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer {
      for name in ["metronome.yaml", "long.yaml", "pipe"] { unlink(directory + "/" + name) }
      rmdir(directory)
    }
    try body(directory)
  }
}
