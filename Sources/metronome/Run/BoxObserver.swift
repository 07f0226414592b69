import CLibrary
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import MetronomeService
import Synchronization

/// The record of what the loops tell on the real box: counts, and what is to be logged.
///
/// The loops call it from their own threads, the real-time ones only to count in atomics and to ring.
final class BoxObserver: EngineObserver {
  /// Something that one line in the log tells.
  enum News {
    case state(MetronomeState)
    case sound(AudioState)
    case notSaved(HardwareError)
    case savedAgain
  }

  /// What the loops have done, in numbers. Any thread.
  let figures = LiveFigures()
  private let setLinesError = Atomic<Int32>(0)
  private let readEdgesError = Atomic<Int32>(0)
  private let readEdgesRefusals = Atomic<UInt64>(0)
  private let news = Mailbox<News>()
  private let sound = Mutex<AudioState?>(nil)
  private let ring: @Sendable () -> Void

  /// - Parameter ring: tells the control thread that there is something to tell. Neither allocates nor waits.
  init(ring: @escaping @Sendable () -> Void) { self.ring = ring }

  /// The state of the sound; nil before the first look at the card. Any thread.
  var soundState: AudioState? { sound.withLock { $0 } }

  /// The news since this was called last, in order. Any thread.
  func takeNews() -> [News] { news.takeAll() }

  /// How often the lines could not be set, and with which error number last.
  var setLinesRefusals: (count: UInt64, errno: Int32) {
    (figures.failedSets, setLinesError.load(ordering: .relaxed))
  }

  /// How often the buttons could not be read, and with which error number last.
  var readEdgesRefusalsAndError: (count: UInt64, errno: Int32) {
    (readEdgesRefusals.load(ordering: .acquiring), readEdgesError.load(ordering: .relaxed))
  }

  func changed(to state: MetronomeState, at instant: Instant) { news.leave(.state(state)) }

  func changed(to state: AudioState, at instant: Instant) {
    sound.withLock { $0 = state }
    leave(.sound(state))
  }

  func measured(_ state: AudioState, at instant: Instant) { sound.withLock { $0 = state } }

  func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) { figures.showed(beat, late: late, at: now) }

  func placed(_ beat: Beat, at position: FramePosition) {}

  func plays(on card: String, at now: Instant) { figures.plays(on: card, at: now) }

  func skipped(beats: Int64, at now: Instant) {
    figures.skipped(beats: beats, at: now)
    ring()
  }

  func missed(clicks: Int64, at now: Instant) {
    figures.missed(clicks: clicks, at: now)
    ring()
  }

  func underran(frames: Int64, at now: Instant) {
    figures.underran(frames: frames, at: now)
    ring()
  }

  func failed(_ error: HardwareError, at now: Instant) {
    // That the chip is gone the board tells, which waits for it.
    if error.operation == .readEdges, error.kind == .gone { return }
    switch error.operation {
    case .setLines:
      setLinesError.store(error.errno, ordering: .relaxed)
      figures.failed(error, at: now)
    case .readEdges:
      readEdgesError.store(error.errno, ordering: .relaxed)
      readEdgesRefusals.wrappingAdd(1, ordering: .releasing)
    // The sound keeper tells what has become of the card.
    case .readAudioPosition, .writeAudio: return
    case .saveState: return leave(.notSaved(error))
    case .openChip, .requestLines, .openAudio, .loadState: preconditionFailure("no loop does that")
    }
    ring()
  }

  func savesAgain(at now: Instant) { leave(.savedAgain) }

  private func leave(_ item: News) {
    news.leave(item)
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
