import CLibrary
import HardwareAbstraction

/// All observations of a box. The findings depend on nothing else.
public struct BoardFacts: Hashable, Sendable {
  public var configuration: ConfigurationFacts
  public var computer: ComputerFacts
  public var caller: CallerFacts
  public var devices: DeviceFacts
  public var processes: ProcessFacts
  public var clock: ClockFacts
  public var state: StateFacts
  public var inputs: [InputFacts] = []
  public var midi: [MIDIPortFacts] = []
  /// nil if no service manager (systemd) is running.
  public var service: ServiceFacts?
  /// nil if this build has no GPIO support or the configuration is invalid.
  public var gpio: GPIOFacts?
  /// nil in the same cases as ``gpio``.
  public var audio: AudioFacts?
  /// nil if no second card is configured.
  public var secondCard: SecondCardFacts?
  /// The section of the configuration with the card that ``audio`` describes.
  var audioKey = "audio"

  var installedService: ServiceFacts? { service.flatMap { $0.isInstalled ? $0 : nil } }

  public var configurationFile: String { configuration.path ?? Paths.configuration }

  /// All findings, in the order of the areas.
  public var findings: [Finding] {
    configurationFindings + computerFindings + rightsFindings + lineFindings + audioFindings + inputFindings
      + midiFindings + stateFindings + serviceFindings
  }
}

/// The second sound card that the configuration names.
public struct SecondCardFacts: Hashable, Sendable {
  public var request: AudioRequest
  public var audio: AudioFacts

  public init(_ request: AudioRequest, _ audio: AudioFacts) { (self.request, self.audio) = (request, audio) }
}

extension BoardFacts {
  /// Inspects everything except lines and sound. `isClockSynchronised` is the kernel's report; nil: unknown.
  public init(_ files: FileTree, _ configuration: ConfigurationFacts, _ state: StateFacts, isClockSynchronised: Bool?) {
    self.configuration = configuration
    self.state = state
    computer = ComputerFacts(files) { OtherProgram.output(of: "vcgencmd", "get_throttled") }
    caller = CallerFacts(files)
    devices = DeviceFacts(files)
    processes = ProcessFacts(files, own: Int(getpid()))
    clock = ClockFacts(files, processes, isSynchronised: isClockSynchronised)
    inputs = (configuration.wiring?.inputs ?? []).compactMap { InputFacts(files, $0) }
    midi = configuration.wiring.map { MIDIPortFacts.all(files, $0) } ?? []
    service = ServiceFacts(files)
  }
}

/// The parts of the configuration that are checked, or the problem with it.
public struct ConfigurationFacts: Hashable, Sendable {
  public enum Outcome: Hashable, Sendable {
    /// - volume: the volume of the clicks, 0 to 1.
    case good(Wiring, AudioRequest, volume: Double = 0.8)
    /// - problem: with file, line and column.
    case bad(problem: String, remedy: String)
  }

  /// The configuration file; nil: the built-in configuration.
  public var path: String?
  public var outcome: Outcome

  public init(path: String? = nil, outcome: Outcome = .good(.standard, AudioRequest())) {
    (self.path, self.outcome) = (path, outcome)
  }

  var wiring: Wiring? { if case .good(let wiring, _, _) = outcome { wiring } else { nil } }
  var audio: AudioRequest? { if case .good(_, let audio, _) = outcome { audio } else { nil } }
  var volume: Double? { if case .good(_, _, let volume) = outcome { volume } else { nil } }
}

extension BoardFacts {
  fileprivate var configurationFindings: [Finding] { [Finding](.configuration, ["file": file, "outputs": outputs]) }

  private var file: Verdict {
    switch configuration.outcome {
    case .good: .right(configuration.path ?? "the built-in configuration; \(configurationFile) does not exist")
    case .bad(let problem, let remedy): .wrong(problem, remedy: remedy)
    }
  }

  /// Whether a lamp or a buzzer is wired.
  var hasOutputLine: Bool { configuration.wiring.map { !$0.outputs.isEmpty } ?? true }

  private var outputs: Verdict? {
    guard !hasOutputLine, !audioIsWanted else { return nil }
    return .wrong(
      "no output has a line, and audio.device is none: the box can be neither seen nor heard",
      remedy: "in \(configurationFile) set outputs.light.line to the line of a light, or audio.device to auto")
  }
}

/// A pedal, keyboard or encoder that the configuration names.
public struct InputFacts: Hashable, Sendable {
  /// The name or path in the configuration.
  public var name: String
  /// The event device; nil if the input is missing.
  public var path: String?
  public var isReadable = true
}

extension InputFacts {
  /// nil for a MIDI port: see ``MIDIPortFacts``.
  public init?(_ files: FileTree, _ request: InputRequest) {
    switch request.device {
    case .path(let path):
      name = path
      self.path = files.exists(path) ? path : nil
    case .named(let wanted):
      name = wanted
      let device = files.paths(matching: "/sys/class/input/event*/device/name").first { files.text($0) == wanted }
      path = device.map { "/dev/input/\($0.split(separator: "/")[3])" }
    case .midi: return nil
    }
    isReadable = path.map { files.obstacle($0, FileTree.access(writes: false)) == nil } ?? false
  }
}

extension BoardFacts {
  fileprivate var inputFindings: [Finding] { inputs.map { Finding(.inputs, $0.name, verdict($0)) } }

  private func verdict(_ input: InputFacts) -> Verdict {
    guard let path = input.path else {
      return .doubtful(
        "is not plugged in",
        remedy: "plug it in or switch it on; cat /proc/bus/input/devices shows the name of each device")
    }
    if input.isReadable { return .right(path) }
    return unusable("\(caller.name) has no permission to read \(path)", "input", devices.input, writes: false)
  }
}
