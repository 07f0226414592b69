import MetronomeCore

/// The buttons, as edges with the instants at which they happened.
///
/// Used by one thread. Waiting is not part of it: it is asked when there is something to read.
public protocol ButtonEdges: AnyObject {
  /// The oldest edge not yet read, or nil if there is none now. Never waits. Edges come in order of time.
  ///
  /// - Throws: `HardwareError` with operation `readEdges` when the chip refuses or is gone.
  func next() throws(HardwareError) -> ButtonEdge?
}
