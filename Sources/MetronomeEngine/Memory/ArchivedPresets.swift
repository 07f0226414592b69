import HardwareAbstraction
import MetronomeCore

/// The presets of a metronome that does not run, in its archive.
///
/// Each look reads, and each change writes. Nobody else may use the archive's folder meanwhile.
public final class ArchivedPresets: PresetStore {
  private let archive: StateArchive
  /// What a metronome that was never switched on remembers.
  private let initial: Memory
  private let restores: Bool
  /// What was no good in the folder when it was read last.
  public private(set) var findings = StateFindings()

  /// - Parameter restores: whether a metronome will begin with the tempo and signature remembered, and not the initial ones.
  public init(_ archive: StateArchive, initial: Memory = Memory(), restores: Bool = true) {
    self.archive = archive
    self.initial = initial
    self.restores = restores
  }

  public var presets: PresetList { memory.presets }

  /// All that is remembered.
  public var memory: Memory {
    findings = archive.load()
    return findings.memory ?? initial
  }

  public func change(_ work: (inout PresetList) throws -> Void) throws {
    var memory = self.memory
    try work(&memory.presets)
    try save(memory)
  }

  /// Carries out a request.
  ///
  /// - Throws: `HardwareError` with operation `saveState` when it cannot be saved.
  public func carryOut(_ request: PresetRequest) throws(HardwareError) -> PresetReply {
    var memory = self.memory
    let before = memory
    do throws(PresetError) { try memory.carryOut(asSet(request)) } catch { return PresetReply(error, memory: memory) }
    if memory != before { try save(memory) }
    return PresetReply(memory: memory)
  }

  private func save(_ memory: Memory) throws(HardwareError) {
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
