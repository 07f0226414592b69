/// The lines that light and sound. Held, all inactive, from the moment the board has them until they are released.
///
/// They may come late, go and come back: what is set meanwhile is no error, and shown as soon as they are there. Used by one
/// thread at a time. Some of the outputs may have no line; what is said of them is dropped.
public protocol OutputLines: AnyObject {
  /// Sets every output at once, in one call to the hardware.
  ///
  /// - Throws: `HardwareError` with operation `setLines` when the chip refuses. The lines then stand as they stood.
  func set(_ levels: OutputLevels) throws(HardwareError)

  /// Makes every output inactive and gives the lines back. After it nothing may be set; it may be called again.
  func release()
}
