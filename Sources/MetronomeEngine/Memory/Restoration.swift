import HardwareAbstraction
import MetronomeCore

/// How a metronome begins, by what is remembered and what is configured.
struct Restoration {
  let archive: StateArchive?
  let findings: StateFindings
  /// Stopped.
  let metronome: Metronome

  /// Looks at a store, and sets aside what is no good in it. That it cannot, the first save will tell.
  init(from store: (any StateFolder)?, _ options: EngineOptions) {
    archive = store.map(StateArchive.init)
    findings = archive?.load() ?? StateFindings()
    try? archive?.repair()
    var settings = options.settings
    if options.restores, let memory = findings.memory {
      settings.tempo = memory.tempo
      settings.signature = memory.signature.limited(by: settings.limit)
      settings.isSilent = memory.isSilent
    }
    metronome = Metronome(
      settings, rules: options.rules, presets: findings.memory?.presets ?? PresetList(),
      recalled: findings.memory?.recalled)
  }

  /// What need not be saved, because it is.
  var saved: Memory? { findings.isWhole ? findings.memory : nil }
}
