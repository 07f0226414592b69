import HardwareAbstraction

extension ALSAOutput {
  /// Opens a sound card alone, without a board. It runs, silent.
  ///
  /// - Parameter notice: told, in one line each, what a person should know but what stops nothing.
  /// - Throws: `HardwareError` with operation `openAudio`, and a detail that says what to do.
  public static func open(
    _ request: AudioRequest, notice: @escaping (String) -> Void
  ) throws(HardwareError) -> ALSAOutput {
    try AudioOpening(request, notice: notice).openOrFail()
  }
}
