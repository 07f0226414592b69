import HardwareAbstraction
import MetronomeCore

/// Reads buttons and input devices, and turns their events into commands. Used on the control loop's thread.
final class HandReader<B: Board, Observer: EngineObserver> {
  /// The delay from a failed read to the retry.
  private static var retryDelay: Nanoseconds { .seconds(1) }
  /// The most edges, and the most device events, that one step reads. More occur only after a stall; the next step reads them.
  private static var most: Int { 1_024 }
  /// How many edges the kernel queues per line, also in a queue of several lines. If edges of a line are lost, at least this
  /// many others of it can be read.
  private static var queueLength: Int { 16 }

  private var buttons: B.Buttons
  private var inputs: B.Inputs?
  private let observer: Observer
  private var gestures: GestureMachine
  /// When to retry after the buttons could not be read.
  private var retryAt: Instant?
  private var edges: [InputEvent] = []
  /// The number of edges per button.
  private var counts = [Int](repeating: 0, count: Button.room)
  private var events: [InputEvent] = []
  private var isRehearsal = false

  init(_ table: GestureTable, lockOut: Nanoseconds = Debouncer.standardLockOut, board: B, observer: Observer) {
    buttons = board.buttons
    inputs = board.inputs
    gestures = GestureMachine(table, lockOut: lockOut, origins: 1 + (inputs?.count ?? 0))
    self.observer = observer
  }

  /// Replaces the events to read with a press of 50 ms.
  func rehearse(_ button: Button, at instant: Instant) {
    isRehearsal = true
    edges = [
      .edge(ButtonEdge(button, .down, at: instant)), .edge(ButtonEdge(button, .up, at: instant + .milliseconds(50))),
    ]
  }

  /// Applies another gesture table, and cancels gestures in progress.
  func rebind(to table: GestureTable, lockOut: Nanoseconds) { gestures.rebind(to: table, lockOut: lockOut) }

  /// Switches to the board's new buttons, devices or both, and cancels gestures in progress there.
  func follow(_ board: B, hasOtherButtons: Bool, hasOtherInputs: Bool, at now: Instant) {
    if hasOtherButtons {
      buttons = board.buttons
      retryAt = nil
      gestures.interrupt(.box, at: now)
    }
    guard hasOtherInputs else { return }
    inputs = board.inputs
    gestures.renew(origins: 1 + (inputs?.count ?? 0))
  }

  /// Whether the last attempt to read the buttons succeeded.
  var canRead: Bool { retryAt == nil }

  /// When a button last went down.
  var lastTouch: Instant? { gestures.lastTouch }

  /// When to read again without new events.
  var deadline: Instant? { [retryAt, gestures.deadline].compactMap(\.self).min() }

  /// Reads the pending events, oldest first. `act` carries out a gesture's command, `turn` the turn of a dial, `clock` a
  /// message of a MIDI clock, and `recall` the number of a program.
  func read(
    at now: Instant, act: (GestureEvent) -> Void, turn: (DialTurn) -> Void, clock: (ClockMessage) -> Void = { _ in },
    recall: (Int) -> Void = { _ in }
  ) {
    if !isRehearsal { collect(at: now) }
    forEachInOrder { event in
      switch event {
      case .edge(let edge): gestures.process(edge, act)
      case .turn(let dialTurn): turn(dialTurn)
      case .interrupted(let origin, let instant): gestures.interrupt(origin, at: instant)
      case .clock(let message): clock(message)
      case .program(let number, _, _): recall(number)
      }
    }
    gestures.settle(at: now, level: level, act)
  }

  private func collect(at now: Instant) {
    edges.removeAll(keepingCapacity: true)
    events.removeAll(keepingCapacity: true)
    if now >= retryAt ?? now {
      collectEdges(at: now)
      checkForLosses(at: now)
    }
    while events.count < HandReader.most, let event = inputs?.next() { events.append(event) }
  }

  /// A failure cancels the gestures of held buttons, because their releases may still be unread.
  private func collectEdges(at now: Instant) {
    do throws(HardwareError) {
      while edges.count < HandReader.most, let edge = try buttons.next() { edges.append(.edge(edge)) }
      retryAt = nil
    } catch {
      retryAt = now + HandReader.retryDelay
      gestures.interrupt(.box, at: now)
      observer.failed(error, at: now)
    }
  }

  /// After many edges in one read, the queue may have been full, so that edges were lost.
  private func checkForLosses(at now: Instant) {
    guard edges.count >= HandReader.queueLength, let last = edges.last else { return }
    for index in counts.indices { counts[index] = 0 }
    for case .edge(let edge) in edges { counts[edge.button.index] += 1 }
    guard counts.contains(where: { $0 >= HandReader.queueLength }) else { return }
    gestures.mayHaveLost(.box, until: max(now, last.instant))
  }

  /// Merges the events of the buttons and the devices by time.
  private func forEachInOrder(_ body: (InputEvent) -> Void) {
    var edge = edges.startIndex
    for event in events {
      while edge < edges.endIndex, edges[edge].instant <= event.instant {
        body(edges[edge])
        edge += 1
      }
      body(event)
    }
    for rest in edges[edge...] { body(rest) }
  }

  /// Whether a button is down; nil if unknown. Does not report a failure: the next read of edges fails, too, and reports it.
  private func level(of button: Button, at origin: Origin) -> Bool? {
    if isRehearsal { return nil }
    if origin != .box { return inputs?.isDown(button, at: origin) }
    return canRead ? try? buttons.isDown(button) : nil
  }
}
