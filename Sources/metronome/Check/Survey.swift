import BoardCheck
import Foundation
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import StateFiles

#if LINUX_BOARD
  import LinuxBoard
#endif

/// Looks at all that a box is made of. Nothing is changed for good: buttons are asked for as inputs for a moment, and a sound
/// card plays silence.
struct Survey {
  /// The file that was asked for; nil: where it is looked for by itself.
  var configurationPath: String?
  var statePath: String?
  /// For how long the sound card's clock is measured.
  var length: Nanoseconds
  var files = FileTree()

  /// What was seen, and the configuration if there is a good one.
  func facts() -> (BoardFacts, Configuration?) {
    let (configuration, read) = configuration()
    let processes = ProcessFacts(files, own: Int(getpid()))
    var facts = BoardFacts(
      configuration: configuration,
      computer: ComputerFacts(files) { OtherProgram.output(of: "vcgencmd", "get_throttled") },
      caller: CallerFacts(files), devices: DeviceFacts(files), processes: processes,
      clock: ClockFacts(files, processes, isSynchronised: Survey.isSynchronised),
      state: state, inputs: (read?.wiring.inputs ?? []).map { InputFacts(files, $0) }, service: service)
    #if LINUX_BOARD
      if let read {
        facts.gpio = GPIOInspection.look(read.wiring)
        facts.sound = SoundInspection.look(read.audio, measuring: length)
      }
    #endif
    return (facts, read)
  }

  private func configuration() -> (ConfigurationFacts, Configuration?) {
    let path = configurationPath ?? (files.exists(RunCommand.defaultPath) ? RunCommand.defaultPath : nil)
    do throws(ConfigurationError) {
      var read = Configuration.standard
      if let path { read = try Configuration.read(path: path) }
      _ = try read.readSounds()
      return (ConfigurationFacts(path: path, outcome: .good(read.wiring, read.audio, volume: read.volume)), read)
    } catch {
      return (ConfigurationFacts(path: path, outcome: .bad(problem: error.fault, remedy: error.remedy)), nil)
    }
  }

  private var state: StateFacts {
    var facts = StateFacts(
      files, path: statePath ?? PresetsCommand.defaultPath, origin: statePath == nil ? .standard : .named)
    if facts.isFolder { facts.contents = Survey.contents(of: facts.path) }
    return facts
  }

  private static func contents(of path: String) -> StateFacts.Contents {
    let folder: FileFolder
    do throws(HardwareError) { folder = try FileFolder(path) } catch { return .unread(errno: error.errno) }
    let found = StateArchive(folder).load()
    let losses = found.losses.map { loss in
      StateFacts.Loss(name: loss.name, trouble: trouble(loss.trouble), newName: loss.newName)
    }
    guard let presets = found.savedState?.presets.presets.count else { return .read(losses: losses, rest: .nothing) }
    return .read(losses: losses, rest: found.isWhole ? .newest(presets: presets) : .older(presets: presets))
  }

  private static func trouble(_ trouble: StateFindings.Trouble) -> StateFacts.Loss.Trouble {
    switch trouble {
    case .content(let error): .content(error)
    case .refused(let errno): .refused(errno: errno)
    }
  }

  private var service: ServiceFacts? {
    guard ServiceFacts.isManaged(files) else { return nil }
    let properties = ServiceFacts.properties.joined(separator: ",")
    let text = OtherProgram.output(of: "systemctl", "show", ServiceFacts.unit, "--property=\(properties)")
    return text.map { ServiceFacts($0, files) }
  }

  private static var isSynchronised: Bool? {
    #if LINUX_BOARD
      LinuxClock.isSynchronised
    #else
      nil
    #endif
  }
}

/// Another program, asked for what it knows or does.
enum OtherProgram {
  /// What it prints; nil if it is not there, fails, or does not end in time.
  ///
  /// - Parameter words: its name, which is looked for in the PATH, and its arguments.
  static func output(of words: String...) -> String? { output(of: words, patience: .seconds(3), limit: 65_536) }

  /// The same.
  ///
  /// - Parameters:
  ///   - patience: with one that says nothing; it is then killed.
  ///   - limit: of what it prints, in bytes.
  static func output(of words: [String], patience: Nanoseconds, limit: Int = 65_536) -> String? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    defer { close(ends[0]) }
    guard let process = start(words, writingTo: ends) else { return nil }
    let bytes = read(ends[0], patience, limit)
    if bytes == nil { kill(process, SIGKILL) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status == 0 ? bytes.map { String(decoding: $0, as: UTF8.self) } : nil
  }

  /// Starts one that is to do something meanwhile, and what it prints is dropped; nil if it is not there.
  ///
  /// - Returns: its process, for ``end(_:)``.
  static func start(_ words: [String]) -> pid_t? {
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    return null < 0 ? nil : start(words, writingTo: [-1, null])
  }

  /// Whether one that was started has not ended. Where it has, this takes leave of it: there is nothing left to end.
  static func isRunning(_ process: pid_t) -> Bool {
    var status: Int32 = 0
    return waitpid(process, &status, WNOHANG) == 0
  }

  /// Asks one that was started to end, and waits until it has: it is killed if it takes more than three seconds.
  static func end(_ process: pid_t) {
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
    let environment = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" } + ["LC_ALL=C"]
    let (arguments, variables) = (words.map { strdup($0) } + [nil], environment.map { strdup($0) } + [nil])
    defer { for text in arguments + variables { free(text) } }
    var process = pid_t()
    let result = posix_spawnp(&process, words[0], &actions, &attributes, arguments, variables)
    close(ends[1])
    return result == 0 ? process : nil
  }

  /// All there is to read, up to its end; nil if that does not come.
  private static func read(_ descriptor: Int32, _ patience: Nanoseconds, _ limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let milliseconds = Int32(clamping: patience.count / 1_000_000)
    while bytes.count < limit {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&polled, 1, milliseconds) > 0 else { return nil }
      let count = Foundation.read(descriptor, &buffer, buffer.count)
      if count < 0 { return nil }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
    return nil
  }
}
