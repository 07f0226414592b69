import HardwareAbstraction
import MetronomeCore

/// The presets of a metronome that does not run, in its archive.
///
/// Each look reads, and each change writes. Nobody else may use the archive's folder meanwhile.
public final class ArchivedPresets: PresetStore {
  private let archive: StateArchive
  /// What a metronome that was never switched on remembers.
  private let initial: Memory
  /// What was no good in the folder when it was read last.
  public private(set) var findings = StateFindings()

  public init(_ archive: StateArchive, initial: Memory = Memory()) {
    self.archive = archive
    self.initial = initial
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
    try archive.save(memory)
  }

  /// Carries out a request.
  ///
  /// - Throws: `HardwareError` with operation `saveState` when it cannot be saved.
  public func carryOut(_ request: PresetRequest) throws(HardwareError) -> PresetReply {
    var memory = self.memory
    let before = memory
    do throws(PresetError) { try memory.carryOut(request) } catch { return PresetReply(error, memory: memory) }
    if memory != before { try archive.save(memory) }
    return PresetReply(memory: memory)
  }
}
