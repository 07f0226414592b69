import BoardSimulation
import MetronomeCore

/// The files a simulation leaves behind.
struct Recordings {
  private(set) var sinks: [any TraceSink] = []
  private(set) var sound: WAVRecording?
  private var files: [OutputFile] = []

  /// Adds a trace, in the format that the file's name ends in.
  mutating func addTrace(path: String) throws {
    let file = try OutputFile(path: path)
    files.append(file)
    sinks.append(
      TraceFormat(path: path) == .vcd ? VCDTrace(to: file.write) : JSONLinesTrace(to: file.write))
  }

  /// Adds JSON Lines on standard output.
  mutating func addStandardOutput() {
    let file = OutputFile()
    files.append(file)
    sinks.append(JSONLinesTrace(to: file.write))
  }

  mutating func addSound(path: String, frames: Int64, rate: Int) throws {
    let file = try OutputFile(path: path)
    files.append(file)
    sound = WAVRecording(frames: frames, rate: rate, to: file.write)
  }

  /// Writes what is left and tells of the first file that could not be written.
  func finish() throws {
    sound?.finish()
    for file in files { try file.check() }
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
