import BoardSimulation
import CLibrary
import MetronomeCore
import MetronomeSimulation

/// The simulated board in virtual time, as fast as the machine goes.
enum VirtualSimulation {
  /// - Parameter memory: nil: what is remembered is forgotten with the end.
  static func run(
    _ plan: SimulationPlan, for length: Nanoseconds, _ recordings: Recordings, memory: SimulationState?
  ) throws {
    var options = BoxLife.Options()
    options.recording = recordings.sound
    options.store = memory?.folder
    let life = BoxLife(plan, options, sinks: recordings.sinks + [memory].compactMap(\.self)) { news in
      news.tell { standardError("metronome: \($0)\n") }
    }
    life.simulation.run(until: options.start + length)
    life.simulation.finish()
    memory?.tellRefusal(of: life.simulation)
    try recordings.finish()
  }
}

extension BoxLife.News {
  /// Tells it in a line, if that is worth one.
  func tell(_ say: (String) -> Void) {
    switch self {
    case .configuration(let line): say(line)
    case .state(let findings): if let notice = findings.notice(reason: reason) { say(notice) }
    }
  }
}

/// The files a simulation leaves behind.
struct Recordings {
  /// A sound file, and how long it will be.
  struct Sound {
    var path: String
    var frames: Int64
    var rate: Int
  }

  let sinks: [any TraceSink]
  let sound: WAVRecording?
  private let files: [OutputFile]

  /// Opens the files; none is emptied before all of them are open.
  ///
  /// - Parameters:
  ///   - inputs: files that were read and are not to be written over.
  ///   - traces: files, each in the format that its name ends in.
  ///   - standardOutput: whether JSON Lines go there.
  /// - Throws: `Failure` for a file that cannot be written, or that two of them are.
  init(inputs: [String], traces: [String], standardOutput: Bool, sound: Sound? = nil) throws {
    let traceFiles = try traces.map(OutputFile.init(path:))
    let soundFile = try sound.map { try OutputFile(path: $0.path) }
    let output = standardOutput ? OutputFile() : nil
    files = traceFiles + [output, soundFile].compactMap(\.self)
    try Recordings.refuseSharing(files, inputs)
    for file in files { file.empty() }
    sinks = (traceFiles + [output].compactMap(\.self)).map { file in
      switch TraceFormat(path: file.path) {
      case .vcd: VCDTrace(to: file.write) as any TraceSink
      case .jsonl, nil: JSONLinesTrace(to: file.write)
      }
    }
    if let sound, let soundFile {
      self.sound = WAVRecording(frames: sound.frames, rate: sound.rate, to: soundFile.write)
    } else {
      self.sound = nil
    }
  }

  /// Writes what is left and tells of the first file that could not be written.
  func finish() throws {
    sound?.finish()
    for file in files { try file.check() }
  }

  private static func refuseSharing(_ files: [OutputFile], _ inputs: [String]) throws {
    var names: [OutputFile.Identity: String] = [:]
    for input in inputs {
      if let identity = OutputFile.identity(ofFileAt: input) { names[identity] = input }
    }
    for file in files {
      guard let identity = file.identity else { continue }
      if let other = names.updateValue(file.path, forKey: identity) {
        throw Failure.usage(
          "\(shownName(other)) and \(shownName(file.path)) are the same file; give each its own name")
      }
    }
  }
}

/// The formats of traces, by the ends of their files' names.
enum TraceFormat: String, CaseIterable {
  case vcd
  case jsonl

  init?(path: String) {
    guard let format = TraceFormat.allCases.first(where: { path.hasSuffix("." + $0.rawValue) }) else { return nil }
    self = format
  }
}

/// A file that is written from its beginning, or standard output.
final class OutputFile {
  /// What a file is besides its names.
  struct Identity: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  /// As it was given, for messages.
  let path: String
  /// nil for what is no file on a disk: pipes, terminals, `/dev/null`.
  let identity: Identity?
  private let descriptor: Int32
  /// The first error; from then on nothing is written.
  private var failure: Failure?

  /// Standard output.
  init() {
    path = "standard output"
    descriptor = STDOUT_FILENO
    identity = OutputFile.identity(of: STDOUT_FILENO)
  }

  /// A file, made if there is none. What it holds is left alone until ``empty()``.
  init(path: String) throws {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw Failure.cannotWrite(path, errno: errno) }
    identity = OutputFile.identity(of: descriptor)
  }

  /// Writes a text to standard output.
  static func print(_ text: String) throws {
    var text = text
    let output = OutputFile()
    text.withUTF8 { output.write(UnsafeRawBufferPointer($0)) }
    try output.check()
  }

  deinit { if descriptor != STDOUT_FILENO { close(descriptor) } }

  /// Takes out what the file held. Of standard output that is for whoever opened it to do.
  func empty() {
    guard descriptor != STDOUT_FILENO, identity != nil else { return }
    if ftruncate(descriptor, 0) != 0 { failure = Failure.cannotWrite(path, errno: errno) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while !rest.isEmpty, failure == nil {
      let count = CLibrary.write(descriptor, rest.baseAddress, rest.count)
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno != EINTR {
        failure = Failure.cannotWrite(path, errno: errno)
      }
    }
  }

  /// Tells of the first error there was.
  func check() throws { if let failure { throw failure } }

  /// nil also when there is no such file.
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
