import ArgumentParser
import BoardCheck
import Glibc
import MetronomeConfiguration
import MetronomeCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@main
struct MetronomeBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metronome-bench",
    abstract: "Measure how exact the beat is on this machine, beside what else there is.",
    discussion: """
      Block after block, loops that wait for one instant after the other take their turns: the beat loop on its thread, with a \
      chip that only notes when it is called, once left to the kernel's timer and once with the clock watched before each \
      edge, as "timing: spin" has it; the same at 300 BPM with four edges a beat; cyclictest at the same priority, if \
      rt-tests is installed; and the loops that people write, around nanosleep and around Python's time.sleep. Then the lines \
      of the configuration are set, to what they are, and the sound card's clock is followed while it plays silence, for 10 s; \
      what is not there, or in use, is passed over.

      The table has how late waits were, by how much they were too long on the whole (the drift), and what they cost: medians \
      over the blocks, but for "p99.9" and "max", which are of all waits; below it the bounds that the beat loop is held to, \
      against the others in the same run. As root, or with the right to real-time priorities, and on a machine that has \
      nothing else to do, unless --load: stress-ng then keeps all of it busy.

      --json prints one object: "version" (1), "machine", "seconds", "blocks", "wait_us", "loops", each with "name" \
      (\(MetronomeBench.names)), "p50_us" and its like, how many waits were "early", and all of them as "histogram_ns", \
      [from, to, how many]; "bounds" and "notices"; and of "set_call", "sound" and the figures those that were measured.

      Exit codes: 0 every bound that could be measured is met, 1 one is not.
      """)

  /// Of the loops, for the help.
  private static let names = "cyclictest, timer, spinning, playing, nanosleep, python"

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("How long all blocks take together: \(Nanoseconds.textForm).", valueName: "duration"))
  var length = "2m"
  @Option(
    name: .customLong("blocks"),
    help: ArgumentHelp(
      "How often the loops take their turns, 1 to 1000. (default: as often as there is time for)", valueName: "number"))
  var wantedBlocks: Int?
  @Flag(help: "Keep the machine busy meanwhile, with stress-ng if it is installed.")
  var load = false
  @Flag(help: "As JSON, for programs.")
  var json = false
  @Option(
    help: ArgumentHelp(
      "Write the histograms as a picture: .svg, or .png if rsvg-convert or inkscape is installed.", valueName: "file"),
    completion: .file(extensions: ["svg", "png"]))
  var picture: String?
  @Option(
    name: .customLong("config"), help: ArgumentHelp("Read the configuration from this YAML file.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var path: String?

  static func main() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    do {
      let command = try MetronomeBench.parse()
      try command.run()
    } catch let failure as Failure {
      standardError("metronome-bench: \(failure.message)\n")
      Glibc.exit(failure.code)
    } catch {
      exit(withError: error)
    }
  }

  func validate() throws {
    if let wantedBlocks, !MetronomeBench.possibleBlocks.contains(wantedBlocks) {
      throw ValidationError("--blocks is from 1 to 1000.")
    }
    _ = try duration
    if let picture, PictureFile.Kind(path: picture) == nil {
      throw ValidationError("\(quoted(picture)) is no picture this program writes; name an .svg or a .png.")
    }
  }

  func run() throws {
    let box = try configurationOfBox()
    // Before anything is measured: an unwritable picture should not cost two minutes.
    let file = try picture.map(PictureFile.init)
    let isWatched = isatty(STDERR_FILENO) == 1
    let bench = BenchRun(length: try duration, blocks: try blocks, isLoaded: load, configuration: box) { step in
      if isWatched { standardError("\r\u{1B}[K\(step) …") }
    }
    let result = try bench.result()
    if isWatched { standardError("\r\u{1B}[K") }
    try write(json ? try MetronomeBench.encoded(result) : BenchTable.text(result), to: STDOUT_FILENO, "standard output")
    try file?.write(svg: BenchPicture.svg(result))
    if !result.isWithinBounds { throw ExitCode(1) }
  }

  private func configurationOfBox() throws -> Configuration {
    do throws(ConfigurationError) {
      if let path { return try Configuration.read(path: path) }
      return try Configuration.readIfPresent(path: "/etc/metronome/metronome.yaml") ?? .standard
    } catch {
      throw Failure(error.description, 78)
    }
  }

  private var duration: Nanoseconds {
    get throws {
      guard let duration = Nanoseconds(text: length) else {
        throw ValidationError("\(quoted(length)) is not a duration; write \(Nanoseconds.textForm).")
      }
      let needed = wantedBlocks ?? MetronomeBench.usefulBlocks
      let range = MetronomeBench.block * Int64(needed)...Nanoseconds.seconds(86_400)
      guard range.contains(duration) else {
        let fewer = needed > 1 ? "; with fewer --blocks it may be less" : ""
        throw ValidationError("--for is from \(range.lowerBound.text) to 24h, for \(needed) blocks\(fewer).")
      }
      return duration
    }
  }

  private var blocks: Int {
    get throws {
      try wantedBlocks
        ?? min(Int(duration.count / MetronomeBench.block.count), MetronomeBench.possibleBlocks.upperBound)
    }
  }

  private static let possibleBlocks = 1...1_000
  /// What medians are made of, at the least.
  private static let usefulBlocks = 8
  /// The shortest block: a turn of a quarter of a second for each loop, and of a second for the one at 300 BPM. Short ones
  /// find the machine alike for all loops, and leave what it does now and then, such as a hypervisor that takes the
  /// processors away for a while, to a few of them.
  private static let block = Nanoseconds.milliseconds(2_250)

  private static func encoded(_ result: BenchResult) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return String(decoding: try encoder.encode(BenchJSON(result)), as: UTF8.self) + "\n"
  }
}

