import BoardSimulation
import CLibrary
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import MetronomeSimulation
import StateFiles

/// The simulated board in virtual time, as fast as the machine allows.
enum VirtualSimulation {
  static func run(
    _ plan: SimulationPlan, for length: Nanoseconds, _ recordings: Recordings, state: SimulationState?
  ) throws {
    var options = BoxLife.Options()
    (options.recording, options.secondRecording) = (recordings.audio, recordings.secondAudio)
    options.stateFolder = state?.folder
    let life = BoxLife(plan, options, sinks: recordings.sinks + [state].compactMap(\.self)) { $0.print(printNotice) }
    life.simulation.run(until: options.start + length)
    life.simulation.finish()
    state?.printFailure(of: life.simulation)
    try recordings.finish()
  }
}

/// Prints a message on standard error.
func printNotice(_ text: String) { standardError("metronome: \(text)\n") }

extension BoxLife.Notice {
  func print(_ printLine: (String) -> Void) {
    switch self {
    case .configuration(let line), .refused(let line): printLine(line)
    case .state(let findings): if let notice = findings.notice(reason: reason) { printLine(notice) }
    }
  }
}

/// The saved state of a simulated metronome on a real disk.
final class SimulationState: TraceSink {
  /// nil if the folder cannot be used.
  private(set) var folder: FileFolder?
  /// Where the state is saved, or why it is not.
  private(set) var notice: String
  /// The first failure of a save.
  private(set) var failure: HardwareError?

  /// Prints a message on standard error if the folder cannot be used, or had to be created.
  ///
  /// - Parameter creates: whether to create the folder if it is missing.
  init(_ path: String, creates: Bool) {
    notice = "saved in \(SimulationState.short(path))"
    do throws(HardwareError) {
      if creates, try FileFolder.create(path) {
        printNotice("presets and settings are saved in \(shownName(path)); --state none saves nothing")
      }
    } catch {
      refuse("the state is not saved: \(shownName(error.detail)) (\(error.reason(reason)))")
      return
    }
    var refusal: String?
    folder = FileFolder.locked(path) { refusal = $0 }
    if let refusal { refuse(refusal) }
    if folder?.isReadOnly == true { refuse("the state is not saved: \(shownName(path)) is read-only") }
  }

  /// The state of a user that has no folder.
  init(refusal: String) {
    notice = refusal
    refuse(refusal)
  }

  private func refuse(_ text: String) {
    notice = text
    printNotice(text)
  }

  /// Whether what is stored outlives the program, as far as is known.
  func keeps(_ simulation: Simulation) -> Bool {
    folder?.isReadOnly == false && (failure == nil || simulation.engine.saver?.saving == .done)
  }

  private static func short(_ path: String) -> String {
    let home = Environment.all["HOME"] ?? ""
    return shownName(home.hasPrefix("/") && path.hasPrefix(home + "/") ? "~" + path.dropFirst(home.count) : path)
  }

  /// Prints, at the end, the first failure of a save, and whether the state has been saved since.
  func printFailure(of simulation: Simulation) {
    guard let failure else { return }
    let cause = "(\(failure.reason(reason)))"
    let isSaved = simulation.engine.saver?.saving == .done
    printNotice("the state could not be saved \(isSaved ? "for a while \(cause); it is saved now" : cause)")
  }

  func receive(_ event: TraceEvent) {
    if case .fault(let error) = event.what, error.operation == .saveState, failure == nil { failure = error }
  }

  func finish(at end: Nanoseconds) {}
}

/// The output files of a simulation.
struct Recordings {
  struct Audio {
    var path: String
    var frames: Int64
    var rate: Int
  }

  let sinks: [any TraceSink]
  let audio: WAVRecording?
  let secondAudio: WAVRecording?
  private let files: [OutputFile]

