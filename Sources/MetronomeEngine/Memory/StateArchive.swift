import HardwareAbstraction
import MetronomeCore

/// What a metronome remembers, in a folder: the newest, and the good one before it.
///
/// A save writes `state.new`, brings it to the disk, lets `state` be `state.previous` and `state.new` be `state`, and
/// brings the names to the disk. Wherever the power goes meanwhile, one of the three is good, and is the one saved last or
/// the one that was being saved. What is no good is set aside under its name and `.damaged`, `.damaged.2` and so on, and
/// never written over.
///
/// Used by one thread, never a real-time one.
public final class StateArchive {
  /// How many that are no good are set aside of each name.
  static let mostAside = 99
  private static let state = "state"
  private static let fresh = "state.new"
  private static let previous = "state.previous"

  /// `EINVAL` and `EEXIST`, alike on every system.
  private static let invalid: Int32 = 22
  private static let exists: Int32 = 17

  private let folder: any StateFolder
  /// Of the files that were read, or of the last save.
  private var newest: StateFile?
  /// What is to be renamed before anything is saved, in order.
  private var repairs: [(name: String, newName: String?)] = []

  public init(_ folder: any StateFolder) { self.folder = folder }

  /// Reads what there is; changes nothing. See ``repair()``.
  public func load() -> StateFindings {
    var findings = StateFindings()
    repairs = []
    let state = look(StateArchive.state, &findings)
    let previous = look(StateArchive.previous, &findings)
    let fresh = lookAtFresh(&findings)
    newest = [state, fresh, previous].compactMap(\.self).max { $0.save < $1.save }
    if let fresh, fresh == newest, fresh != state {
      // The save went as far as this: it is brought to its end, so that the next one does not begin by deleting it.
      if state != nil { repairs.append((StateArchive.state, StateArchive.previous)) }
      repairs.append((StateArchive.fresh, StateArchive.state))
    }
    findings.savedState = newest?.savedState
    findings.isWhole = newest != nil && newest == state
    return findings
  }

  /// Sets aside what is no good, and ends a save that was broken off. To be called once after loading; what fails is tried
  /// again before the next save.
  public func repair() throws(HardwareError) {
    guard !repairs.isEmpty else { return }
    while let (name, wanted) = repairs.first {
      guard let newName = wanted ?? freeName(for: name) else {
        throw HardwareError(.saveState, errno: StateArchive.exists, detail: "\(name) cannot be set aside")
      }
      try folder.rename(name, to: newName)
      repairs.removeFirst()
    }
    try folder.synchronize()
  }

  /// Whether ``repair()`` has nothing left to do.
  var isRepaired: Bool { repairs.isEmpty }

  /// Saves. When it throws, what was saved before is still there; what was to be saved may be there, too, and is found
  /// then if it is whole.
  ///
  /// - Throws: `HardwareError` with operation `saveState`.
  public func save(_ memory: SavedState) throws(HardwareError) {
    try repair()
    let file = newest?.next(memory) ?? StateFile(memory, save: 1)
    // Nothing good gives way to what would be lost with the next start.
    guard (try? StateFile(file.bytes)) == file else {
      throw HardwareError(.saveState, errno: StateArchive.invalid, detail: "what is written could not be read again")
    }
    try folder.write(StateArchive.fresh, file.bytes)
    try folder.rename(StateArchive.state, to: StateArchive.previous)
    try folder.rename(StateArchive.fresh, to: StateArchive.state)
    newest = file
    try folder.synchronize()
  }

  /// Reads a file, and has it set aside if it is no good.
  private func look(_ name: String, _ findings: inout StateFindings) -> StateFile? {
    let trouble: StateFindings.Trouble
    do throws(HardwareError) {
      guard let bytes = try folder.read(name) else { return nil }
      do throws(StateFileError) { return try StateFile(bytes) } catch { trouble = .content(error) }
    } catch {
      trouble = .refused(errno: error.errno)
    }
    lose(name, trouble, &findings)
    return nil
  }

