import HardwareAbstraction

/// A state folder in memory, on a disk that can lose its power in the midst of anything. It starts empty.
///
/// What survives is what a real disk may keep: of a file that was not brought to it nothing, any part, zeros in place of
/// any end, or all; of names that have changed since they were brought to it the first few changes, in order.
public final class SimulatedDisk: StateFolder {
  /// How everything ends at once.
  public enum Cut: Hashable, Sendable, CaseIterable {
    /// Whoever used it is killed; the disk gets what the system has.
    case kill
    /// The plug is pulled.
    case power
  }

  private struct File {
    var bytes: [UInt8] = []
    /// Whether all of it is written, as far as whoever reads it can tell.
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
  /// Those on the disk, and what has changed since.
  private var durableNames: [String: Int] = [:]
  private var changes: [Change] = []
  /// Of the board it belongs to.
  var faults: FaultInjector?

  /// How many things were done so far between which, or in which, it may end.
  public private(set) var steps = 0
  /// It ends in the step of this number, counted from 0; nil: never.
  public var cutStep: Int?

  /// How many of them a save takes at the most.
  static let stepsOfSave = 8

  public init() {}

  /// Whether it has not ended. Once it has, everything fails with `EIO`.
  public var isAlive: Bool { cutStep.map { steps <= $0 } ?? true }

  /// The files there are, in order of their names.
  public var fileNames: [String] { names.keys.sorted() }

  public func read(_ name: String) throws(HardwareError) -> [UInt8]? {
    try faults?.strike(.loadState)
    guard isAlive else { throw HardwareError(.loadState, errno: 5) }
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

  public func synchronize() throws(HardwareError) {
    try faults?.strike(.saveState)
    try step()
    durableNames = names
    changes = []
  }

  /// The disk as it is found after an end of the kind: one of the many ways it may be.
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

  /// Comes back after an end of the kind, as it is found then: see ``survivor(of:using:)``.
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
    guard isAlive else { throw HardwareError(.saveState, errno: 5) }
  }

  private func change(_ change: Change) {
    changes.append(change)
    change.apply(to: &names)
  }
}
