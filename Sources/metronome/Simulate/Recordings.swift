import BoardSimulation
import MetronomeCore

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
