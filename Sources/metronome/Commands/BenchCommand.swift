import ArgumentParser
import MetronomeCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Starts `metronome-bench`, which takes this process's place.
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure how exact the beat is on this machine, beside other loops, with metronome-bench.",
    discussion: """
      metronome-bench is a program of its own, which is not in the package: build it with "swift build -c release --product \
      metronome-bench". It is looked for beside this program, then in the PATH, and gets all arguments: "metronome bench \
      --help" shows its options.
      """)

  private static let program = "metronome-bench"

  @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("Its arguments.", valueName: "argument"))
  var arguments: [String] = []

  func run() throws {
    try BenchCommand.start()
  }

  /// Starts the program with this one's arguments from "bench" on. Returns only by throwing: there is no such program.
  static func start() throws(Failure) -> Never {
    let arguments = CommandLine.unsafeArgv + 1
    if let folder = ownFolder { execv(folder + program, arguments) }
    execvp(program, arguments)
    throw Failure.noHardware(
      "there is no \(program) beside this program or in the PATH (\(reason(errno)));"
        + " build it: swift build -c release --product \(program)")
  }

  /// With a slash at its end.
  private static var ownFolder: String? {
    // Of `CChar`: from an array of another type Swift 6.0.3 hands over the address of the array itself.
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    guard length > 0, let slash = buffer[..<length].lastIndex(of: CChar(bitPattern: UInt8(ascii: "/"))) else {
      return nil
    }
    return String(decoding: buffer[...slash].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
