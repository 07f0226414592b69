import HardwareAbstraction

/// A state store that forgets with the process. It starts empty.
public final class MemoryStore: StateStore {
  private var bytes: [UInt8]?
  private let faults: FaultInjector

  init(faults: FaultInjector) { self.faults = faults }

  public func load() throws(HardwareError) -> [UInt8]? {
    try faults.strike(.loadState)
    return bytes
  }

  public func save(_ bytes: [UInt8]) throws(HardwareError) {
    try faults.strike(.saveState)
    self.bytes = bytes
  }
}
