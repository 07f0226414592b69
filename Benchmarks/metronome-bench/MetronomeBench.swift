import ArgumentParser
import BoardCheck
import CLibrary
import Glibc
import HardwareAbstraction
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
    abstract: "Measure the accuracy of the beat on this machine, and compare it with other loops.",
    discussion: """
      The loops run in turn in each block. Each loop waits for one deadline after another. The loops are: (1) the beat \
      loop on its thread, woken by the kernel's timer; (2) the beat loop, spinning before each edge, as with "timing: \
      spin"; (3) the beat loop, spinning, at 300 BPM with four edges per beat; (4) cyclictest at the same priority, if \
      rt-tests is installed; (5) a common hand-written loop with nanosleep; (6) another with Python's time.sleep. The \
      beat loop uses a fake chip that records its calls. Then the program measures the cost of setting the configured \
      lines to their current levels, and the sound card's clock for 10 s while the card plays silence. It skips \
      hardware that is missing or in use.

      The table shows the lateness of the waits, the drift (how much too long an average wait is) and the CPU cost. \
      Each figure is the median over the blocks; only "p99.9" and "max" are taken over all waits. Below the table are \
      the limits for the beat loop, relative to the other loops in the same run. Run it as root or with the right to \
      real-time priorities. The machine must be otherwise idle. With --load, stress-ng keeps the whole machine busy.

      --json prints one object: "version" (1), "machine", "seconds", "blocks", "wait_us", "loops", "bounds" and \
      "notices". Each loop has "name" (\(MetronomeBench.names)), "early" (the number of early waits), "histogram_ns" \
      (lists of lower bound, upper bound and count) and figures such as "p50_us". If measured, the object also has \
      "set_call" and "sound". A figure that was not measured is absent.

      With --midi, the program instead sends a MIDI clock to a port, with the loop of the box on its real-time thread, and \
      receives it at another port, or the same one, to which a cable or a subscription leads. It prints how late the clocks \
      left and arrived, the peak-to-peak jitter, and how many were lost or doubled. A clock counts as sent when the port has accepted it. The kernel \
      stamps arrivals, except on a serial port, where a thread does. The metronome must not use the ports. With --json the object has "output", "input", "bpm", "clocks_sent", \
      "clocks_received", "clocks_unsent", "clocks_lost", "clocks_doubled", "sending" and "arrival" (each with "min_us", \
      "p50_us", "p99_us" and "max_us"), "jitter_us", and "version", "machine", "seconds" and "notices" as above.

      Exit codes: 0: all measured limits are met; 1: a limit is exceeded, or a MIDI clock was lost or doubled.
      """)

  private static let names = "cyclictest, timer, spinning, playing, nanosleep, python"

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "Total time of all blocks, at least \(MetronomeBench.shortest.text): \(Nanoseconds.textForm).",
      valueName: "duration"))
  var length = "2m"
  @Option(
    name: .customLong("blocks"),
    help: ArgumentHelp(
      "Number of blocks, 1 to 1000. (default: as many as fit into --for)", valueName: "number"))
  var wantedBlocks: Int?
  @Flag(help: "Keep the machine busy with stress-ng, if it is installed.") var load = false
  @Flag(help: "Print JSON.") var json = false
  @Option(
    help: ArgumentHelp(
      "Draw the histograms in this picture file: FILE.svg, or FILE.png if rsvg-convert or inkscape is installed.",
      valueName: "file"),
    completion: .file(extensions: ["svg", "png"]))
  var picture: String?
  @Option(
    help: ArgumentHelp(
      "Measure this MIDI output: the id of its card, an ALSA address, or a serial port.", valueName: "device"))
  var midi: String?
  @Option(
    help: ArgumentHelp("The MIDI input that receives the clock. (default: the port of --midi)", valueName: "device"))
  var midiIn: String?
  @Option(help: ArgumentHelp("Tempo of the MIDI clock. (default: 120)", valueName: "bpm"))
  var tempo: String?
  @Option(
    name: .customLong("config"), help: ArgumentHelp("YAML configuration file; - is standard input.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var path: String?

  static func main() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    do {
      let bench = try MetronomeBench.parse()
      if let option = Arguments.repeatedOption() {
        exit(withError: ValidationError("\(option) is given more than once."))
      }
      try bench.run()
    } catch let failure as Failure {
      for line in failure.message.split(separator: "\n") { standardError("metronome-bench: \(line)\n") }
      Glibc.exit(failure.code)
    } catch {
      exit(withError: error)
    }
  }

  func validate() throws {
    if let wantedBlocks, !MetronomeBench.possibleBlocks.contains(wantedBlocks) {
      throw ValidationError("--blocks must be from 1 to 1000.")
    }
    if midi != nil {
      _ = try midiBench
      if wantedBlocks != nil || load || picture != nil || path != nil {
        throw ValidationError("--midi can only be combined with --midi-in, --tempo, --for and --json.")
      }
      return
    }
    if midiIn != nil || tempo != nil { throw ValidationError("--midi-in and --tempo need --midi.") }
    _ = try duration
    if let picture, PictureFormat(path: picture) == nil {
      throw ValidationError("\(quoted(picture)) has no supported picture format; name it FILE.svg or FILE.png.")
    }
  }

  func run() throws {
    if let bench = try midiBench { return try runMIDI(bench) }
    let box = try configurationOfBox()
    // Open the picture first, so that an unwritable file is reported before the measurement.
    let file = try picture.map(PictureFile.init)
    let isWatched = isatty(STDERR_FILENO) == 1
    let bench = BenchRun(length: try duration, blocks: try blocks, isLoaded: load, configuration: box) { step in
      if isWatched { standardError("\r\u{1B}[K\(step) …") }
    }
    let result = try bench.result()
    if isWatched { standardError("\r\u{1B}[K") }
    try write(
      json ? try MetronomeBench.encoded(BenchJSON(result)) : BenchTable.text(result), to: STDOUT_FILENO,
      "standard output")
    try file?.write(svg: BenchPicture.svg(result))
    if !result.isWithinBounds { throw ExitCode(1) }
  }

  private func runMIDI(_ bench: MIDIBench) throws {
    let result = try bench.result()
    try write(json ? MetronomeBench.encoded(MIDIJSON(result)) : result.table, to: STDOUT_FILENO, "standard output")
    if !result.figures.isComplete { throw ExitCode(1) }
  }

  /// The measurement of MIDI ports; nil if none is wanted.
  private var midiBench: MIDIBench? {
    get throws {
      guard let midi else { return nil }
      guard let bpm = Tempo(decimal: tempo ?? "120") else {
        throw ValidationError("\(quoted(tempo ?? "")) is not a tempo; write 1 to 999 BPM with at most three decimals.")
      }
      guard let length = Nanoseconds(text: length),
        (Nanoseconds.seconds(1)...Nanoseconds.seconds(3_600)).contains(length)
      else { throw ValidationError("--for must be from 1s to 1h with --midi.") }
      return MIDIBench(
        output: MIDIDevice(name: midi), input: MIDIDevice(name: midiIn ?? midi), tempo: bpm, length: length)
    }
  }

  private func configurationOfBox() throws -> Configuration {
    do throws(ConfigurationError) {
      if let path { return try Configuration.read(named: path) }
      return try Configuration.readIfPresent(path: Paths.configuration) ?? .standard
    } catch {
      throw Failure(error.description, error.isMissing || error.isUnreadable ? 66 : 78)
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
        let (blocks, fewer) = needed > 1 ? ("blocks", "; fewer --blocks need less time") : ("block", "")
        throw ValidationError("--for must be from \(range.lowerBound.text) to 24h for \(needed) \(blocks)\(fewer).")
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
  /// The fewest blocks for a useful median.
  private static let usefulBlocks = 8
  /// The shortest block: a second for the loop at 300 BPM, a quarter of a second for each other loop. In a short block all
  /// loops have the same conditions, and a disturbance, for example by a hypervisor, affects few blocks.
  private static let block = Nanoseconds.milliseconds(2_250)
  private static let shortest = block * Int64(usefulBlocks)

  private static func encoded(_ result: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return String(decoding: try encoder.encode(result), as: UTF8.self) + "\n"
  }
}

/// Why the program fails: one line for the user, and an exit code of sysexits.h for scripts.
struct Failure: Error {
  let message: String
  let code: Int32

  init(_ message: String, _ code: Int32) { (self.message, self.code) = (message, code) }
}

/// Writes to standard error, unbuffered and completely.
func standardError(_ text: String) { try? write(text, to: STDERR_FILENO, "standard error") }

func write(_ text: String, to descriptor: Int32, _ name: String) throws {
  var text = text
  guard text.withUTF8({ writeAll(UnsafeRawBufferPointer($0), to: descriptor) }) else {
    throw Failure("\(name) cannot be written: \(reason(errno))", 73)
  }
}

/// A picture, created as SVG and converted by another program if a PNG is requested.
final class PictureFile {
  private let path: String
  private let format: PictureFormat
  private let descriptor: Int32

  /// - Throws: `Failure` when the file cannot be written, or no program that can draw a PNG is found.
  init(path: String) throws {
    guard let format = PictureFormat(path: path) else {
      throw Failure("\(shownName(path)) has no supported picture format", 64)
    }
    if let problem = format.problem { throw Failure(problem, 73) }
    self.path = path
    self.format = format
    // Do not truncate the file before there is a result.
    descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw Failure("\(shownName(path)) cannot be written: \(reason(errno))", 73) }
  }

  deinit { close(descriptor) }

  func write(svg: String) throws {
    _ = ftruncate(descriptor, 0)
    switch format {
    case .svg: try metronome_bench.write(svg, to: descriptor, shownName(path))
    case .png: if let problem = PictureFormat.draw(svg, toPNG: path) { throw Failure(problem, 73) }
    }
  }
}
