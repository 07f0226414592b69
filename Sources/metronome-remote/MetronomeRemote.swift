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

/// How to serve.
struct ServeOptions {
  /// nil: the sockets that systemd passes.
  var listen: Endpoint?
  var control = Paths.runtime
  var page = Paths.page
  var names: [String] = []
  var trustsLocal = false
  var endsWithInput = false
}

/// The command line. It is parsed by hand: the library for it would be most of the program.
enum Arguments {
  case help, version
  case serve(ServeOptions)

  static let usage = """
    Usage: metronome-remote [OPTION…]

    Serves the page with which phones show and control the metronome. Without --listen it serves the sockets that systemd
    passes: systemctl enable --now metronome-remote.socket

      --listen ADDRESS:PORT   listen there, for example 127.0.0.1:8080 or [::1]:8080
      --control FOLDER        the folder of the metronome's control socket; default: \(Paths.runtime)
      --page FOLDER           the files of the page; default: \(Paths.page)
      --name NAME             a name in the address bar besides the host's own; may be repeated
      --trust-local           programs and people on this machine need not pair
      --end-with-input        end when standard input ends
      --version               print the version
      --help                  print this help

    Paired phones are stored in $STATE_DIRECTORY, if it is set.
    """

  static func parse(_ arguments: [String]) throws(StartFailure) -> Arguments {
    var options = ServeOptions()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name = parts[0]
      switch name {
      case "--help", "-h": return .help
      case "--version": return .version
      case "--trust-local", "--end-with-input":
        guard parts.count == 1 else { throw .usage("\(name) has no value.") }
        if name == "--trust-local" { options.trustsLocal = true } else { options.endsWithInput = true }
      case "--listen", "--control", "--page", "--name":
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
          throw .usage("\(name) needs a value.")
        }
        try set(name, value, in: &options)
      default: throw .usage("There is no option \(name).")
      }
    }
    return .serve(options)
  }

  private static func set(_ name: String, _ value: String, in options: inout ServeOptions) throws(StartFailure) {
    switch name {
    case "--listen":
      guard let endpoint = Endpoint(text: value) else {
        throw .usage("\(value) is no address with a port, such as 127.0.0.1:8080 or [::1]:8080.")
      }
      options.listen = endpoint
    case "--control": options.control = value
    case "--page": options.page = value
    default: options.names.append(value)
    }
  }
}
