import Foundation
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import MetronomeService
import Synchronization

/// How it stands with saving the state, when that changes.
enum StateNews {
  case refused(HardwareError)
  case savesAgain
}

/// What the real box does with what its loops tell: states wait for the log, the rest is counted.
final class BoxObserver: EngineObserver {
  /// What is known of the sound.
  private struct SoundNews {
    var newest: AudioState?
    /// Reached and not logged yet.
    var states: [AudioState] = []
  }

  private let sound = Mutex(SoundNews())
  /// Not logged yet.
  private let state = Mutex<[StateNews]>([])
  /// Tells whoever logs that there is something new of the sound.
  private let ring: @Sendable () -> Void
  private let incidents: Incidents
  /// What the loops have done, in numbers: those of the incidents. Any thread. Held here, too: on the beat thread a reference
  /// that is had from another object would be counted.
  let figures: LiveFigures
  /// Reached and not logged yet.
  private let states = Mailbox<MetronomeState>()

  /// - Parameter ring: tells the control thread that there is something to tell. Never waits.
  init(incidents: Incidents, ring: @escaping @Sendable () -> Void) {
    self.incidents = incidents
    figures = incidents.figures
    self.ring = ring
  }

  /// What was reached since this was called last. Any thread.
  func takeStates() -> [MetronomeState] { states.takeAll() }

  /// How it stands with the sound; nil before the first look at the card. Any thread.
  var soundState: AudioState? { sound.withLock { $0.newest } }

  /// What the sound reached since this was called last. Any thread.
  func takeSoundStates() -> [AudioState] {
    sound.withLock { news in
      defer { news.states = [] }
      return news.states
    }
  }

  /// What became of saving the state since this was called last. Any thread.
  func takeStateNews() -> [StateNews] {
    state.withLock { news in
      defer { news = [] }
      return news
    }
  }

  func changed(to state: MetronomeState, at instant: Instant) { states.leave(state) }

  func changed(to state: AudioState, at instant: Instant) {
    sound.withLock { news in
      news.newest = state
      news.states.append(state)
    }
    ring()
  }

  func measured(_ state: AudioState, at instant: Instant) { sound.withLock { $0.newest = state } }

  func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) { figures.showed(beat, late: late, at: now) }

  func placed(_ beat: Beat, at position: FramePosition) {}

  func plays(on card: String, at now: Instant) { figures.plays(on: card, at: now) }

  func skipped(beats: Int64, at now: Instant) { incidents.addSkipped(beats, at: now) }

  func missed(clicks: Int64, at now: Instant) { incidents.addMissed(clicks, at: now) }

  func underran(frames: Int64, at now: Instant) { incidents.addUnderrun(frames, at: now) }

  func failed(_ error: HardwareError, at now: Instant) {
    // That the chip is gone the board tells, which waits for it.
    if error.operation == .readEdges, error.errno == ENODEV { return }
    if error.operation == .saveState { tell(.refused(error)) } else { incidents.add(error, at: now) }
  }

  func savesAgain(at now: Instant) { tell(.savesAgain) }

  private func tell(_ news: StateNews) {
    state.withLock { $0.append(news) }
    ring()
  }
}

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
