import BoardCheck
import Glibc
import HardwareAbstraction
import LinuxBoard
import MetronomeConfiguration
import MetronomeCore

/// The bench on this machine: loops, lines and sound card.
struct BenchRun {
  /// For how long a sound card's clock is followed.
  private static let soundTrial = Nanoseconds.seconds(10)
  private static let load = "stress-ng"

  var length: Nanoseconds
  var blocks: Int
  var isLoaded: Bool
  var configuration: Configuration
  /// Told how far it is.
  var tell: (String) -> Void

  func result() throws -> BenchResult {
    var notices: [String] = []
    var load = isLoaded ? startLoad(&notices) : nil
    defer { load.map(OtherProgram.end) }
    let bench = LoopBench(length: length, blocks: blocks) { words, patience in
      OtherProgram.output(of: words, patience: patience, limit: .max)
    }
    let (loops, rights, absences) = try measure(bench)
    if let process = load, !OtherProgram.isRunning(process) {
      load = nil
      notices.append("no load: \(BenchRun.load) has ended by itself")
    }
    tell("lines and sound card")
    var result = BenchResult(
      machine: BenchRun.machine(rights, isLoaded: load != nil), length: length, blocks: blocks,
      wait: BenchMusic.fastest.wait, loops: loops)
    result.setCall = measured("the lines", &notices) { () throws(HardwareError) in
      try LineTrial.run(configuration.wiring)
    }
    result.sound = measured("the sound card", &notices) { () throws(HardwareError) in
      try SoundTrial.run(configuration.audio, for: BenchRun.soundTrial)
    }
    result.notices = BenchRun.notices(of: rights) + absences + notices
    return result
  }

  private func measure(
    _ bench: LoopBench
  ) throws -> (loops: [LoopFigures], rights: Grant, notices: [String]) {
    do throws(SystemError) {
      return try bench.measure { tell("block \($0) of \(blocks)") }
    } catch {
      throw Failure("\(error.call): \(reason(error.errno))", 69)
    }
  }

  private func measured<Value>(
    _ what: String, _ notices: inout [String], _ trial: () throws(HardwareError) -> Value?
  ) -> Value? {
    do throws(HardwareError) {
      return try trial()
    } catch {
      let text = error.detail.isEmpty ? "\(error.operation): \(reason(error.errno))" : error.detail
      notices.append("\(what) not measured: \(text)")
      return nil
    }
  }

  private func startLoad(_ notices: inout [String]) -> pid_t? {
    // It ends by itself if this program is killed before.
    let seconds = (length.count / 1_000_000_000 + 60) * 2
    let words = [
      BenchRun.load, "--quiet", "--cpu", "0", "--io", "1", "--vm", "1", "--vm-bytes", "64M", "--timeout",
      "\(seconds)",
    ]
    let load = OtherProgram.start(words)
    if load == nil { notices.append("no load: apt install \(BenchRun.load)") }
    return load
  }

  private static func notices(of rights: Grant) -> [String] {
    guard case .refused(let errno) = rights else { return [] }
    return [
      "without real-time priority (\(reason(errno))) nothing is watched for, and all loops wake up as the machine pleases;"
        + " run as root, or allow it: LimitRTPRIO=80 in systemd, rtprio in limits.conf"
    ]
  }

  private static func machine(_ rights: Grant, isLoaded: Bool) -> String {
    let computer = ComputerFacts(FileTree()) { nil }
    let kernel = "Linux \(computer.kernel)\(computer.isRealTimeKernel ? " (real-time)" : "")"
    let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    let priority = rights == .granted ? "priority \(RealTimeThread.beatPriority)" : "ordinary priority"
    let parts = [computer.model, kernel, "\(processors) processors", priority, isLoaded ? "under load" : nil]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}
