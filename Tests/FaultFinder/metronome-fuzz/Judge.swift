import FaultFinder
import Foundation
import MetronomeCore
import Synchronization

/// A process that lives lives, one after the other, and tells what became of the promises. It may crash or hang.
final class Judge {
  /// A life that takes more time of a processor hangs, in seconds: however many others there are who want it.
  private static let patience = 180
  /// One that takes longer waits for what does not come, in milliseconds.
  private static let longestWait: Int32 = 3_600_000

  private var process: Process?
  private var input = Pipe()
  private var output = Pipe()
  private var unread = Data()

  deinit { end() }

  /// Has a life lived that a number stands for, or that lies in files.
  ///
  /// - Parameter request: `seed N` or `life FOLDER NAME`, and `digest` after it where its bytes count.
  func judge(_ request: String) throws -> Judgement {
    if process?.isRunning != true { try begin() }
    try input.fileHandleForWriting.write(contentsOf: Data((request + "\n").utf8))
    guard let line = readLine() else {
      let isHanging = process.map { $0.isRunning || $0.terminationStatus == SIGPROF } ?? false
      end()
      return Judgement(Breach(.goesOn, at: 0, isHanging ? "it hangs" : "it crashes: \(complaints.last)"))
    }
    guard let judgement = Judgement(line: line) else { throw Trouble("a judge says \(line)") }
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

  /// Those that have not been ended.
  private static let living = Mutex<Set<Int32>>([])

  /// Breaks off every life that is being lived, in whichever thread. What comes of it is not to be believed.
  static func breakOff() { living.withLock { for process in $0 { kill(process, SIGKILL) } } }

  /// What it says on standard error.
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

  /// nil: it has died, or does not answer.
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

  /// What the process itself does: it answers each request with a line.
  static func serve() throws {
    while let request = Swift.readLine() {
      bound(Judge.patience)
      let words = request.split(separator: " ").map(String.init)
      let isDigested = words.last == "digest"
      let life: Life
      switch words.first {
      case "seed": life = Life(seed: UInt64(words[1]) ?? 0)
      case "life": life = try Life(named: words[2], in: words[1])
      default: throw Trouble("a judge does not understand \(request)")
      }
      say(Judgement(life, isDigested: isDigested).line)
    }
  }
}

/// From now on this process is killed once it has taken so many seconds of a processor.
private func bound(_ patience: Int) {
  var timer = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: patience, tv_usec: 0))
  #if canImport(Glibc)
    setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
  #else
    setitimer(ITIMER_PROF, &timer, nil)
  #endif
}

/// What a process says on standard error. Its thread is another than the reader's.
private final class Complaints: Sendable {
  private let text = Mutex("")

  func add(_ data: Data) { text.withLock { $0 += String(decoding: data, as: UTF8.self) } }

  /// Why it crashed, if it says so.
  var last: String {
    let text = text.withLock { $0 }
    return text.split(separator: "\n").first { $0.contains("atal error") }.map(String.init) ?? String(text.suffix(200))
  }
}

/// Prints a line at once, and not when there is enough to be printed.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// Something that is wrong with the fault finder itself.
struct Trouble: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
