import HardwareAbstraction
import MetronomeCore

/// Reads buttons, and the devices beside the box, and tells what is meant, for a loop that follows them. Used by that
/// loop's thread.
final class HandReader<B: Board, Observer: EngineObserver> {
  /// From a failed reading to the next attempt.
  private static var rest: Nanoseconds { .seconds(1) }
  /// How many events of a kind are taken in at once. There are never more but after a stall; they wait for the next step.
  private static var most: Int { 1_024 }
  /// So many edges the kernel keeps of a line. Where it keeps those of several lines together it keeps as many for each, so
  /// that if any are lost one line has left so many.
  private static var kept: Int { 16 }

  private var buttons: B.Buttons
  private var inputs: B.Inputs?
  private let observer: Observer
  private var gestures: GestureMachine<Command>
  /// Until when the buttons are left alone because they could not be read.
  private var restUntil: Instant?
  private var edges: [InputEvent] = []
  /// How many edges of each button.
  private var counts = [Int](repeating: 0, count: Button.allCases.count)
  private var events: [InputEvent] = []

  init(_ table: GestureTable<Command>, lockOut: Nanoseconds = Debouncer.standardLockOut, board: B, observer: Observer) {
    buttons = board.buttons
    inputs = board.inputs
    gestures = GestureMachine(table, lockOut: lockOut, origins: 1 + (inputs?.count ?? 0))
    self.observer = observer
  }

  /// Takes other gestures for the old ones: nothing comes of what is under way.
  func rebind(to table: GestureTable<Command>, lockOut: Nanoseconds) { gestures.rebind(to: table, lockOut: lockOut) }

  /// The board has its buttons, its devices or both on other lines from now on: nothing comes of what is under way there.
  func follow(_ board: B, hasOtherButtons: Bool, hasOtherInputs: Bool, at now: Instant) {
    if hasOtherButtons {
      buttons = board.buttons
      restUntil = nil
      gestures.interrupt(.box, at: now)
    }
    guard hasOtherInputs else { return }
    inputs = board.inputs
    gestures.renew(origins: 1 + (inputs?.count ?? 0))
  }

  /// Whether the buttons could be read when it was tried last.
  var canRead: Bool { restUntil == nil }

  /// When a button went down last; nil: never.
  var lastTouch: Instant? { gestures.lastTouch }

  /// When to read again though nothing has come.
  var deadline: Instant? { [restUntil, gestures.deadline].compactMap(\.self).min() }

  /// Reads what there is to read, the oldest first.
  ///
  /// - Parameters:
  ///   - act: does what a gesture means.
  ///   - turn: does what the turn of a dial means.
  func read(at now: Instant, act: (GestureEvent<Command>) -> Void, turn: (DialTurn) -> Void) {
    collect(at: now)
    takeInOrder { event in
      switch event {
      case .edge(let edge): gestures.take(edge, act)
      case .turn(let dialTurn): turn(dialTurn)
      case .interrupted(let origin, let instant): gestures.interrupt(origin, at: instant)
      }
    }
    gestures.settle(at: now, level: level, act)
  }

  private func collect(at now: Instant) {
    edges.removeAll(keepingCapacity: true)
    events.removeAll(keepingCapacity: true)
    if now >= restUntil ?? now {
      collectEdges(at: now)
      noteLosses(at: now)
    }
    while events.count < HandReader.most, let event = inputs?.next() { events.append(event) }
  }

  /// While the buttons cannot be read nothing comes of those that are held: their releases may be waiting to be read.
  private func collectEdges(at now: Instant) {
    do throws(HardwareError) {
      while edges.count < HandReader.most, let edge = try buttons.next() { edges.append(.edge(edge)) }
      restUntil = nil
    } catch {
      restUntil = now + HandReader.rest
      gestures.interrupt(.box, at: now)
      observer.failed(error, at: now)
    }
  }

  /// Edges read at one go may be what a full queue has kept of them.
  private func noteLosses(at now: Instant) {
    guard edges.count >= HandReader.kept, let last = edges.last else { return }
    for index in counts.indices { counts[index] = 0 }
    for case .edge(let edge) in edges { counts[edge.button.index] += 1 }
    guard counts.contains(where: { $0 >= HandReader.kept }) else { return }
    gestures.mayHaveLost(.box, until: max(now, last.instant))
  }

  /// Merges what the buttons did with what the devices did.
  private func takeInOrder(_ take: (InputEvent) -> Void) {
    var edge = edges.startIndex
    for event in events {
      while edge < edges.endIndex, edges[edge].instant <= event.instant {
        take(edges[edge])
        edge += 1
      }
      take(event)
    }
    for rest in edges[edge...] { take(rest) }
  }

  /// Whether a button is down, as far as it can be told. A chip that refuses it will refuse the next reading too, which is
  /// reported.
  private func level(of button: Button, at origin: Origin) -> Bool? {
    if origin != .box { return inputs?.isDown(button, at: origin) }
    return canRead ? try? buttons.isDown(button) : nil
  }
}
