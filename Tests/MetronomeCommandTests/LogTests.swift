import Foundation
import Testing

@Suite struct LogTests {
  @Test func aReaderThatDoesNotReadStopsNobody() throws {
    let log = Pipe()
    let writer = log.fileHandleForWriting.fileDescriptor
    // Filled. Its flags are set back before the program inherits the pipe.
    let flags = fcntl(writer, F_GETFL)
    _ = fcntl(writer, F_SETFL, flags | O_NONBLOCK)
    var byte: UInt8 = 0x2E
    var filled = 0
    while write(writer, &byte, 1) == 1 { filled += 1 }
    _ = fcntl(writer, F_SETFL, flags)
    #expect(try Program.run(["run", "--config", "/nowhere/box.yaml"], errors: log.fileHandleForWriting) == 78)
    try log.fileHandleForWriting.close()
    #expect(try log.fileHandleForReading.readToEnd()?.count == filled)
  }
}
