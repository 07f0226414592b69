import ArgumentParser
import Foundation
import MetronomeCore

#if LINUX_BOARD
  import LoopBench
#endif

struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
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
      (\(BenchCommand.names)), "p50_us" and its like, how many waits were "early", and all of them as "histogram_ns", \
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
  @OptionGroup var configuration: ConfigurationOption

  func validate() throws {
    if let wantedBlocks, !BenchCommand.possibleBlocks.contains(wantedBlocks) {
      throw ValidationError("--blocks is from 1 to 1000.")
    }
    _ = try duration
    if let picture, PictureFile.Kind(path: picture) == nil {
      throw ValidationError("\(quoted(picture)) is no picture this program writes; name an .svg or a .png.")
    }
  }

  func run() throws {
    let box = try configuration.read(fallback: RunCommand.defaultPath)
    #if LINUX_BOARD
      // Before anything is measured: what cannot be written need not be waited for.
      let file = try picture.map(PictureFile.init)
      let isWatched = isatty(STDERR_FILENO) == 1
      let bench = BenchRun(length: try duration, blocks: try blocks, isLoaded: load, configuration: box) { step in
        if isWatched { standardError("\r\u{1B}[K\(step) …") }
      }
      let result = try bench.result()
      if isWatched { standardError("\r\u{1B}[K") }
      try OutputFile.print(json ? try BenchCommand.encoded(result) : BenchTable.text(result))
      try file?.write(svg: BenchPicture.svg(result))
      if !result.isWithinBounds { throw ExitCode(1) }
    #else
      _ = box
      throw Failure.noHardware("this build has no real board; build it on Linux with libgpiod and ALSA")
    #endif
  }

  private var duration: Nanoseconds {
    get throws {
      guard let duration = Nanoseconds(text: length) else {
        throw ValidationError("\(quoted(length)) is not a duration; write \(Nanoseconds.textForm).")
      }
      let needed = wantedBlocks ?? BenchCommand.usefulBlocks
      let range = BenchCommand.block * Int64(needed)...Nanoseconds.seconds(86_400)
      guard range.contains(duration) else {
        let fewer = needed > 1 ? "; with fewer --blocks it may be less" : ""
        throw ValidationError("--for is from \(range.lowerBound.text) to 24h, for \(needed) blocks\(fewer).")
      }
      return duration
    }
  }

  private var blocks: Int {
    get throws {
      try wantedBlocks ?? min(Int(duration.count / BenchCommand.block.count), BenchCommand.possibleBlocks.upperBound)
    }
  }

  private static let possibleBlocks = 1...1_000
  /// What medians are made of, at the least.
  private static let usefulBlocks = 8
  /// The shortest block: a turn of a quarter of a second for each loop, and of a second for the one at 300 BPM. Short ones
  /// find the machine alike for all loops, and leave what it does now and then, such as a hypervisor that takes the
  /// processors away for a while, to a few of them.
  private static let block = Nanoseconds.milliseconds(2_250)

  #if LINUX_BOARD
    private static func encoded(_ result: BenchResult) throws -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      encoder.keyEncodingStrategy = .convertToSnakeCase
      return String(decoding: try encoder.encode(BenchJSON(result)), as: UTF8.self) + "\n"
    }
  #endif
}
