extension BoardFacts {
  var configurationFindings: [Finding] {
    switch configuration.outcome {
    case .good:
      [.right(.configuration, "file", configuration.path ?? "the built-in one; there is no \(configurationFile)")]
    case .bad(let problem, let remedy):
      [.wrong(.configuration, "file", problem, remedy: remedy)]
    }
  }
}
