extension BoardFacts {
  var configurationFindings: [Finding] { [file, outputs].compactMap(\.self) }

  private var file: Finding {
    switch configuration.outcome {
    case .good:
      .right(.configuration, "file", configuration.path ?? "the built-in one; there is no \(configurationFile)")
    case .bad(let problem, let remedy):
      .wrong(.configuration, "file", problem, remedy: remedy)
    }
  }

  /// Whether a lamp or a buzzer tells the beat.
  var hasOutputLine: Bool { configuration.wiring.map { !$0.outputs.isEmpty } ?? true }

  private var outputs: Finding? {
    guard !hasOutputLine, !audioIsWanted else { return nil }
    return .wrong(
      .configuration, "outputs",
      "no output has a line, and audio.device is none: the box can be neither seen nor heard",
      remedy: "in \(configurationFile) set outputs.light.line to the line of a light, or audio.device to auto")
  }
}
