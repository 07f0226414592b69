import HardwareAbstraction
import MetronomeCore

/// Simulated MIDI output ports. All are plugged in at first. What they accept is in the trace of the simulation.
///
/// Like real ports they accept nothing while unplugged, and count how often they were opened. A port accepts nothing while its
/// buffer is full.
public final class SimulatedMIDI: MIDIOutputs {
  private struct Port {
    var openings: UInt32 = 1
    var isPlugged = true
    var fullUntil = Instant(nanoseconds: .min)
  }

  /// How many messages the ports accepted.
  @exclusivity(unchecked) public private(set) var sentMessages = 0
  @exclusivity(unchecked) private var ports: [Port]
  private let clock: VirtualClock

  init(_ requests: [MIDIOutputRequest], clock: VirtualClock) {
    ports = requests.map { _ in Port() }
    self.clock = clock
  }

  public var count: Int { ports.count }

  public func opening(of port: Int) -> UInt32 { ports[port].isPlugged ? ports[port].openings : 0 }

  public func send(_ message: MIDIMessage, to port: Int) -> MIDISending {
    guard ports[port].isPlugged else { return .missing }
    guard clock.now >= ports[port].fullUntil else { return .full }
    sentMessages += 1
    return .sent
  }

  /// Unplugs a port, counted from 0. The loop must be woken afterwards.
  public func unplug(_ port: Int) { ports[port].isPlugged = false }

  /// Plugs a port in again.
  public func plug(_ port: Int) {
    guard !ports[port].isPlugged else { return }
    ports[port].isPlugged = true
    ports[port].openings += 1
  }

  /// A port's buffer is full until an instant.
  public func fill(_ port: Int, until instant: Instant) { ports[port].fullUntil = instant }

  /// Whether the buffer of each port is full.
  public var isFull: [Bool] { ports.map { clock.now < $0.fullUntil } }

  /// Replaces the ports. All new ones are plugged in.
  func rewire(_ requests: [MIDIOutputRequest]) {
    let openings = ports.map(\.openings).max() ?? 0
    ports = requests.map { _ in Port(openings: openings + 1) }
  }
}
