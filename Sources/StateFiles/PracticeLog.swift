import CLibrary
import HardwareAbstraction
import MetronomeCore

/// The file `practice.log` in a state folder: one line for each time of playing, the newest last.
///
/// A line has the wall-clock time of the start in UTC, the seconds and bars played, the lowest and the highest tempo, and what was
/// played. After a power cut the last lines are there or missing, never incomplete. A full file is renamed to
/// `practice.log.1`, and a new one begins.
///
/// `@unchecked Sendable`: created on one thread, then used by one other.
public final class PracticeLog: @unchecked Sendable {
  public static let name = "practice.log"
  private static let older = "practice.log.1"
  private static let temporary = "practice.new"
  /// In bytes: about 1,500 lines.
  private static let longest = 131_072

  private let folder: any StateFolder
  /// Lines that could not be written yet.
  private var waiting: [String] = []
  /// The maximum number of lines that wait while the disk fails. With lines of the greatest length, of 1,200 bytes, they have room in
  /// one file.
  private static let mostWaiting = 100
  /// In Unicode scalars, of at most 4 bytes each.
  private static let longestText = 290

  public init(_ folder: any StateFolder) { self.folder = folder }

  /// Appends records. If the write fails, they are written with the next ones. `now` is the time on the monotonic clock, and
  /// `wallClock` the seconds since 1970 at the same time.
  public func append(_ records: [PracticeRecord], at now: Instant, wallClock: Int64 = PracticeLog.seconds) {
    guard !records.isEmpty else { return }
    for record in records {
      let start = wallClock - (now - record.start).count / 1_000_000_000
      let text = String(record.text.unicodeScalars.prefix(PracticeLog.longestText))
      waiting.append("\(PracticeLog.utc(start))  \(text)\n")
    }
    waiting = waiting.suffix(PracticeLog.mostWaiting)
    do throws(HardwareError) {
      try write(Array(waiting.joined().utf8))
      waiting = []
    } catch {
      // The log is not worth interrupting anything.
    }
  }

  private func write(_ lines: [UInt8]) throws(HardwareError) {
    var bytes = try folder.read(PracticeLog.name) ?? []
    if bytes.count + lines.count > PracticeLog.longest {
      try folder.rename(PracticeLog.name, to: PracticeLog.older)
      bytes = []
    }
    try folder.write(PracticeLog.temporary, bytes + lines)
    try folder.rename(PracticeLog.temporary, to: PracticeLog.name)
    try folder.synchronize()
  }

  /// The seconds since 1970 of the system's clock.
  public static var seconds: Int64 { Int64(time(nil)) }

  /// A date and time as in ISO 8601, such as `2026-11-23T20:15:00Z`.
  private static func utc(_ seconds: Int64) -> String {
    var (clock, parts) = (time_t(seconds), tm())
    guard gmtime_r(&clock, &parts) != nil else { return "1970-01-01T00:00:00Z" }
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T"
      + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
  }
}
