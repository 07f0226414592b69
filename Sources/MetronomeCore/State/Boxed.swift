/// A large value on the heap, copied on write: copying its owner copies a reference.
///
/// The owner is a value as before. Not for real-time threads, because it allocates and counts references.
// Unchecked, because a class with a variable cannot be Sendable. The value only changes while it has one owner, so no two threads share a
// value that changes.
struct Boxed<Value: Sendable>: @unchecked Sendable {
  private final class Storage {
    @exclusivity(unchecked) var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  init(_ value: Value) { storage = Storage(value) }

  var value: Value {
    _read { yield storage.value }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
      yield &storage.value
    }
  }
}
