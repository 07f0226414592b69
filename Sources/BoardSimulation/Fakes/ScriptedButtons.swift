import HardwareAbstraction
import MetronomeCore

/// Buttons pressed by a script or by the code that drives the simulation.
///
/// Like the kernel's lines they stamp an edge with the instant at which it happens, and return it at that instant, never
/// before. They report the loss of their chip once, and then nothing until it returns.
public final class ScriptedButtons: ButtonEdges {
  /// Edges in order of time. The first `read` of them have been returned.
  private var edges: [ButtonEdge] = []
  private var read = 0
  /// The buttons that are down according to the edges returned so far.
  private var down: Set<Button> = []
  private var isThere = true
  /// Whether the loss of the chip is still to be reported.
  private var hasLoss = false
  private var buttons: Set<Button>
  private let clock: VirtualClock
  private let faults: FaultInjector
  private let recorder: TraceRecorder

  init(_ buttons: Set<Button>, clock: VirtualClock, faults: FaultInjector, recorder: TraceRecorder) {
    self.buttons = buttons
    self.clock = clock
    self.faults = faults
    self.recorder = recorder
  }

  /// Adds edges. None may lie in the past. An edge has no effect if its button is absent at the instant of the edge.
  public func schedule(_ edges: some Sequence<ButtonEdge>) {
    self.edges.removeFirst(read)
    read = 0
    for edge in edges {
      precondition(edge.instant >= clock.now, "a button edge must not lie in the past")
      self.edges.insertInOrder(edge, by: \.instant)
    }
  }

  /// When the next edge can be read; nil: none is scheduled, or the chip is unplugged.
  public var nextInstant: Instant? {
    if hasLoss { return clock.now }
    return isThere ? nextEdge?.instant : nil
  }

  private var nextEdge: ButtonEdge? { edges[read...].first { buttons.contains($0.button) } }

  public func next() throws(HardwareError) -> ButtonEdge? {
    try faults.strike(.readEdges)
    if hasLoss {
      hasLoss = false
      throw HardwareError(.readEdges, .gone, errno: 19)
    }
    guard isThere, let edge = nextEdge, edge.instant <= clock.now else { return nil }
    while edges[read].button != edge.button { advance() }
    advance()
    recorder.button(edge, at: clock.now)
    return edge
  }

  public func isDown(_ button: Button) throws(HardwareError) -> Bool {
    try faults.strike(.readEdges)
    guard isThere, buttons.contains(button) else { return false }
    let unread = edges[read...].prefix { $0.instant <= clock.now }.last { $0.button == button }
    return unread.map { $0.direction == .down } ?? down.contains(button)
  }

  func unplug() {
    guard isThere else { return }
    isThere = false
    hasLoss = true
  }

  /// The chip is plugged in: edges made while it was unplugged are lost; held buttons are still down.
  func plug() {
    isThere = true
    skip()
  }

  /// Moves the buttons to other lines. Unread edges are lost; held buttons are still down.
  func rewire(_ buttons: Set<Button>) {
    if isThere { skip() }
    self.buttons = buttons
  }

  /// Consumes the edges up to now for the trace only: no metronome is running.
  func pass() {
    hasLoss = false
    if isThere { skip { if buttons.contains($0.button) { recorder.button($0, at: clock.now) } } }
  }

  /// Skips the edges that have happened by now.
  private func skip(_ record: (ButtonEdge) -> Void = { _ in }) {
    while read < edges.count, edges[read].instant <= clock.now {
      record(edges[read])
      advance()
    }
  }

  private func advance() {
    let edge = edges[read]
    read += 1
    if edge.direction == .down { down.insert(edge.button) } else { down.remove(edge.button) }
  }
}
