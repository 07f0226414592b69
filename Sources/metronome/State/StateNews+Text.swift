extension StateNews {
  /// Whether saving works.
  var isGood: Bool {
    switch self {
    case .refused: false
    case .savesAgain: true
    }
  }

  /// As the log has it.
  ///
  /// - Parameter isDeaf: whether presets cannot be asked for either.
  func text(isDeaf: Bool) -> String {
    switch self {
    case .refused(let error):
      "the state cannot be saved (\(reason(error.errno)))"
        + (isDeaf ? ", and \"metronome presets\" cannot ask this metronome" : "")
        + "; playing goes on, and it is tried again"
    case .savesAgain: "the state can be saved again"
    }
  }
}
