import CLibrary
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine

#if LINUX_BOARD
  import LinuxBoard
#endif

/// The clicks of a live simulation, on this machine's sound card.
final class LiveSound {
  #if LINUX_BOARD
    private let port: ALSAPort
    private let observer: BoxObserver
    private let bells: Bells
    private var threads: SoundThreads?
    private var keeper: SoundKeeper<ALSAPort, LinuxClock, BoxObserver>?

    /// Readable when ``status`` may have changed; see ``clear()``.
    var descriptor: Int32 { bells.control.descriptor }

    /// How it stands with the sound, in a word or two.
    var status: String {
      let underruns = observer.figures.underruns
      let state = observer.soundState?.text ?? "audio: not looked for yet"
      return underruns > 0 ? "\(state), ran dry \(underruns) times" : state
    }

    private init(_ port: ALSAPort) throws(SystemError) {
      self.port = port
      let bells = try Bells()
      self.bells = bells
      observer = BoxObserver { bells.ring(.control) }
    }

    /// - Throws: `Failure` when the sound card that is asked for is not to be had.
    static func open(_ request: AudioRequest) throws -> LiveSound {
      do {
        guard let port = port(request) else { preconditionFailure("sound is asked for with no card to play it") }
        try port.prepare()
        return try LiveSound(port)
      } catch let error as HardwareError {
        throw Failure.noHardware(error)
      } catch let error as SystemError {
        throw Failure.noHardware("\(error.call): \(reason(error.errno))")
      }
    }

    /// nil for a request for no sound.
    private static func port(_ request: AudioRequest) -> ALSAPort? {
      let log = Log()
      return request.device == .none ? nil : ALSAPort(request, notice: { log(.warning, $0) })
    }

    /// Plays the clicks of an engine's published timeline until ``stop()``.
    func start<B: Board, Other: EngineObserver>(_ engine: Engine<B, Other>, sounds: ClickSounds) throws {
      let bells = bells
      let sound = Sound(
        port: port, clock: LinuxClock(), sounds: sounds, publication: engine.publication, plan: engine.plan,
        lead: engine.lead, observer: observer, wake: { bells.ring($0) })
      keeper = sound.keeper
      do throws(SystemError) {
        threads = try SoundThreads(sound, observer.figures, bells)
      } catch {
        throw Failure.noHardware("\(error.call): \(reason(error.errno))")
      }
    }

    /// Plays as another configuration says.
    func follow(_ new: Reading, _ old: Reading) {
      if new.sounds != old.sounds { keeper?.use(new.sounds) }
      if new.boardChanges(from: old).sound { keeper?.use(LiveSound.port(new.configuration.audio)) }
    }

    func clear() { bells.control.clear() }

    /// How it stood with the sound since this was asked last, a line for each change.
    func takeStates() -> [String] {
      observer.takeNews().compactMap { if case .sound(let state) = $0 { state.text } else { nil } }
    }

    func stop() { threads?.stop() }

    /// Tells in log lines what went wrong, once the terminal is a terminal again.
    func tellIncidents(at now: Instant) {
      BoxReport(Log(), observer).tellIncidents(at: now)
    }
  #else
    let descriptor: Int32 = -1
    let status = ""

    static func open(_ request: AudioRequest) throws -> LiveSound {
      throw Failure.noHardware("this build has no sound; build it on Linux with ALSA, or leave --sound out")
    }

    func start<B: Board, Other: EngineObserver>(_ engine: Engine<B, Other>, sounds: ClickSounds) throws {}

    func follow(_ new: Reading, _ old: Reading) {}

    func clear() {}

    func takeStates() -> [String] { [] }

    func stop() {}

    func tellIncidents(at now: Instant) {}
  #endif
}
