import CLibrary
import MetronomeCore

package enum OtherProgram {
  /// The output of a program in the PATH; nil if it is missing, fails, prints nothing for 3 s, or prints more than 64 KiB.
  package static func output(of words: String...) -> String? { output(of: words, patience: .seconds(3), limit: 65_536) }

  /// Runs a program like ``output(of:)``. Kills it if it prints nothing for `patience`, or more bytes than `limit`.
  package static func output(of words: [String], patience: Nanoseconds, limit: Int = 65_536) -> String? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    defer { close(ends[0]) }
    guard let process = start(words, writingTo: ends) else { return nil }
    let bytes = contents(of: ends[0], patience, limit)
    if bytes == nil { kill(process, SIGKILL) }
    var status: Int32 = 0
    _ = uninterrupted { waitpid(process, &status, 0) }
    return status == 0 ? bytes.map { String(decoding: $0, as: UTF8.self) } : nil
  }

  /// Starts a program, to be ended with ``end(_:)``, and discards its output; nil if it is missing.
  package static func start(_ words: [String]) -> pid_t? {
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    return null < 0 ? nil : start(words, writingTo: [-1, null])
  }

  /// Whether a program still runs. A program that has ended is reaped.
  package static func isRunning(_ process: pid_t) -> Bool {
    var status: Int32 = 0
    return waitpid(process, &status, WNOHANG) == 0
  }

  /// Terminates a program and waits until it has ended. Kills it after three seconds.
  package static func end(_ process: pid_t) {
    kill(process, SIGTERM)
    for _ in 0..<300 {
      guard isRunning(process) else { return }
      usleep(10_000)
    }
    kill(process, SIGKILL)
    var status: Int32 = 0
    _ = uninterrupted { waitpid(process, &status, 0) }
  }

  /// Starts a program and closes this process's copy of the pipe's writing end. The program starts with no signal blocked,
  /// even if this process blocks some. No thread is used, because it would receive this process's signals.
  private static func start(_ words: [String], writingTo ends: [Int32]) -> pid_t? {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    for end in ends where end >= 0 { posix_spawn_file_actions_addclose(&actions, end) }
    // LC_ALL=C makes the output English.
    let environment = Environment.all.merging(["LC_ALL": "C"]) { $1 }.map { "\($0.key)=\($0.value)" }
    let (arguments, variables) = (words.map { strdup($0) } + [nil], environment.map { strdup($0) } + [nil])
    defer { for text in arguments + variables { free(text) } }
    var process = pid_t()
    let result = posix_spawnp(&process, words[0], &actions, &attributes, arguments, variables)
    close(ends[1])
    return result == 0 ? process : nil
  }

  /// All bytes up to the end of the file; nil if no byte arrives for `patience`, or if there are `limit` bytes or more.
  private static func contents(of descriptor: Int32, _ patience: Nanoseconds, _ limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let milliseconds = Int32(clamping: patience.count / 1_000_000)
    while bytes.count < limit {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&polled, 1, milliseconds) > 0 else { return nil }
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 { return nil }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
    return nil
  }
}
