extension Metronome {
  /// Changes the presets as a request says.
  ///
  /// - Returns: the command that it comes to besides; of a recall, that is all of it.
  public mutating func carryOut(_ request: PresetRequest) throws(PresetError) -> Command? {
    if case .recall(let name) = request {
      guard let place = presets.place(of: name) else { throw .noSuchPreset(name) }
      return .recallPreset(place)
    }
    var memory = memory
    try memory.carryOut(request)
    before = nil
    presets = memory.presets
    recalled = memory.recalled
    return nil
  }
}
