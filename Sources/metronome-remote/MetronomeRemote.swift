import CLibrary
import ControlSocket
import MetronomeCore
import RemoteServer

/// The program: reads its arguments, opens what it needs, and serves until it is killed.
@main
enum MetronomeRemote {
  static func main() {
    // If the reader of standard error has exited, a write must fail with EPIPE, and not end this process.
    signal(SIGPIPE, SIG_IGN)
    do throws(StartFailure) {
      switch try Arguments.parse(Array(CommandLine.arguments.dropFirst())) {
      case .help: print(Arguments.usage)
      case .version: print("metronome-remote \(programVersion)")
      case .serve(let options): try serve(options)
      }
    } catch {
      log(error.text)
      exit(error.code)
    }
  }

  private static func serve(_ options: ServeOptions) throws(StartFailure) {
    let assets = try PageFolder.read(options.page)
    let store = PhoneStore(folder: Paths.service("STATE_DIRECTORY"))
    let listeners = try Listener.open(options.listen)
    let hosts = HostRules(hostName: Host.name, others: options.names)
    let server = PageServer(
      PageServer.Options(hosts: hosts, trustsLocal: options.trustsLocal), assets: assets, pairing: store.read(),
      random: Host.random, date: { Int64(time(nil)) })
    if options.listen != nil, let local = listeners.first?.local { log("serving http://\(local.authority)/") }
    let loop = ServerLoop(
      server, listeners, BoxConnection(folder: options.control), store, endsWithInput: options.endsWithInput)
    loop.run()
  }
}

/// Why the program cannot start.
struct StartFailure: Error {
  let text: String
  /// The exit code, as in sysexits.h.
  let code: Int32

  static func usage(_ text: String) -> StartFailure {
    StartFailure(text: "\(text) See metronome-remote --help.", code: 64)
  }
  static func missing(_ text: String) -> StartFailure { StartFailure(text: text, code: 66) }
  static func unavailable(_ text: String) -> StartFailure { StartFailure(text: text, code: 69) }
}

/// Prints a line on standard error.
func log(_ text: String) {
  let line = Array("metronome-remote: \(text)\n".utf8)
  _ = write(STDERR_FILENO, line, line.count)
}

/// What the program asks the system for.
enum Host {
  static var now: Instant { Instant(nanoseconds: nanoseconds(of: CLOCK_MONOTONIC)) }

  /// Without the domain.
  static var name: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
    let text = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(text.prefix { $0 != "." })
  }

  /// 16 bytes of the kernel's generator.
  static func random() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 16)
    let result = getentropy(&bytes, bytes.count)
    precondition(result == 0, "the kernel has no random numbers")
    return bytes
  }
}
