import Glibc
import HardwareAbstraction
import MetronomeCore

/// A plugged-in input device, created by the bench's `hand-device`. `deinit` unplugs it.
final class HandDevice {
  private let request: InputRequest
  private let program: pid_t
  /// The program's standard input, one command per line.
  private let lines: Int32

  /// - Parameter record: a file to which the program logs the time of each action.
  init(_ request: InputRequest, program path: String, record: String = "/dev/null") {
    guard case .named(let name) = request.device else { fatalError("a device of the bench must be requested by name") }
    let codes = request.keys.keys.map { "key:\($0.number)" } + request.relative.keys.map { "rel:\($0.number)" }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { fatalError("pipe: \(errno)") }
    _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    var arguments = ([path, name, record] + codes).map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child = pid_t()
    let result = posix_spawn(&child, path, &actions, nil, &arguments, environ)
    guard result == 0 else { fatalError("\(path): \(result)") }
    close(ends[0])
    self.request = request
    program = child
    lines = ends[1]
  }

  deinit {
    close(lines)
    waitpid(program, nil, 0)
  }

  func move(_ button: Button, _ direction: ButtonEdge.Direction) {
    let key = request.keys.first { $0.value == button }!.key
    send("key \(key.number) \(direction == .down ? 1 : 0)")
  }

  func turn(_ dial: Dial, by detents: Int) {
    let axis = request.relative.first { $0.value == dial }!.key
    send("rel \(axis.number) \(detents)")
  }

  private func send(_ line: String) {
    let text = line + "\n"
    guard write(lines, text, text.utf8.count) == text.utf8.count else { fatalError("device: \(errno)") }
  }
}
