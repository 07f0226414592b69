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
      settings.signature = memory.signature.nearest(allowedBy: settings.limit)
      settings.isSilent = memory.isSilent
    }
    metronome = Metronome(
      settings, presets: findings.memory?.presets ?? PresetList(), recalled: findings.memory?.recalled)
  }

  /// What need not be saved, because it is.
  var saved: Memory? { findings.isWhole ? findings.memory : nil }
}

extension Signature {
  /// This one, or the nearest to it that a limit allows: over the same note if there is such a note.
  func nearest(allowedBy limit: NumeratorLimit) -> Signature {
    let notes = limit.denominators
    let note = notes.last { $0 <= denominator } ?? notes[0]
    return Signature.initial.with(denominator: note, limit: limit).with(numerator: numerator, limit: limit)
  }
}
