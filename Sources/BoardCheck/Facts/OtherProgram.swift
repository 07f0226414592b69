import CLibrary
import MetronomeCore

/// Another program, asked for what it knows or does.
package enum OtherProgram {
  /// What it prints; nil if it is not there, fails, or does not end in time.
  ///
  /// - Parameter words: its name, which is looked for in the PATH, and its arguments.
  package static func output(of words: String...) -> String? { output(of: words, patience: .seconds(3), limit: 65_536) }

  /// The same.
  ///
  /// - Parameters:
  ///   - patience: with one that says nothing; it is then killed.
  ///   - limit: of what it prints, in bytes.
  package static func output(of words: [String], patience: Nanoseconds, limit: Int = 65_536) -> String? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    defer { close(ends[0]) }
    guard let process = start(words, writingTo: ends) else { return nil }
    let bytes = contents(of: ends[0], patience, limit)
    if bytes == nil { kill(process, SIGKILL) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status == 0 ? bytes.map { String(decoding: $0, as: UTF8.self) } : nil
  }

  /// Starts one that is to do something meanwhile, and what it prints is dropped; nil if it is not there.
  ///
  /// - Returns: its process, for ``end(_:)``.
  package static func start(_ words: [String]) -> pid_t? {
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    return null < 0 ? nil : start(words, writingTo: [-1, null])
  }

  /// Whether one that was started has not ended. Where it has, this takes leave of it: there is nothing left to end.
  package static func isRunning(_ process: pid_t) -> Bool {
    var status: Int32 = 0
    return waitpid(process, &status, WNOHANG) == 0
  }

  /// Asks one that was started to end, and waits until it has: it is killed if it takes more than three seconds.
  package static func end(_ process: pid_t) {
    kill(process, SIGTERM)
    for _ in 0..<300 {
      guard isRunning(process) else { return }
      usleep(10_000)
    }
    kill(process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }

  /// Closes the end that the program writes to. No thread is made: those there are by now leave signals to this one. The
  /// program is to hear all signals, whatever is kept from this one: it is asked to end by one.
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
    // In English.
    let environment = Environment.all.merging(["LC_ALL": "C"]) { $1 }.map { "\($0.key)=\($0.value)" }
    let (arguments, variables) = (words.map { strdup($0) } + [nil], environment.map { strdup($0) } + [nil])
    defer { for text in arguments + variables { free(text) } }
    var process = pid_t()
    let result = posix_spawnp(&process, words[0], &actions, &attributes, arguments, variables)
    close(ends[1])
    return result == 0 ? process : nil
  }

  /// All there is to read, up to its end; nil if that does not come.
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
