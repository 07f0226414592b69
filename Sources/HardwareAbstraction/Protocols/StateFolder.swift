/// A folder of a few small files that outlive the program.
///
/// What is written is on the disk when the call returns; that a file has come, has another name or is gone is so only
/// after ``synchronize()``: until then a power cut may undo it, the newest first. Used by one thread, never a real-time
/// one: a disk may keep whoever writes waiting for a second.
public protocol StateFolder: AnyObject {
  /// All of a file, or nil if there is none of this name.
  ///
  /// - Throws: `HardwareError` with operation `loadState`.
  func read(_ name: String) throws(HardwareError) -> [UInt8]?

  /// Whether there is anything of this name, be it a file or not; also where that cannot be told.
  func exists(_ name: String) -> Bool

  /// Makes a file of these bytes, in place of one of this name, and brings them to the disk. A power cut before it returns,
  /// or a failure, leaves any part of them or no file: one that matters is written under another name and then renamed.
  ///
  /// - Throws: `HardwareError` with operation `saveState`, as do the others.
  func write(_ name: String, _ bytes: [UInt8]) throws(HardwareError)

  /// Gives a file another name, in place of what had that name.
  ///
  /// - Returns: false if there is no such file.
  @discardableResult
  func rename(_ name: String, to newName: String) throws(HardwareError) -> Bool

  /// Brings names to the disk.
  func synchronize() throws(HardwareError)
}
