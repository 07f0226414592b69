import MetronomeCore

/// Where a sound card is plugged in: it may be there, be in use, be gone, and come back.
///
/// Used by one thread, which has the time: every call may wait, and none is for a real-time thread.
public protocol AudioPort: AnyObject {
  associatedtype Output: AudioOutput

  /// What is waited for while there is no card, in the terms of whoever has to plug it in: `hw:CARD=Headphones`.
  var name: String { get }

  /// Opens the card. It runs, silent. One output is open at a time.
  ///
  /// - Throws: `HardwareError` with operation `openAudio`.
  func open() throws(HardwareError) -> Output

  /// Lets a card go on that slept.
  ///
  /// - Throws: `HardwareError` with operation `openAudio`; the output is then to be closed.
  func resume(_ output: Output) throws(HardwareError)

  /// Gives an output back, whatever state it is in.
  func close(_ output: Output)
}
