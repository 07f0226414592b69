import CLibrary
import RemoteServer

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
