import HardwareAbstraction
import MetronomeCore

/// The presets of a metronome that does not run, in its archive.
///
/// Each look reads, and each change writes. Nobody else may use the archive's folder meanwhile.
public final class ArchivedPresets {
  private let archive: StateArchive
  /// What a metronome that was never switched on remembers.
  private let initial: SavedState
  private let restores: Bool
  /// What was no good in the folder when it was read last.
  public private(set) var findings = StateFindings()

  /// - Parameter restores: whether a metronome will begin with the tempo and signature remembered, and not the initial ones.
  public init(_ archive: StateArchive, initial: SavedState = SavedState(), restores: Bool = true) {
    self.archive = archive
    self.initial = initial
    self.restores = restores
  }

  /// What is saved.
  public var savedState: SavedState {
    findings = archive.load()
    return findings.savedState ?? initial
  }

  /// Carries out a request.
  ///
  /// - Throws: `HardwareError` with operation `saveState` when it cannot be saved.
  public func carryOut(_ request: PresetRequest) throws(HardwareError) -> PresetReply {
    var memory = savedState
    let before = memory
    do throws(PresetError) { try memory.carryOut(asSet(request)) } catch {
      return PresetReply(error, savedState: memory)
    }
    if memory != before { try save(memory) }
    return PresetReply(savedState: memory)
  }

  private func save(_ memory: SavedState) throws(HardwareError) {
    defer { findings.isSetAside = archive.isRepaired }
    do throws(HardwareError) { try archive.save(memory) } catch {
      if !archive.isRepaired { findings.refusal = error }
      throw error
    }
  }

  /// The request with what the metronome will be set to, where that is not what is remembered.
  private func asSet(_ request: PresetRequest) -> PresetRequest {
    guard !restores, case .save(let name, let tempo, let signature) = request else { return request }
    return .save(name, tempo ?? initial.tempo, signature ?? initial.signature)
  }
}
