import MetronomeCore

extension BoardFacts {
  /// Whether what is remembered can be read.
  var memoryFinding: Finding? {
    guard state.exists, state.isFolder, let contents = state.contents else { return nil }
    switch contents {
    case .unread(let errno): return unread(errno)
    case .read(let losses, let rest):
      if let errno = notForCaller(losses) { return unread(errno) }
      return losses.isEmpty ? whole(rest) : lost(losses, rest)
    }
  }

  private func unread(_ errno: Int32) -> Finding {
    .absent(.state, "memory", "not looked at: \(caller.name) may not read it (\(reason(errno)))")
  }

  /// What is the service's need not be for whoever asks.
  private func notForCaller(_ losses: [StateFacts.Loss]) -> Int32? {
    guard installedService != nil, !caller.isRoot else { return nil }
    for case .refused(let errno) in losses.map(\.trouble) where errno == accessDenied { return errno }
    return nil
  }

  private func whole(_ rest: StateFacts.Rest) -> Finding {
    switch rest {
    case .nothing: .right(.state, "memory", "nothing is remembered yet")
    case .newest(let presets), .older(let presets): .right(.state, "memory", "whole, \(counted(presets, "preset"))")
    }
  }

  private func lost(_ losses: [StateFacts.Loss], _ rest: StateFacts.Rest) -> Finding {
    let troubles = losses.map { "\($0.name) \(text($0.trouble))" }.joined(separator: ", ")
    if let stuck = losses.first(where: { $0.newName == nil }) {
      return .wrong(
        .state, "memory", "\(troubles), and cannot be set aside, as so many have been: nothing can be saved",
        remedy: "sudo rm -r \(state.path)/\(stuck.name).damaged*")
    }
    let names = losses.compactMap(\.newName).joined(separator: ", ")
    let start = "the next start sets \(losses.count == 1 ? "it" : "them") aside as \(names)"
    let setAside =
      installedService == nil
      ? "end the metronome, and metronome run --state \(state.path) again"
      : "sudo systemctl restart metronome"
    switch rest {
    case .newest:
      return .doubtful(
        .state, "memory", "\(troubles); the newest state is whole, and \(start)", remedy: setAside)
    case .older:
      return .doubtful(
        .state, "memory", "\(troubles); the good one before it holds, without the last change, and \(start)",
        remedy: processes.hasMetronome ? wayBack(losses) : setAside)
    case .nothing:
      return .doubtful(
        .state, "memory", "\(troubles), and there is no other: \(start), and presets and tempo are lost",
        remedy: wayBack(losses))
    }
  }

  /// How to have the memory back of which no file is good.
  private func wayBack(_ losses: [StateFacts.Loss]) -> String {
    let save = "sudo metronome presets --state \(state.path) save NAME"
    if processes.hasMetronome {
      return "before it ends, \(save): the metronome that runs still knows all, and writes it"
    }
    let isNewer = losses.contains { loss in
      if case .content(.future) = loss.trouble { true } else { false }
    }
    if isNewer { return "install the newer version again; or, to begin anew, \(save)" }
    return "copy a good one to \(state.path)/state before it starts; or, to begin anew, \(save)"
  }

  private func text(_ trouble: StateFacts.Loss.Trouble) -> String {
    switch trouble {
    case .content(let error): error.text
    case .refused(let errno): "cannot be read (\(reason(errno)))"
    }
  }
}

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
