/// A place for a few hundred bytes that outlive the program.
///
/// Used by one thread, never a real-time one.
public protocol StateStore: AnyObject {
  /// What was saved last, or nil if nothing ever was.
  ///
  /// - Throws: `HardwareError` with operation `loadState`.
  func load() throws(HardwareError) -> [UInt8]?

  /// Keeps these bytes in place of those saved before: after it, or after a power cut in the midst of it, either the old
  /// ones or the new ones are there, whole.
  ///
  /// - Throws: `HardwareError` with operation `saveState`. The old ones are then still there.
  func save(_ bytes: [UInt8]) throws(HardwareError)
}
