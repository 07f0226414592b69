import Foundation
import Testing

@Suite struct LogTests {
  #if os(Linux)
    /// Only the journal reads the priorities of sd-daemon(3).
    @Test(arguments: ["run", "off"]) func onlyTheJournalReceivesPriorities(command: String) throws {
      let folder = try Folder()
      let result = try Program.shell(
        """
        "$0" \(command) --config /nowhere/box 2> "$1/file"
        JOURNAL_STREAM=1:1 "$0" \(command) --config /nowhere/box 2>> "$1/file"
        : > "$1/journal"
        JOURNAL_STREAM=$(stat -c %d:%i "$1/journal") "$0" \(command) --config /nowhere/box 2> "$1/journal"
        cat "$1/file" "$1/journal"
        """, folder.url.path)
      let line = "metronome: /nowhere/box: no such file; check the path\n"
      #expect(result.output == "\(line)\(line)<3>\(line)")
    }
  #endif

  @Test func fullLogPipeDoesNotBlockTheProgram() throws {
    let log = Pipe()
    let writer = log.fileHandleForWriting.fileDescriptor
    // The test fills the pipe, then restores its flags before the program inherits it.
    let flags = fcntl(writer, F_GETFL)
    _ = fcntl(writer, F_SETFL, flags | O_NONBLOCK)
    var byte: UInt8 = 0x2E
    var filled = 0
    while write(writer, &byte, 1) == 1 { filled += 1 }
    _ = fcntl(writer, F_SETFL, flags)
    #expect(try Program.run(["run", "--config", "/nowhere/box.yaml"], errors: log.fileHandleForWriting) == 66)
    try log.fileHandleForWriting.close()
    #expect(try log.fileHandleForReading.readToEnd()?.count == filled)
  }
}