/// Why the program ends without having measured: one line for a person, and an exit code of sysexits.h for a script.
struct Failure: Error {
  var message: String
  var code: Int32

  init(_ message: String, _ code: Int32) {
    self.message = message
    self.code = code
  }
}

/// What the system says about an error number.
func reason(_ errno: Int32) -> String { String(cString: strerror(errno)) }

/// Writes to standard error, at once and whole.
func standardError(_ text: String) { try? write(text, to: STDERR_FILENO, "standard error") }

/// Writes all of a text.
func write(_ text: String, to descriptor: Int32, _ name: String) throws {
  var text = text
  try text.withUTF8 { bytes in
    var rest = UnsafeRawBufferPointer(bytes)
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count < 0, errno != EINTR { throw Failure("\(name) cannot be written: \(reason(errno))", 73) }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(max(count, 0)))
    }
  }
}

/// A picture, made as SVG and converted by another program if it is to be a PNG.
final class PictureFile {
  enum Kind: String {
    case svg
    case png

    /// By the end of the name; nil for any other.
    init?(path: String) {
      guard let dot = path.lastIndex(of: ".") else { return nil }
      self.init(rawValue: path[dot...].dropFirst().lowercased())
    }
  }

  /// The programs that convert an SVG to a PNG, with their options for the target.
  private static let converters = [
    (name: "rsvg-convert", target: "--output"), (name: "inkscape", target: "--export-filename"),
  ]

  private let path: String
  private let kind: Kind
  private let descriptor: Int32

  /// - Throws: `Failure` when the file cannot be written, or no program is there that draws a PNG.
  init(path: String) throws {
    guard let kind = Kind(path: path) else { throw Failure("\(shownName(path)) is no picture", 64) }
    let isDrawable = PictureFile.converters.contains { OtherProgram.output(of: $0.name, "--version") != nil }
    if kind == .png, !isDrawable {
      throw Failure("nothing here draws a PNG: apt install librsvg2-bin, or name an .svg", 73)
    }
    self.path = path
    self.kind = kind
    // What the file holds is kept until something is measured.
    descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw Failure("\(shownName(path)) cannot be written: \(reason(errno))", 73) }
  }

  deinit { close(descriptor) }

  func write(svg: String) throws {
    _ = ftruncate(descriptor, 0)
    if kind == .svg { return try metronome_bench.write(svg, to: descriptor, shownName(path)) }
    var name = Array("/tmp/metronome-XXXXXX.svg".utf8CString)
    let source = mkstemps(&name, 4)
    guard source >= 0 else { throw Failure("a file in /tmp cannot be made: \(reason(errno))", 73) }
    defer {
      close(source)
      unlink(name)
    }
    try metronome_bench.write(svg, to: source, "a file in /tmp")
    let sourcePath = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    for converter in PictureFile.converters {
      // A path that begins with a hyphen is no option.
      let target = path.hasPrefix("/") ? path : "./" + path
      let words = [converter.name, converter.target, target, sourcePath]
      if OtherProgram.output(of: words, patience: .seconds(60)) != nil { return }
    }
    throw Failure("\(shownName(path)) cannot be drawn", 73)
  }
}
