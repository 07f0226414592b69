import MetronomeCore

/// The buttons, as edges with the instants at which they happened.
///
/// Used by one thread. Waiting is not part of it: it is asked when there is something to read.
public protocol ButtonEdges: AnyObject {
  /// The oldest edge not yet read, or nil if there is none now. Never waits. Edges come in order of time.
  ///
  /// - Throws: `HardwareError` with operation `readEdges` when the chip refuses; once when it is gone. Until it is back there
  ///   are no edges.
  func next() throws(HardwareError) -> ButtonEdge?

  /// Whether a button is down at this moment, whatever edges there are still to be read, or were lost because nobody read
  /// them in time; false for one that is not there.
  ///
  /// - Throws: `HardwareError` with operation `readEdges`.
  func isDown(_ button: Button) throws(HardwareError) -> Bool
}
