import HardwareAbstraction

/// A state folder in memory, on a disk that can lose its power at any step. It starts empty.
///
/// A power cut leaves what a real disk may leave: an unsynchronized file survives whole, in part, with its end zeroed, or not
/// at all. The first few of the unsynchronized name changes survive, in order.
public final class SimulatedDisk: StateFolder {
  /// How the metronome ends without a shutdown.
  public enum Cut: Hashable, Sendable, CaseIterable {
    /// The process is killed; what it wrote still reaches the disk.
    case kill
    /// The power is cut.
    case power
  }

  private struct File {
    var bytes: [UInt8] = []
    /// Whether all bytes are written, although perhaps not yet flushed to the disk.
    var isComplete = false
    var isOnDisk = false
  }

  private enum Change {
    case made(String, Int)
    case removed(String)
    case renamed(String, String)

    func apply(to names: inout [String: Int]) {
      switch self {
      case .made(let name, let file): names[name] = file
      case .removed(let name): names[name] = nil
      case .renamed(let name, let newName): names[newName] = names.removeValue(forKey: name)
      }
    }
  }

  private var files: [File] = []
  private var names: [String: Int] = [:]
  /// The names on the disk, and the changes since the last flush.
  private var durableNames: [String: Int] = [:]
  private var changes: [Change] = []
  /// The faults of the board that the disk belongs to.
  var faults: FaultInjector?

  /// The number of write steps so far; a cut can come at any of them.
  public private(set) var steps = 0
  /// The cut comes at this step, counted from 0; nil: never.
  public var cutStep: Int?

  /// The highest number of steps in one save.
  static let stepsOfSave = 8

  public init() {}

  /// After a cut, reading and writing fail with `EIO`.
  public var isAlive: Bool { cutStep.map { steps <= $0 } ?? true }

  /// Sorted.
  public var fileNames: [String] { names.keys.sorted() }

  public func read(_ name: String) throws(HardwareError) -> [UInt8]? {
    try faults?.strike(.loadState)
    guard isAlive else { throw HardwareError(.loadState, .other, errno: 5) }
    return names[name].map { files[$0].bytes }
  }

  public func exists(_ name: String) -> Bool { names[name] != nil }

  public func write(_ name: String, _ bytes: [UInt8]) throws(HardwareError) {
    try faults?.strike(.saveState)
    if names[name] != nil {
      try step()
      change(.removed(name))
    }
    try step()
    files.append(File(bytes: bytes))
    let file = files.count - 1
    change(.made(name, file))
    try step()
    files[file].isComplete = true
    try step()
    files[file].isOnDisk = true
  }

  @discardableResult
  public func rename(_ name: String, to newName: String) throws(HardwareError) -> Bool {
    try faults?.strike(.saveState)
    guard names[name] != nil else { return false }
    try step()
    change(.renamed(name, newName))
    return true
  }

  @discardableResult
  public func remove(_ name: String) throws(HardwareError) -> Bool {
    try faults?.strike(.saveState)
    guard names[name] != nil else { return false }
    try step()
    change(.removed(name))
    return true
  }

  public func list() throws(HardwareError) -> [String] {
    try faults?.strike(.loadState)
    guard isAlive else { throw HardwareError(.loadState, .other, errno: 5) }
    return fileNames
  }

  public func synchronize() throws(HardwareError) {
    try faults?.strike(.saveState)
    try step()
    durableNames = names
    changes = []
  }

  /// The disk as it may be found after a cut.
  public func survivor(of cut: Cut, using random: inout SeededRandom) -> SimulatedDisk {
    let disk = SimulatedDisk()
    var found = names
    if cut == .power {
      found = durableNames
      for change in changes.prefix(Int.random(in: 0...changes.count, using: &random)) { change.apply(to: &found) }
    }
    for name in found.keys.sorted() {
      let bytes = found[name].map { remains(of: files[$0], after: cut, using: &random) } ?? []
      disk.names[name] = disk.files.count
      disk.files.append(File(bytes: bytes, isComplete: true, isOnDisk: true))
    }
    disk.durableNames = disk.names
    return disk
  }

  /// Replaces the contents with what may be found after a cut: see ``survivor(of:using:)``.
  public func recover(from cut: Cut, using random: inout SeededRandom) {
    let survivor = survivor(of: cut, using: &random)
    (files, names, durableNames) = (survivor.files, survivor.names, survivor.durableNames)
    changes = []
    cutStep = nil
  }

  private func remains(of file: File, after cut: Cut, using random: inout SeededRandom) -> [UInt8] {
    let isWhole = file.isOnDisk || (cut == .kill && file.isComplete)
    guard !isWhole else { return file.bytes }
    let count = Int.random(in: 0...file.bytes.count, using: &random)
    let part = Array(file.bytes[..<count])
    guard cut == .power, Bool.random(using: &random) else { return part }
    return part + [UInt8](repeating: 0, count: file.bytes.count - count)
  }

  private func step() throws(HardwareError) {
    steps += 1
    guard isAlive else { throw HardwareError(.saveState, .other, errno: 5) }
  }

  private func change(_ change: Change) {
    changes.append(change)
    change.apply(to: &names)
  }
}
