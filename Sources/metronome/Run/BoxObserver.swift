import CLibrary
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import MetronomeService
import Synchronization

/// Counts the events of the loops, and queues some for the log. The real-time loops only count and wake the control thread.
final class BoxObserver: EngineObserver {
  enum Event {
    case state(MetronomeState)
    case audio(AudioState)
    /// Of the second card.
    case secondAudio(AudioState)
    case notSaved(HardwareError)
    case savingRecovered
    case displayFailed(HardwareError)
    case displayRecovered
    case practised(PracticeRecord)
  }

  let figures = LiveFigures()
  private let setLinesError = Atomic<Int32>(0)
  private let readEdgesError = Atomic<Int32>(0)
  private let readEdgesRefusals = Atomic<UInt64>(0)
  private let events = Mailbox<Event>()
  private let audio = Mutex<AudioState?>(nil)
  private let waker: Waker
  /// nil in the observer of the second card.
  private let second: BoxObserver?

  var ofSecondCard: BoxObserver { second ?? self }

  init(_ waker: Waker) { (self.waker, second) = (waker, BoxObserver(ofSecondCard: waker)) }

  private init(ofSecondCard waker: Waker) { (self.waker, second) = (waker, nil) }

  /// The figures of both cards together. Allocates.
  var sum: Figures {
    var sum = figures.now
    guard let second = second?.figures.now else { return sum }
    sum.missedClicks += second.missedClicks
    sum.underruns += second.underruns
    sum.reopenings += second.reopenings
    return sum
  }

  var missedClicks: UInt64 { figures.missedClicks + (second?.figures.missedClicks ?? 0) }
  var underruns: UInt64 { figures.underruns + (second?.figures.underruns ?? 0) }

  /// The audio state; nil before the card manager's first step. Any thread.
  var audioState: AudioState? { audio.withLock { $0 } }

  /// The events since the last call, in order. Any thread.
  func drainEvents() -> [Event] { events.drain() + (second?.events.drain() ?? []) }

  /// How often setting the lines failed, and the last error number.
  var setLinesRefusals: (count: UInt64, errno: Int32) { (figures.failedSets, setLinesError.load(ordering: .relaxed)) }

  /// How often reading the buttons failed, and the last error number.
  var readEdgesRefusalsAndError: (count: UInt64, errno: Int32) {
    (readEdgesRefusals.load(ordering: .acquiring), readEdgesError.load(ordering: .relaxed))
  }

  func changed(to state: MetronomeState, at instant: Instant) { events.post(.state(state)) }

  func practised(_ record: PracticeRecord, at now: Instant) { events.post(.practised(record)) }

  func changed(to state: AudioState, at instant: Instant) {
    audio.withLock { $0 = state }
    post(second == nil ? .secondAudio(state) : .audio(state))
  }

  func measured(_ state: AudioState, at instant: Instant) { audio.withLock { $0 = state } }
  func showed(_ beat: Beat, late: Nanoseconds, at now: Instant) { figures.showed(beat, late: late, at: now) }
  func plays(on card: String, at now: Instant) { figures.plays(on: card, at: now) }

  func sent(_ message: MIDIMessage, port: Int, late: Nanoseconds, at now: Instant) {
    figures.sent(message, port: port, late: late, at: now)
  }

  func lostClocks(_ count: Int64, port: Int, at now: Instant) {
    figures.lostClocks(count, port: port, at: now)
    waker.hostHasWork()
  }

  func followed(deviation: Nanoseconds, resyncs: Int, at now: Instant) {
    figures.followed(deviation: deviation, resyncs: resyncs, at: now)
  }

  func skipped(beats: Int64, at now: Instant) {
    figures.skipped(beats: beats, at: now)
    waker.hostHasWork()
  }

  func missed(clicks: Int64, at now: Instant) {
    figures.missed(clicks: clicks, at: now)
    waker.hostHasWork()
  }

  func underran(frames: Int64, at now: Instant) {
    figures.underran(frames: frames, at: now)
    waker.hostHasWork()
  }

  func failed(_ error: HardwareError, at now: Instant) {
    // The board reports the missing chip, and waits for it.
    if error.operation == .readEdges, error.kind == .gone { return }
    switch error.operation {
    case .setLines:
      setLinesError.store(error.errno ?? 0, ordering: .relaxed)
      figures.failed(error, at: now)
    case .readEdges:
      readEdgesError.store(error.errno ?? 0, ordering: .relaxed)
      readEdgesRefusals.wrappingAdd(1, ordering: .releasing)
    // The card manager reports the card's state.
    case .readAudioPosition, .writeAudio: return
    case .saveState: return post(.notSaved(error))
    case .writeDisplay: return post(.displayFailed(error))
    case .openChip, .requestLines, .openAudio, .loadState: preconditionFailure("no loop does that")
    }
    waker.hostHasWork()
  }

  func savingRecovered(at now: Instant) { post(.savingRecovered) }
  func displayRecovered(at now: Instant) { post(.displayRecovered) }

  private func post(_ event: Event) {
    events.post(event)
    waker.hostHasWork()
  }
}

extension AudioState {
  /// The text for a log line or a status.
  var text: String {
    switch self {
    case .off: "audio: off"
    case .waiting(let name, let absence): "audio: waiting for \(name) (\(absence.text))"
    case .locking(let lock): "audio: \(lock.name) plays; measuring its clock"
    case .locked(let lock): "audio: locked \(lock.ppm) ppm"
    }
  }
}

extension AudioAbsence {
  fileprivate var text: String {
    switch cause {
    case .inUse: "in use by another program; `fuser -v /dev/snd/*` shows which"
    case .gone: error.detail.isEmpty ? "the card is missing" : error.detail
    case .frozen: "its playback position has stopped"
    case .racing: "its playback position advances faster than real time, so it is not a sound card"
    case .deaf: "it accepts no more frames"
    case .failed: error.detail.isEmpty ? reason(error.errno) : error.detail
    }
  }
}
