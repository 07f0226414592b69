import FaultFinder
import Foundation
import MetronomeCore
import Synchronization

/// A child process that runs lives one after the other and returns the results. It may crash or hang.
final class Judge {
  /// CPU time in seconds after which a life counts as hanging, independent of the machine's load.
  private static let cpuLimit = 180
  /// Time in milliseconds after which a reply is no longer waited for.
  private static let longestWait: Int32 = 3_600_000

  private var process: Process?
  private var input = Pipe()
  private var output = Pipe()
  private var unread = Data()

  deinit { end() }

  /// Runs a life given by its seed or by its files.
  ///
  /// - Parameter request: `seed N` or `life FOLDER NAME`, followed by `digest` if the trace's bytes are compared.
  func judge(_ request: String) throws -> Judgement {
    if process?.isRunning != true { try begin() }
    try input.fileHandleForWriting.write(contentsOf: Data((request + "\n").utf8))
    guard let line = readLine() else {
      let isHanging = process.map { $0.isRunning || $0.terminationStatus == SIGPROF } ?? false
      end()
      return Judgement(Breach(.continues, at: 0, isHanging ? "the life hangs" : "the life crashed: \(complaints.last)"))
    }
    guard let judgement = Judgement(line: line) else { throw Trouble("invalid reply of a judge: \(line)") }
    return judgement
  }

  func end() {
    guard let process else { return }
    Judge.living.withLock { _ = $0.remove(process.processIdentifier) }
    process.terminate()
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    self.process = nil
  }

  /// The processes that are running.
  private static let living = Mutex<Set<Int32>>([])

  /// Kills the processes of all threads. Their results must be ignored.
  static func killAll() { living.withLock { for process in $0 { kill(process, SIGKILL) } } }

  /// The text that the process wrote to standard error.
  private var complaints = Complaints()

  private func begin() throws {
    (input, output, unread) = (Pipe(), Pipe(), Data())
    let errors = Pipe()
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["--judge"]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    var environment = ProcessInfo.processInfo.environment
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = environment
    let complaints = Complaints()
    errors.fileHandleForReading.readabilityHandler = { complaints.add($0.availableData) }
    self.complaints = complaints
    end()
    try process.run()
    Judge.living.withLock { _ = $0.insert(process.processIdentifier) }
    self.process = process
  }

  /// Returns nil if the process has ended or does not answer in time.
  private func readLine() -> String? {
    let handle = output.fileHandleForReading
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[unread.startIndex..<end], as: UTF8.self)
        unread = Data(unread[unread.index(after: end)...])
        return line
      }
      var wait = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&wait, 1, Judge.longestWait) > 0 else { return nil }
      let data = handle.availableData
      guard !data.isEmpty else {
        process?.waitUntilExit()
        return nil
      }
      unread += data
    }
  }

  /// The child process's main loop: answers each request with a line.
  static func serve() throws {
    while let request = Swift.readLine() {
      bound(Judge.cpuLimit)
      let words = request.split(separator: " ").map(String.init)
      let isDigested = words.last == "digest"
      let life: Life
      switch words.first {
      case "seed": life = Life(seed: UInt64(words[1]) ?? 0)
      case "life": life = try Life(named: words[2], in: words[1])
      default: throw Trouble("invalid request to a judge: \(request)")
      }
      say(Judgement(life, isDigested: isDigested).line)
    }
  }
}

/// From now on this process is killed after this CPU time in seconds.
private func bound(_ cpuLimit: Int) {
  var timer = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: cpuLimit, tv_usec: 0))
  #if canImport(Glibc)
    setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
  #else
    setitimer(ITIMER_PROF, &timer, nil)
  #endif
}

/// Standard error of a process. Written on another thread than the reader's.
private final class Complaints: Sendable {
  private let text = Mutex("")

  func add(_ data: Data) { text.withLock { $0 += String(decoding: data, as: UTF8.self) } }

  /// The reason of a crash, if the text contains it.
  var last: String {
    let text = text.withLock { $0 }
    return text.split(separator: "\n").first { $0.contains("atal error") }.map(String.init) ?? String(text.suffix(200))
  }
}

/// Prints a line immediately, without buffering.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// An error of the fault finder itself.
struct Trouble: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
