import HardwareAbstraction
import MetronomeCore

/// Simulated MIDI output ports. All are plugged in at first. What they accept is in the trace of the simulation.
///
/// Like real ports they accept nothing while unplugged, and count how often they were opened. A port that stays configured stays open
/// when others are added, removed or reordered, and while it is not used. A port's buffer holds ``capacity`` bytes and empties when time passes. A message that
/// does not fit is refused as a whole.
public final class SimulatedMIDI: MIDIOutputs {
  /// The bytes that the buffer of a port holds: as many as the kernel's.
  public static let capacity = 4_096

  private struct Port {
    var id: UInt32
    var openings: UInt32
    var isPlugged = true
    var fullUntil = Instant(nanoseconds: .min)
    /// The bytes in the buffer, and since when: it empties when time passes.
    var buffered = 0
    var bufferedAt = Instant(nanoseconds: .min)
  }

  /// How many messages the ports accepted.
  @exclusivity(unchecked) public private(set) var sentMessages = 0
  /// The other end of the cables: called for each message that a port, counted from 0, accepts.
  @exclusivity(unchecked) public var cable: ((_ message: MIDIMessage, _ port: Int) -> Void)?
  public private(set) var list: MIDIPortList
  private var devices: [MIDIDevice]
  @exclusivity(unchecked) private var ports: [Port] = []
  /// The open ports that are not used, but still configured.
  private var idle: [Port] = []
  /// How often a port was opened at each place.
  private var openings = [UInt32](repeating: 0, count: MIDIPortList.maxPorts)
  private let clock: VirtualClock

  init(_ requests: [MIDIOutputRequest], clock: VirtualClock) {
    devices = requests.map(\.device)
    list = MIDIPortList(devices)
    self.clock = clock
    use(list)
  }

  public func use(_ list: MIDIPortList) {
    let known = ports + idle
    ports = (0..<list.count).map { port in known.first { $0.id == list[port] } ?? open(list[port]) }
    idle = known.filter { list.port(of: $0.id) == nil && self.list.port(of: $0.id) != nil }
  }

  private func open(_ id: UInt32) -> Port {
    openings[MIDIPortList.place(of: id)] += 1
    return Port(id: id, openings: openings[MIDIPortList.place(of: id)])
  }

  public var count: Int { ports.count }

  public func opening(of port: Int) -> UInt32 { ports[port].isPlugged ? ports[port].openings : 0 }

  public func send(_ message: MIDIMessage, to port: Int) -> MIDISending {
    guard ports[port].isPlugged else { return .missing }
    let now = clock.now
    guard now >= ports[port].fullUntil else { return .full }
    if ports[port].bufferedAt != now { (ports[port].buffered, ports[port].bufferedAt) = (0, now) }
    guard ports[port].buffered + message.count <= SimulatedMIDI.capacity else { return .full }
    ports[port].buffered += message.count
    sentMessages += 1
    cable?(message, port)
    return .sent
  }

  /// Unplugs a port, counted from 0. The loop must be woken afterwards.
  public func unplug(_ port: Int) { ports[port].isPlugged = false }

  /// Plugs a port in again.
  public func plug(_ port: Int) {
    guard !ports[port].isPlugged else { return }
    ports[port].isPlugged = true
    openings[MIDIPortList.place(of: ports[port].id)] += 1
    ports[port].openings = openings[MIDIPortList.place(of: ports[port].id)]
  }

  /// A port's buffer is full until an instant.
  public func fill(_ port: Int, until instant: Instant) { ports[port].fullUntil = instant }

  /// Whether the buffer of each port is full.
  public var isFull: [Bool] { ports.map { clock.now < $0.fullUntil } }

  /// Configures other ports; the loop takes them over with ``use(_:)``. All new ones are plugged in.
  package func rewire(_ requests: [MIDIOutputRequest]) {
    let new = requests.map(\.device)
    list.replace(devices, with: new)
    devices = new
  }
}
