import CLibrary

/// The server of the phone page, which runs beside a simulation as a process of its own, and ends with it.
final class PageProcess {
  private static let program = "metronome-remote"
  /// For the server to start.
  private static let patience: Int32 = 5_000

  private let process: pid_t
  /// The server's standard input: its end ends the server, however this process ends.
  private let input: Int32

  /// Starts the server, and waits until it serves.
  ///
  /// - Parameters:
  ///   - address: where it listens, such as `127.0.0.1:8080`.
  ///   - folder: the folder of the control socket.
  /// - Throws: `Failure` with what the server says if it does not start.
  init(at address: String, control folder: String) throws {
    let arguments = [
      PageProcess.program, "--listen", address, "--control", folder, "--trust-local", "--end-with-input", "--page",
      PageProcess.page,
    ]
    var (input, output): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard pipe(&input) == 0, pipe(&output) == 0 else { throw Failure.noHardware("pipe: \(reason(errno))") }
    for descriptor in [input[1], output[0]] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    let (error, process) = PageProcess.spawn(arguments, input: input[0], output: output[1])
    close(input[0])
    close(output[1])
    defer { close(output[0]) }
    (self.process, self.input) = (process, input[1])
    guard error == 0 else {
      close(input[1])
      throw Failure.missingFile(
        "\(PageProcess.program) cannot be started (\(reason(error))); is its package installed?")
    }
    let line = PageProcess.firstLine(of: output[0])
    guard line.contains("serving") else {
      stop()
      throw Failure.noHardware(line.isEmpty ? "\(PageProcess.program) does not start" : line)
    }
  }

  /// Ends the server.
  func stop() {
    close(input)
    kill(process, SIGTERM)
    var status: Int32 = 0
    _ = uninterrupted { waitpid(process, &status, 0) }
  }

  private static func spawn(_ arguments: [String], input: Int32, output: Int32) -> (error: Int32, process: pid_t) {
    #if os(Linux)
      var actions = posix_spawn_file_actions_t()
    #else
      var actions: posix_spawn_file_actions_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
    var strings = arguments.map { strdup($0) } + [nil]
    defer { for string in strings { free(string) } }
    var process: pid_t = 0
    let error = posix_spawnp(&process, Paths.program(program), &actions, nil, &strings, environ)
    return (error, process)
  }

  private static func firstLine(of descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var byte: UInt8 = 0
    while bytes.count < 500, poll(&polled, 1, patience) > 0, read(descriptor, &byte, 1) == 1, byte != 0x0A {
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The files of the page: those of the source that this program was built from, or the installed ones.
  private static var page: String {
    var folder = Paths.programs ?? ""
    while !folder.isEmpty, folder != "/" {
      folder = Paths.folder(of: folder)
      let page = "\(folder)/Sources/metronome-remote/Page"
      if access(page + "/index.html", R_OK) == 0 { return page }
    }
    return Paths.page
  }
}
