import HardwareAbstraction
import MetronomeCore

/// How a metronome begins, by what is remembered and what is configured.
struct Restoration {
  let archive: StateArchive?
  let findings: StateFindings
  /// Stopped.
  let metronome: Metronome

  /// Looks at a store, and sets aside what is no good in it.
  init(from store: (any StateFolder)?, _ options: EngineOptions) {
    archive = store.map(StateArchive.init)
    var findings = archive?.load() ?? StateFindings()
    do throws(HardwareError) {
      try archive?.repair()
      findings.isSetAside = true
    } catch {
      findings.refusal = error
    }
    self.findings = findings
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

  /// What saves from here on.
  func keeper<Observer: EngineObserver>(_ observer: Observer) -> StateKeeper<Observer>? {
    archive.map {
      StateKeeper(
        $0, saved: findings.isWhole ? findings.memory : nil,
        refusal: findings.losses.isEmpty ? nil : findings.refusal, observer: observer)
    }
  }
}
