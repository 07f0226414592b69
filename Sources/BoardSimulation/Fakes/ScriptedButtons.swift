import HardwareAbstraction
import MetronomeCore

/// Buttons pressed by a script, or by whoever holds the simulation.
///
/// As the kernel's they stamp an edge with the instant at which it happens and hand it out then, never before.
public final class ScriptedButtons: ButtonEdges {
  /// What happens yet, in order of time. The first `read` of them have been handed out.
  private var edges: [ButtonEdge] = []
  private var read = 0
  /// Which buttons are down, of the edges that have been handed out.
  private var down: Set<Button> = []
  private let buttons: Set<Button>
  private let clock: VirtualClock
  private let faults: FaultInjector
  private let recorder: TraceRecorder

  init(_ buttons: Set<Button>, clock: VirtualClock, faults: FaultInjector, recorder: TraceRecorder) {
    self.buttons = buttons
    self.clock = clock
    self.faults = faults
    self.recorder = recorder
  }

  /// Adds edges to what happens. None may lie in the past; those of buttons that are not there happen to nobody.
  public func schedule(_ edges: some Sequence<ButtonEdge>) {
    self.edges.removeFirst(read)
    read = 0
    for edge in edges where buttons.contains(edge.button) {
      precondition(edge.instant >= clock.now, "a button pressed in the past")
      let later = self.edges.lastIndex { $0.instant <= edge.instant }.map { $0 + 1 } ?? 0
      self.edges.insert(edge, at: later)
    }
  }

  /// When the next edge happens; nil: no more.
  var nextInstant: Instant? { read < edges.count ? edges[read].instant : nil }

  public func next() throws(HardwareError) -> ButtonEdge? {
    try faults.strike(.readEdges)
    guard let instant = nextInstant, instant <= clock.now else { return nil }
    let edge = edges[read]
    read += 1
    if edge.direction == .down { down.insert(edge.button) } else { down.remove(edge.button) }
    recorder.button(edge, at: clock.now)
    return edge
  }

  public func isDown(_ button: Button) throws(HardwareError) -> Bool {
    try faults.strike(.readEdges)
    let unread = edges[read...].prefix { $0.instant <= clock.now }.last { $0.button == button }
    return unread.map { $0.direction == .down } ?? down.contains(button)
  }
}
