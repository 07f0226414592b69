import Dispatch
import Foundation

/// Runs the program in a pseudo-terminal, types keys and reads the screen.
///
/// `@unchecked Sendable`: only one test uses an instance, and awaits each call.
final class PseudoTerminal: @unchecked Sendable {
  /// The longest time that a test waits for a condition.
  private static let timeout = Duration.seconds(60)

  private let descriptor: Int32
  private let process: Process
  private let folder: Folder
  /// All bytes that the program has written.
  private(set) var bytes: [UInt8] = []
  private(set) var screen: Screen
  /// The number of bytes already on the screen. A character may arrive in pieces.
  private var shown = 0

  /// - Parameters:
  ///   - environment: variables with their values. Without `XDG_STATE_HOME`, nothing that was stored before is found.
  ///   - errors: whether standard error is the terminal, too; otherwise ``end()`` returns it.
  ///   - obeysPermissions: whether the program has no right to ignore the permissions of files, as root has.
  init(
    _ arguments: [String], columns: Int, rows: Int = 24, environment: [String: String] = [:], errors: Bool = false,
    obeysPermissions: Bool = false
  ) throws {
    screen = Screen(columns: columns, rows: rows)
    folder = try Folder()
    descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    let other = PseudoTerminal.openOther(descriptor)
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    guard other >= 0, ioctl(other, UInt(TIOCSWINSZ), &size) == 0 else { throw POSIXError(.ENODEV) }
    let handle = FileHandle(fileDescriptor: other, closeOnDealloc: true)
    let shell = "\(Program.setUnprivileged)\nexec $unprivileged \"$0\" \"$@\""
    process =
      obeysPermissions
      ? Program.prepared(URL(fileURLWithPath: "/bin/sh"), ["-c", shell, Program.path.path] + arguments)
      : Program.prepared(Program.path, arguments)
    process.environment?["TERM"] = "xterm-256color"
    process.environment?["NO_COLOR"] = nil
    // What a test stores must not reach the user's own folder, or another test.
    process.environment?["XDG_STATE_HOME"] = folder.url.path
    try FileManager.default.createDirectory(atPath: folder.path("metronome"), withIntermediateDirectories: false)
    process.environment?.merge(environment) { $1 }
    process.standardInput = handle
    process.standardOutput = handle
    let file = try FileHandle(forWritingTo: folder.file("err", []))
    process.standardError = errors ? handle : file
    try process.run()
  }

  /// Opens the program's end of the pseudo-terminal.
  private static func openOther(_ descriptor: Int32) -> Int32 {
    #if os(Linux)
      // TIOCSPTLCK and TIOCGPTN of <asm-generic/ioctls.h>.
      var (lock, number): (Int32, UInt32) = (0, 0)
      guard ioctl(descriptor, 0x4004_5431, &lock) == 0, ioctl(descriptor, 0x8004_5430, &number) == 0 else { return -1 }
      return open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    #else
      guard grantpt(descriptor) == 0, unlockpt(descriptor) == 0, let name = ptsname(descriptor) else { return -1 }
      return open(name, O_RDWR | O_NOCTTY)
    #endif
  }

  deinit {
    if process.isRunning { process.terminate() }
    close(descriptor)
  }

  func type(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }

  /// Sends a signal to the program.
  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Runs blocking work on a dispatch thread, because the tests share few threads.
  private static func blocking<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: work()) }
    }
  }

  /// Reads until the screen meets a condition. Returns false if the program ends first, or after the timeout.
  func wait(until condition: @escaping @Sendable (Screen) -> Bool) async -> Bool {
    await PseudoTerminal.blocking { self.read(until: condition) }
  }

  func wait(for text: String) async -> Bool { await wait { $0.text.contains(text) } }

  private func read(until condition: (Screen) -> Bool) -> Bool {
    let start = ContinuousClock.now
    while ContinuousClock.now - start < PseudoTerminal.timeout {
      if condition(screen) { return true }
      guard read() else { return false }
    }
    return false
  }

  /// Waits for the end of the program. Returns its exit code and what it wrote to standard error.
  func end() async throws -> (code: Int32, errors: String) {
    await PseudoTerminal.blocking {
      while self.process.isRunning { _ = self.read() }
      self.process.waitUntilExit()
      while self.read() {}
    }
    return (process.terminationStatus, try String(contentsOfFile: folder.path("err"), encoding: .utf8))
  }

  private func show(_ piece: ArraySlice<UInt8>) {
    bytes += piece
    // The end of the last complete character: a last character of several bytes may still be incomplete.
    let end = bytes.lastIndex { $0 & 0xC0 != 0x80 }.map { bytes[$0] < 0x80 ? bytes.endIndex : $0 } ?? shown
    guard end > shown else { return }
    for scalar in String(decoding: bytes[shown..<end], as: UTF8.self).unicodeScalars { screen.write(scalar) }
    shown = end
  }

  /// - Returns: false if the program has ended and everything is read.
  private func read() -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&polled, 1, process.isRunning ? 100 : 0) > 0 else { return process.isRunning }
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let count = Foundation.read(descriptor, &piece, piece.count)
    if count > 0 { show(piece[..<count]) }
    return count > 0 || process.isRunning
  }
}

/// The screen of a terminal. It understands the sequences that the program uses.
struct Screen {
  /// Whether something was written beyond the last column.
  private(set) var isOverrun = false
  /// The parameters of all SGR sequences.
  private(set) var styles: Set<String> = []
  private var cells: [[UnicodeScalar]]
  private var (row, column) = (0, 0)
  /// The incomplete sequence, if one has begun.
  private var sequence: String?

  init(columns: Int, rows: Int) {
    cells = [[UnicodeScalar]](repeating: [UnicodeScalar](repeating: " ", count: columns), count: rows)
  }

  mutating func write(_ scalar: UnicodeScalar) {
    if let begun = sequence {
      sequence = begun + String(scalar)
      // Parameters and a letter follow ESC and [.
      if !begun.isEmpty, scalar.properties.isAlphabetic { end(begun.dropFirst(), scalar) }
      return
    }
    switch scalar {
    case "\u{1B}": sequence = ""
    case "\r": column = 0
    case "\n": lineFeed()
    default:
      guard row < cells.count, column < cells[row].count else { return isOverrun = true }
      cells[row][column] = scalar
      column += 1
    }
  }

  /// Moves to the next row; scrolls below the last one.
  private mutating func lineFeed() {
    guard row == cells.count - 1 else { return row += 1 }
    cells.append([UnicodeScalar](repeating: " ", count: cells.removeFirst().count))
  }

  private mutating func end(_ parameters: Substring, _ letter: UnicodeScalar) {
    sequence = nil
    switch letter {
    case "H":
      let place = parameters.split(separator: ";").compactMap { Int($0) }
      (row, column) = place.count == 2 ? (place[0] - 1, place[1] - 1) : (0, 0)
    case "J": for row in cells.indices { erase(row, from: 0) }
    case "K": erase(row, from: column)
    case "m": styles.insert(String(parameters))
    default: break
    }
  }

  private mutating func erase(_ row: Int, from column: Int) {
    for place in column..<cells[row].count { cells[row][place] = " " }
  }

  private var lines: [String] { cells.map { String(String.UnicodeScalarView($0)) } }

  /// The lines without the blanks around them.
  var text: String { lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n") }

  /// The words of all lines, separated by spaces, because a sentence may be wrapped anywhere.
  var words: String { lines.joined(separator: " ").split(separator: " ").joined(separator: " ") }
}
