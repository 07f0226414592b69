import HardwareAbstraction
import MetronomeCore

/// What the MIDI outputs send besides the timeline. The control loop publishes it.
public struct MIDIPlan: Hashable, Sendable, BitwiseCopyable {
  /// The highest number of MIDI output ports.
  public static let maxPorts = MIDIPortList.maxPorts

  /// The ports that the settings are for.
  public var list = MIDIPortList()
  /// Whether the clock goes on while the metronome is stopped, so that followers show its tempo.
  public var sendsWhenStopped = true
  /// The duration of a clock at the set tempo, in nanoseconds / ``Fraction/denominator``.
  var idle = Fraction(.initial, .quarter)
  /// Whether notes are silent: silent mode.
  var isMuted = false
  /// The factor of the clicks' samples, from the player's ``Volume``.
  var gain: Float = 1
  private var ports = PerMIDIPort(repeating: Port())

  /// The settings of a port.
  struct Port: Hashable, Sendable, BitwiseCopyable {
    /// How early messages are sent.
    var latency = Nanoseconds.zero
    var sendsClock = true
    var notes: MIDINotes?
    /// How long the port takes to transmit a byte; 0: not known.
    var byteDuration = Nanoseconds.zero
  }

  public init() {}

  init(_ requests: [MIDIOutputRequest], _ list: MIDIPortList, sendsWhenStopped: Bool) {
    precondition(requests.count <= MIDIPlan.maxPorts, "there are at most \(MIDIPlan.maxPorts) MIDI outputs")
    self.list = list
    self.sendsWhenStopped = sendsWhenStopped
    for (port, request) in requests.enumerated() {
      ports[port] = Port(
        latency: request.latency, sendsClock: request.sendsClock, notes: request.notes,
        byteDuration: request.byteDuration)
    }
  }

  func latency(of port: Int) -> Nanoseconds { ports[port].latency }

  subscript(port: Int) -> Port { ports[port] }

  /// The duration of a clock as an exact fraction, so that the clocks of a stopped metronome do not drift.
  struct Fraction: Hashable, Sendable, BitwiseCopyable {
    private let numerator: Int64
    private let denominator: Int64

    /// A clock is 1/24 of a quarter, and the tempo counts `unit`.
    init(_ tempo: Tempo, _ unit: BeatUnit) {
      numerator = 60_000_000_000_000 / 96 * Int64(unit.denominator)
      denominator = Int64(tempo.milliBPM) * (unit.isDotted ? 3 : 1)
    }

    /// The duration of `count` clocks, rounded down.
    func duration(of count: Int64) -> Nanoseconds {
      Nanoseconds(Int64(Int128(count) * Int128(numerator) / Int128(denominator)))
    }
  }
}

/// One value for each MIDI output port, stored inline.
private struct PerMIDIPort<Value: Hashable & Sendable & BitwiseCopyable>: Hashable, Sendable, BitwiseCopyable {
  private var first: Value
  private var second: Value
  private var third: Value
  private var fourth: Value
  private var fifth: Value
  private var sixth: Value
  private var seventh: Value
  private var eighth: Value

  init(repeating value: Value) {
    (first, second, third, fourth) = (value, value, value, value)
    (fifth, sixth, seventh, eighth) = (value, value, value, value)
  }

  subscript(port: Int) -> Value {
    get {
      switch port {
      case 0: first
      case 1: second
      case 2: third
      case 3: fourth
      case 4: fifth
      case 5: sixth
      case 6: seventh
      default: eighth
      }
    }
    set {
      switch port {
      case 0: first = newValue
      case 1: second = newValue
      case 2: third = newValue
      case 3: fourth = newValue
      case 4: fifth = newValue
      case 5: sixth = newValue
      case 6: seventh = newValue
      default: eighth = newValue
      }
    }
  }
}
