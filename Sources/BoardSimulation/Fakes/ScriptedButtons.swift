import HardwareAbstraction
import MetronomeCore

/// Buttons pressed by a script, or by whoever holds the simulation.
///
/// As the kernel's they stamp an edge with the instant at which it happens and hand it out then, never before. That their
/// chip is gone they tell once, and are silent until it is back.
public final class ScriptedButtons: ButtonEdges {
  /// What happens yet, in order of time. The first `read` of them have been handed out.
  private var edges: [ButtonEdge] = []
  private var read = 0
  /// Which buttons are down, of the edges that have been handed out.
  private var down: Set<Button> = []
  private var isThere = true
  /// That the chip is gone is yet to be told.
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

  /// Adds edges to what happens. None may lie in the past; those of buttons that are not there then happen to nobody.
  public func schedule(_ edges: some Sequence<ButtonEdge>) {
    self.edges.removeFirst(read)
    read = 0
    for edge in edges {
      precondition(edge.instant >= clock.now, "a button pressed in the past")
      let later = self.edges.lastIndex { $0.instant <= edge.instant }.map { $0 + 1 } ?? 0
      self.edges.insert(edge, at: later)
    }
  }

  /// When there is something to read; nil: never again, or not before the chip is back.
  var nextInstant: Instant? {
    if hasLoss { return clock.now }
    return isThere ? nextEdge?.instant : nil
  }

  private var nextEdge: ButtonEdge? {
    edges[read...].first { buttons.contains($0.button) }
  }

  public func next() throws(HardwareError) -> ButtonEdge? {
    try faults.strike(.readEdges)
    if hasLoss {
      hasLoss = false
      throw HardwareError(.readEdges, errno: 19)
    }
    guard isThere, let edge = nextEdge, edge.instant <= clock.now else { return nil }
    while edges[read].button != edge.button { takeFirst() }
    takeFirst()
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

  /// What fingers did meanwhile nobody has seen; those that hold a button still hold it.
  func plug() {
    isThere = true
    skip()
  }

  /// The buttons hang on other lines from now on, of which nothing was seen: fingers that hold one still hold it.
  func rewire(_ buttons: Set<Button>) {
    if isThere { skip() }
    self.buttons = buttons
  }

  /// What has happened by now is only written down: nobody listens.
  func pass() {
    hasLoss = false
    guard isThere else { return }
    while read < edges.count, edges[read].instant <= clock.now {
      if buttons.contains(edges[read].button) { recorder.button(edges[read], at: clock.now) }
      takeFirst()
    }
  }

  /// What has happened by now nobody reads any more.
  private func skip() {
    while read < edges.count, edges[read].instant <= clock.now { takeFirst() }
  }

  private func takeFirst() {
    let edge = edges[read]
    read += 1
    if edge.direction == .down { down.insert(edge.button) } else { down.remove(edge.button) }
  }
}