  /// Reads what a save that was broken off has left. It may well break off: the power went while it was written, and nothing
  /// is lost by that. What cannot be read, a folder even, would be in the way of every save.
  private func lookAtFresh(_ findings: inout StateFindings) -> StateFile? {
    do throws(HardwareError) {
      return try folder.read(StateArchive.fresh).flatMap { try? StateFile($0) }
    } catch {
      lose(StateArchive.fresh, .refused(errno: error.errno), &findings)
      return nil
    }
  }

  private func lose(_ name: String, _ trouble: StateFindings.Trouble, _ findings: inout StateFindings) {
    let newName = freeName(for: name)
    repairs.append((name, newName))
    findings.losses.append(StateFindings.Loss(name: name, trouble: trouble, newName: newName))
  }

  /// The first name for what is set aside that nothing has; nil: all are taken.
  private func freeName(for name: String) -> String? {
    let names = (1...StateArchive.mostAside).lazy.map { $0 == 1 ? "\(name).damaged" : "\(name).damaged.\($0)" }
    return names.first { !self.folder.exists($0) }
  }
}

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
    if options.restores, let memory = findings.savedState {
      settings.tempo = memory.tempo
      settings.signature = memory.signature.limited(by: settings.limit)
      settings.isSilent = memory.isSilent
    }
    metronome = Metronome(
      settings, rules: options.rules, presets: findings.savedState?.presets ?? PresetList(),
      recalled: findings.savedState?.recalled)
  }

  /// What saves from here on.
  func keeper<Observer: EngineObserver>(
    _ observer: Observer, wake: @escaping @Sendable (Loop) -> Void
  ) -> StateSaver<Observer>? {
    archive.map {
      StateSaver(
        $0, saved: findings.isWhole ? findings.savedState : nil,
        refusal: findings.losses.isEmpty ? nil : findings.refusal, observer: observer, wake: wake)
    }
  }
}

/// What a folder was found to hold of a metronome's state.
public struct StateFindings: Hashable, Sendable {
  /// Why a file is no good.
  public enum Trouble: Hashable, Sendable {
    case content(StateFileError)
    /// It cannot be read.
    case refused(errno: Int32)
  }

  /// A file that is no good.
  public struct Loss: Hashable, Sendable {
    public var name: String
    public var trouble: Trouble
    /// Under which name it is set aside; nil: all that are for that are taken.
    public var newName: String?
  }

  /// The newest that is good; nil: none.
  public internal(set) var savedState: SavedState?
  /// Whether it is what was saved last, where it is looked for first, so that it need not be saved anew.
  public internal(set) var isWhole = false
  public internal(set) var losses: [Loss] = []
  /// Whether they are set aside.
  public package(set) var isSetAside = false
  /// Why what is no good could not be set aside, and nothing can be saved.
  public package(set) var refusal: HardwareError?

  /// What a person should know, in a line; nil: nothing.
  ///
  /// - Parameters:
  ///   - isPlaying: whether it is a metronome that tells it, which goes on and tries again.
  ///   - reason: what the system says about an error number.
  public func notice(isPlaying: Bool = true, reason: (Int32) -> String) -> String? {
    guard !losses.isEmpty else { return nil }
    let troubles = losses.map { "\($0.name) \($0.trouble.text(reason))" }.joined(separator: ", ")
    let names = losses.compactMap(\.newName)
    if let refusal {
      let isCrowded = names.count < losses.count
      let why = isCrowded ? "there are \(StateArchive.mostAside) of the kind already" : reason(refusal.errno)
      return "\(troubles), and cannot be set aside (\(why)): the state cannot be saved before it is"
        + (isPlaying ? "; playing goes on, and it is tried again" : "")
    }
    let setAside = isSetAside ? ", and is set aside as \(names.joined(separator: ", "))" : ""
    return "\(troubles)\(setAside); \(outcome)"
  }

  private var outcome: String {
    switch (savedState, isWhole) {
    case (nil, _): "there is no other, so what the configuration says holds"
    case (_, true): "the newest state is whole"
    case (_, false): isSetAside ? "the good one before it is restored" : "the good one before it holds"
    }
  }
}

extension StateFindings.Trouble {
  fileprivate func text(_ reason: (Int32) -> String) -> String {
    switch self {
    case .content(let error): error.text
    case .refused(let errno): "cannot be read (\(reason(errno)))"
    }
  }
}
