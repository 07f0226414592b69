import Foundation
import Synchronization

/// Tells by a readable file descriptor that the program is asked to end: by SIGINT, SIGTERM or SIGHUP.
enum StopSignals {
  /// Readable once a signal has come. Made once, and never closed.
  static let descriptor: Int32 = {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0, "no pipe can be had: \(reason(errno))")
    writeEnd.store(ends[1], ordering: .releasing)
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      Foundation.signal(signal) { _ in
        var byte: UInt8 = 0
        _ = write(writeEnd.load(ordering: .acquiring), &byte, 1)
      }
    }
    return ends[0]
  }()
}

private let writeEnd = Atomic<Int32>(-1)
