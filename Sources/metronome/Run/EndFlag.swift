import Synchronization

/// Tells the threads of the box that it is over.
final class EndFlag: Sendable {
  private let value = Atomic(false)

  var isRaised: Bool { value.load(ordering: .acquiring) }

  func raise() { value.store(true, ordering: .releasing) }
}