  /// Opens the files. No file is truncated before all are open.
  ///
  /// - Parameters:
  ///   - inputs: the input files, which must not be overwritten.
  ///   - standardOutput: whether to write JSON Lines to standard output.
  ///   - wiring: the lines and MIDI outputs that traces contain.
  /// - Throws: `Failure` for a file that cannot be written, or that has two roles.
  init(
    inputs: [String], traces: [String], standardOutput: Bool, audio: Audio? = nil, secondAudio: Audio? = nil,
    wiring: Wiring = .standard
  ) throws {
    let traceFiles = try traces.map(OutputFile.init(path:))
    let soundFiles = try [audio, secondAudio].map { try $0.map { try OutputFile(path: $0.path) } }
    let output = standardOutput ? OutputFile() : nil
    files = traceFiles + ([output] + soundFiles).compactMap(\.self)
    try Recordings.refuseSharing(files, inputs)
    for file in files { file.empty() }
    sinks = (traceFiles + [output].compactMap(\.self)).map { file in
      switch TraceFormat(path: file.path) {
      case .vcd:
        VCDTrace(lines: LineSet(of: .standard).union(wiring.outputLines), names: wiring.names, to: file.write)
          as any TraceSink
      case .mid: MIDITrace(ports: wiring.midi, to: file.write)
      case .jsonl, nil: JSONLinesTrace(to: file.write)
      }
    }
    let recordings = zip([audio, secondAudio], soundFiles).map { audio, file in
      audio.flatMap { audio in file.map { WAVRecording(frames: audio.frames, rate: audio.rate, to: $0.write) } }
    }
    (self.audio, self.secondAudio) = (recordings[0], recordings[1])
  }

  /// Writes the rest, and throws the error of the first file that could not be written.
  func finish() throws {
    audio?.finish()
    secondAudio?.finish()
    for file in files { try file.check() }
  }

  private static func refuseSharing(_ files: [OutputFile], _ inputs: [String]) throws {
    var names: [OutputFile.Identity: String] = [:]
    for input in inputs { if let identity = OutputFile.identity(ofFileAt: input) { names[identity] = input } }
    for file in files {
      guard let identity = file.identity, let other = names.updateValue(file.path, forKey: identity) else { continue }
      throw Failure.usage("\(shownName(other)) and \(shownName(file.path)) are the same file; give each its own name")
    }
  }
}

/// The formats of traces, by file name extension.
enum TraceFormat: String, CaseIterable {
  case vcd, jsonl, mid

  init?(path: String) {
    guard let format = TraceFormat.allCases.first(where: { path.hasSuffix("." + $0.rawValue) }) else { return nil }
    self = format
  }
}

/// A file that is written from its beginning, or standard output.
final class OutputFile {
  /// Identifies a file independently of its name.
  struct Identity: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  let path: String
  /// nil for pipes, terminals, `/dev/null`.
  let identity: Identity?
  private let descriptor: Int32
  /// The first error. Nothing is written after an error.
  private var failure: Failure?

  init() {
    path = "standard output"
    descriptor = STDOUT_FILENO
    identity = OutputFile.identity(of: STDOUT_FILENO)
  }

  /// Opens or creates a file. Its contents are kept until ``empty()``.
  init(path: String) throws {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw Failure.cannotWrite(path, errno: errno) }
    identity = OutputFile.identity(of: descriptor)
  }

  static func print(_ text: String) throws {
    var text = text
    let output = OutputFile()
    text.withUTF8 { output.write(UnsafeRawBufferPointer($0)) }
    try output.check()
  }

  deinit { if descriptor != STDOUT_FILENO { close(descriptor) } }

  /// Truncates the file, except standard output.
  func empty() {
    guard descriptor != STDOUT_FILENO, identity != nil else { return }
    if ftruncate(descriptor, 0) != 0 { failure = Failure.cannotWrite(path, errno: errno) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    if failure == nil, !writeAll(bytes, to: descriptor) { failure = Failure.cannotWrite(path, errno: errno) }
  }

  func check() throws { if let failure { throw failure } }

  /// nil also if the file does not exist.
  static func identity(ofFileAt path: String) -> Identity? {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return identity(of: descriptor)
  }

  private static func identity(of descriptor: Int32) -> Identity? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Identity(device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
  }
}
