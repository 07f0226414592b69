import HardwareAbstraction
import MetronomeEngine
import MetronomeService

extension AudioState {
  /// For a log line or a status.
  var text: String {
    switch self {
    case .off: "audio: off"
    case .waiting(let name, let absence): "audio: waiting for \(name) (\(absence.text))"
    case .locking(let lock): "audio: \(lock.name) plays, its clock is being measured"
    case .locked(let lock): "audio: locked \(lock.ppm) ppm"
    }
  }

  /// For the log.
  var change: Change {
    if case .waiting = self { Change(priority: .warning, text: text) } else { Change(priority: .info, text: text) }
  }
}

extension AbsenceOfSound {
  fileprivate var text: String {
    switch cause {
    case .inUse: "in use by another program; `fuser -v /dev/snd/*` names it"
    case .gone: error.detail.isEmpty ? "it is gone" : error.detail
    case .frozen: "it has stopped counting frames"
    case .racing: "it counts frames faster than it can play them, and is no sound card"
    case .deaf: "it takes no more sound"
    case .failed: error.detail.isEmpty ? reason(error.errno) : error.detail
    }
  }
}
