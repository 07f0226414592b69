import HardwareAbstraction

/// All that was seen of a box. What findings are made of, and nothing else: the same facts, the same findings.
public struct BoardFacts: Hashable, Sendable {
  public var configuration: ConfigurationFacts
  public var computer: ComputerFacts
  public var caller: CallerFacts
  public var devices: DeviceFacts
  public var processes: ProcessFacts
  public var clock: ClockFacts
  public var state: StateFacts
  public var inputs: [InputFacts]
  /// nil where no manager runs.
  public var service: ServiceFacts?
  /// nil where this build knows no chips, or the configuration does not say which lines.
  public var gpio: GPIOFacts?
  /// nil likewise.
  public var sound: SoundFacts?

  public init(
    configuration: ConfigurationFacts, computer: ComputerFacts, caller: CallerFacts, devices: DeviceFacts,
    processes: ProcessFacts, clock: ClockFacts, state: StateFacts, inputs: [InputFacts] = [],
    service: ServiceFacts? = nil, gpio: GPIOFacts? = nil, sound: SoundFacts? = nil
  ) {
    self.configuration = configuration
    self.computer = computer
    self.caller = caller
    self.devices = devices
    self.processes = processes
    self.clock = clock
    self.state = state
    self.inputs = inputs
    self.service = service
    self.gpio = gpio
    self.sound = sound
  }

  /// The service, if it is there.
  var installedService: ServiceFacts? { service.flatMap { $0.isInstalled ? $0 : nil } }

  /// Where the configuration is to be changed.
  var configurationFile: String { configuration.path ?? "/etc/metronome/metronome.yaml" }
}
