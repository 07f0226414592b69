import CLibrary
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import StateFiles

extension ControlLoop {
  /// Answers a request in bytes, and says of what was done whether it is saved.
  func answer(_ bytes: [UInt8], at now: Instant, keeper: StateSaver<Observer>?) -> [UInt8] {
    guard let request = PresetRequest(bytes) else { return PresetReply.toNonsense }
    var reply = carryOut(request, at: now)
    if let keeper { reply.saving = keeper.saving }
    return reply.bytes
  }
}

/// How a metronome comes to the folder of its state.
enum StateAccess {
  /// For how long one waits for commands that change presets, which take a moment each.
  private static let attempts = 500
  /// For how long a metronome that answers there may be one that is about to end.
  private static let attemptsToEnd = 50

  /// Takes a folder for as long as it is held. Where that is not possible nothing is remembered, and playing goes on.
  ///
  /// - Parameter tell: is told why in one line.
  static func take(_ path: String, tell: (String) -> Void) -> FileFolder? {
    let folder: FileFolder
    do throws(HardwareError) {
      folder = try FileFolder(path)
      for attempt in 0..<attempts {
        if try folder.lock() { return folder }
        if attempt == attemptsToEnd, case .answered = folder.ask(PresetRequest.list.bytes) {
          tell("\(shownName(path)) is in use by another metronome: this one remembers nothing")
          return nil
        }
        usleep(10_000)
      }
      tell("\(shownName(path)) is in use by another program: this metronome remembers nothing")
      return nil
    } catch {
      tell("nothing is remembered: \(shownName(path)) cannot be used (\(reason(error.errno)))")
      return nil
    }
  }
}
