/// The lines that light and sound. Held from the moment the board is opened, all inactive, until they are released.
///
/// Used by one thread at a time. Some of the outputs may have no line; what is said of them is dropped.
public protocol OutputLines: AnyObject {
  /// Sets every output at once, in one call to the hardware.
  ///
  /// - Throws: `HardwareError` with operation `setLines` when the chip refuses or is gone. The lines then stand as they
  ///   stood.
  func set(_ levels: OutputLevels) throws(HardwareError)

  /// Makes every output inactive and gives the lines back. After it nothing may be set; it may be called again.
  func release()
}
