import BoardCheck
import CLibrary
import HardwareAbstraction
import LinuxBoard
import MetronomeConfiguration
import MetronomeCore

/// The benchmark on this machine: loops, lines and sound card.
struct BenchRun {
  private static let audioTrial = Nanoseconds.seconds(10)
  private static let load = "stress-ng"

  var length: Nanoseconds
  var blocks: Int
  var isLoaded: Bool
  var configuration: Configuration
  var progress: (String) -> Void

  func result() throws -> BenchResult {
    var notices: [String] = []
    var load = isLoaded ? startLoad(&notices) : nil
    defer { load.map(OtherProgram.end) }
    let bench = LoopBench(length: length, blocks: blocks) { words, patience in
      OtherProgram.output(of: words, patience: patience, limit: .max)
    }
    let (loops, rights, absences): ([LoopFigures], Grant, [String])
    do throws(SystemError) {
      (loops, rights, absences) = try bench.measure { progress("block \($0) of \(blocks)") }
    } catch {
      throw Failure("\(error.call): \(reason(error.errno))", 69)
    }
    if let process = load, !OtherProgram.isRunning(process) {
      load = nil
      notices.append("no load: \(BenchRun.load) ended early")
    }
    progress("lines and sound card")
    var result = BenchResult(
      machine: BenchRun.machine(rights, isLoaded: load != nil), length: length, blocks: blocks,
      wait: BenchMusic.fastest.wait, loops: loops)
    result.setCall = measured("the lines", &notices) { () throws(HardwareError) in
      try LineTrial.run(configuration.wiring)
    }
    result.audio = measured("the sound card", &notices) { () throws(HardwareError) in
      try AudioTrial.run(configuration.audio, for: BenchRun.audioTrial)
    }
    result.notices = BenchRun.notices(of: rights) + absences + notices
    return result
  }

  private func measured<Value>(
    _ what: String, _ notices: inout [String], _ trial: () throws(HardwareError) -> Value?
  ) -> Value? {
    do throws(HardwareError) {
      return try trial()
    } catch {
      let detail = error.detail.isEmpty ? "\(error.operation): \(reason(error.errno))" : error.detail
      notices.append("\(what) not measured: \(detail)")
      return nil
    }
  }

  private func startLoad(_ notices: inout [String]) -> pid_t? {
    // It ends by itself even if this program is killed.
    let seconds = (length.count / 1_000_000_000 + 60) * 2
    let words = [
      BenchRun.load, "--quiet", "--cpu", "0", "--io", "1", "--vm", "1", "--vm-bytes", "64M", "--timeout", "\(seconds)",
    ]
    let load = OtherProgram.start(words)
    if load == nil {
      notices.append("no load: \(BenchRun.load) cannot be started; to install it: apt install \(BenchRun.load)")
    }
    return load
  }

  static func notices(of rights: Grant) -> [String] {
    guard case .refused(let errno) = rights else { return [] }
    return [
      "without real-time priority (\(reason(errno))) the beat loop does not spin, and all loops may wake up late;"
        + " run as root, or set LimitRTPRIO=80 in systemd, or rtprio in limits.conf"
    ]
  }

  /// - Parameter priority: that of the measured thread, if it was granted.
  static func machine(_ rights: Grant, priority number: Int32 = RealTimeThread.beatPriority, isLoaded: Bool) -> String {
    let computer = ComputerFacts(FileTree()) { nil }
    let kernel = "Linux \(computer.kernel)\(computer.isRealTimeKernel ? " (real-time)" : "")"
    let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    let priority = rights == .granted ? "priority \(number)" : "ordinary priority"
    let parts = [computer.model, kernel, "\(processors) processors", priority, isLoaded ? "under load" : nil]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}
