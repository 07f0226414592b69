import BoardSimulation
import CLibrary
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine

#if LINUX_BOARD
  import LinuxBoard
#endif

/// The clicks of a live simulation, on this machine's sound card.
final class LiveAudio {
  /// Whether the clicks are played.
  enum Policy {
    case never
    /// Only if a card can be opened.
    case possible
    /// An error if no card can be opened.
    case required
  }

  #if LINUX_BOARD
    private let port: ALSAPort
    private let notice: (String) -> Void
    private let observer: BoxObserver
    private let bells: Bells
    private let waker: Waker
    private var threads: AudioThreads?
    private var cards: CardManager<ALSAPort, LinuxClock, BoxObserver>?

    /// Readable when ``status`` may have changed; see ``clear()``.
    var descriptor: Int32 { bells.descriptor(of: .control).descriptor }

    var status: String {
      let underruns = observer.figures.underruns
      return underruns > 0 ? "\(state), underruns: \(underruns)" : state
    }

    private var state: String {
      switch observer.audioState {
      case .locking(let lock), .locked(let lock): "sound: \(lock.name)"
      case .some(let state): state.text
      case nil: "sound: opening"
      }
    }

    /// The reason for the silence, in one line; nil while a card plays.
    var silence: String? { if case .waiting = observer.audioState { state } else { nil } }

    private init(_ port: ALSAPort, _ notice: @escaping (String) -> Void) throws(SystemError) {
      self.port = port
      self.notice = notice
      let bells = try Bells()
      self.bells = bells
      waker = Waker { bells.ring($0) }
      observer = BoxObserver(waker)
    }

    /// Opens a sound card, or returns one line with the reason for the silence. `notice` receives messages, on any thread.
    ///
    /// - Throws: `HardwareError` or `SystemError` when sound is required and no card can be opened.
    static func open(
      _ request: AudioRequest, _ policy: Policy, notice: @escaping (String) -> Void
    ) throws -> (audio: LiveAudio?, silence: String?) {
      guard policy != .never else { return (nil, "silent: --no-sound") }
      var reason: HardwareError?
      for port in ports(request, notice) {
        reason = try port.attempt(within: .seconds(5))
        if reason == nil { return (try LiveAudio(port, notice), nil) }
      }
      guard let reason else { return (nil, "silent: audio.device is none in the configuration") }
      if policy == .required { throw reason }
      return (nil, "silent: \(Failure.text(reason))")
    }

    /// The cards to try, in order: the system's default PCM, which may belong to a sound server, comes before the first card,
    /// which that server may use.
    private static func ports(_ request: AudioRequest, _ notice: @escaping (String) -> Void) -> [ALSAPort] {
      switch request.device {
      case .none: return []
      case .named: return [ALSAPort(request, notice: notice)]
      case .auto:
        var system = request
        system.device = .named("default")
        // A sound server needs a longer buffer: 43 ms.
        system.period = max(system.period, 512)
        // No notices: the user did not choose this PCM.
        return [ALSAPort(system, notice: { _ in }), ALSAPort(request, notice: notice)]
      }
    }

    /// Plays the clicks of an engine's published timeline until ``stop()``.
    func start(_ engine: Engine<SimulatedBoard, TraceRecorder>, sounds: ClickSounds) throws {
      let audio = Audio(
        port: port, clock: LinuxClock(), sounds: sounds, publication: engine.publication, plan: engine.plan,
        lead: engine.lead, observer: observer, wake: waker)
      cards = audio.cards
      // A sound server may take seconds to play steadily; picture and keys must not wait for it.
      threads = try AudioThreads(audio, observer.figures, bells, waker, waits: false)
    }

    func follow(_ new: LoadedConfiguration, _ old: LoadedConfiguration) {
      if new.sounds != old.sounds { cards?.use(new.sounds) }
      if new.boardChanges(from: old).audio { cards?.use(LiveAudio.ports(new.configuration.audio, notice).first) }
    }

    func clear() { bells.descriptor(of: .control).clear() }

    /// One line for each change of the audio state since the last call.
    func newStates() -> [String] {
      observer.drainEvents().compactMap { if case .audio(let state) = $0 { state.text } else { nil } }
    }

    func stop() { threads?.stop() }

    /// Logs the incidents. Call it after the terminal is restored.
    func logIncidents(at now: Instant) { BoxReport(Log(), observer).logIncidents(at: now) }
  #else
    let descriptor: Int32 = -1
    let status = ""
    let silence: String? = nil

    static func open(
      _ request: AudioRequest, _ policy: Policy, notice: @escaping (String) -> Void
    ) throws -> (audio: LiveAudio?, silence: String?) {
      let reason = "this build does not support sound; build it on Linux with ALSA"
      if policy == .required { throw Failure.noHardware(reason + ", or omit --sound") }
      return (nil, policy == .never ? "silent: --no-sound" : "silent: \(reason)")
    }

    func start(_ engine: Engine<SimulatedBoard, TraceRecorder>, sounds: ClickSounds) throws {}
    func follow(_ new: LoadedConfiguration, _ old: LoadedConfiguration) {}
    func clear() {}
    func newStates() -> [String] { [] }
    func stop() {}
    func logIncidents(at now: Instant) {}
  #endif
}
