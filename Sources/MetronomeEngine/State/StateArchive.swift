import HardwareAbstraction
import MetronomeCore
import Synchronization

/// The saved state in a folder: the newest state, and the one before it. Used by one thread, never a real-time one.
///
/// A save writes and synchronizes `state.new`, renames `state` to `state.previous` and `state.new` to `state`, and synchronizes
/// the folder. Whenever the power fails meanwhile, one of the three files is good and has the previous or the new state. An
/// unusable file is renamed to `.damaged`, `.damaged.2` and so on, and never overwritten. If this process may not read a file,
/// the file is kept, and nothing is saved.
public final class StateArchive {
  /// How many damaged files of each name are kept.
  static let maxAside = 99
  private static let state = "state"
  private static let fresh = "state.new"
  private static let previous = "state.previous"

  private let folder: any StateFolder
  /// The newest of the files that were read, or the last save.
  private var newest: StateFile?
  /// The files to rename before the next save, in order.
  private var repairs: [(name: String, newName: String?)] = []
  /// Why nothing may be saved: a save would replace a file that this process may not read.
  private var obstacle: HardwareError?

  public init(_ folder: any StateFolder) { self.folder = folder }

  /// Reads the files, and changes nothing. See ``repair()``.
  public func load() -> StateFindings {
    var findings = StateFindings()
    (repairs, obstacle) = ([], nil)
    let state = read(StateArchive.state, &findings)
    let previous = read(StateArchive.previous, &findings)
    let fresh = readInterruptedSave(&findings)
    newest = [state, fresh, previous].compactMap(\.self).max { $0.save < $1.save }
    if let fresh, fresh == newest, fresh != state {
      // Complete the interrupted save, because the next save would overwrite its file.
      if state != nil { repairs.append((StateArchive.state, StateArchive.previous)) }
      repairs.append((StateArchive.fresh, StateArchive.state))
    }
    findings.savedState = newest?.savedState
    findings.isWhole = newest != nil && newest == state
    return findings
  }

  /// Renames unusable files, and completes an interrupted save. Call this after ``load()``; each save calls it, too.
  public func repair() throws(HardwareError) {
    if let obstacle { throw obstacle }
    guard !repairs.isEmpty else { return }
    while let (name, wanted) = repairs.first {
      guard let newName = wanted ?? freeName(for: name) else {
        throw HardwareError(.saveState, .other, detail: "\(name) cannot be renamed")
      }
      try folder.rename(name, to: newName)
      repairs.removeFirst()
    }
    try folder.synchronize()
  }

  /// Loads the state, and renames unusable files.
  func loadAndRepair() -> StateFindings {
    var findings = load()
    do throws(HardwareError) {
      try repair()
      findings.isSetAside = true
    } catch {
      findings.refusal = error
    }
    return findings
  }

  /// Whether ``repair()`` has nothing left to do.
  var isRepaired: Bool { repairs.isEmpty && obstacle == nil }

  /// Saves the state. Throws a `HardwareError` with operation `saveState`.
  /// After an error the old state is still on the disk; the new state may be there, too.
  public func save(_ state: SavedState) throws(HardwareError) {
    try repair()
    let file = newest?.next(state) ?? StateFile(state, save: 1)
    // A state that could not be read at the next start must not replace a good state.
    guard (try? StateFile(file.bytes)) == file else {
      throw HardwareError(.saveState, .invalid, detail: "the new state could not be read back")
    }
    try folder.write(StateArchive.fresh, file.bytes)
    try folder.rename(StateArchive.state, to: StateArchive.previous)
    try folder.rename(StateArchive.fresh, to: StateArchive.state)
    newest = file
    try folder.synchronize()
  }

  /// Reads a file, and schedules its renaming if it is unusable.
  private func read(_ name: String, _ findings: inout StateFindings) -> StateFile? {
    let reason: UnusableStateFile.Reason
    do throws(HardwareError) {
      guard let bytes = try folder.read(name) else { return nil }
      do throws(StateFileError) { return try StateFile(bytes) } catch { reason = .content(error) }
    } catch {
      reason = .refused(error)
    }
    setAside(name, reason, &findings)
    return nil
  }

  /// Reads the file that an interrupted save has left. An incomplete file is ignored, because the previous state is good. An
  /// unreadable file, or a folder of that name, is renamed, because it would block every save.
  private func readInterruptedSave(_ findings: inout StateFindings) -> StateFile? {
    do throws(HardwareError) {
      return try folder.read(StateArchive.fresh).flatMap { try? StateFile($0) }
    } catch {
      setAside(StateArchive.fresh, .refused(error), &findings)
      return nil
    }
  }

  private func setAside(_ name: String, _ reason: UnusableStateFile.Reason, _ findings: inout StateFindings) {
    var file = UnusableStateFile(name: name, reason: reason, newName: nil)
    if file.isKept, case .refused(let error) = reason {
      obstacle = HardwareError(.saveState, .denied, errno: error.errno, detail: "no permission to read \(name)")
    } else {
      file.newName = freeName(for: name)
      repairs.append((name, file.newName))
    }
    findings.unusable.append(file)
  }

  /// The first free name for an unusable file; nil if there is none.
  private func freeName(for name: String) -> String? {
    let names = (1...StateArchive.maxAside).lazy.map { $0 == 1 ? "\(name).damaged" : "\(name).damaged.\($0)" }
    return names.first { !self.folder.exists($0) }
  }
}

/// The result of reading the state folder of a metronome.
public struct StateFindings: Hashable, Sendable {
  /// The newest good state; nil if there is none.
  public internal(set) var savedState: SavedState?
  /// Whether ``savedState`` is the content of the file `state`, so that it need not be saved again.
  public internal(set) var isWhole = false
  public internal(set) var unusable: [UnusableStateFile] = []
  /// Whether the unusable files were renamed.
  public package(set) var isSetAside = false
  /// Why the unusable files could not be renamed, so that nothing can be saved.
  public package(set) var refusal: HardwareError?

  /// A message of one line about unusable files; nil if there are none. `reason` gives the system's text for an error number.
  ///
  /// `isPlaying`: the metronome is running. If a file is not renamed, the message then says whether the metronome retries or
  /// must be restarted.
  public func notice(isPlaying: Bool = true, reason: (Int32) -> String) -> String? {
    guard !unusable.isEmpty else { return nil }
    let troubles = unusable.map { "\($0.name) \($0.reason.text(reason))" }.joined(separator: ", ")
    let names = unusable.compactMap(\.newName)
    let outcome =
      switch (savedState, isWhole) {
      case (nil, _): "there is no other saved state, so the values of the configuration apply"
      case (_, true): "the newest state is intact"
      case (_, false): isSetAside ? "the previous state is restored" : "the previous state is used"
      }
    if unusable.contains(where: \.isKept) {
      return "\(troubles) and is not changed; \(outcome). Nothing is saved until the file is readable"
        + (isPlaying ? " and the metronome is restarted" : "")
    }
    if let refusal {
      let crowded = unusable.first { $0.newName == nil }.map(\.name)
      let why =
        crowded.map { "all \(StateArchive.maxAside) names for a damaged \($0) are in use" } ?? refusal.reason(reason)
      return "\(troubles) and cannot be renamed (\(why)); nothing is saved until the file is renamed"
        + (isPlaying ? "; playback continues, and renaming is retried" : "")
    }
    let setAside = isSetAside ? ", renamed to \(names.joined(separator: ", "))" : ""
    return "\(troubles)\(setAside); \(outcome)"
  }
}

/// Saves the metronome's state after changes, but not too often. It runs on an ordinary thread, which a disk may block for
/// seconds. The control loop only passes it the newest state.
public final class StateSaver<Observer: EngineObserver> {
  /// The shortest time between the beginnings of two saves, so that repeated presses do not wear out an SD card.
  public static var interval: Nanoseconds { .seconds(2) }
  /// The longest delay between two attempts. The delay doubles with each failure.
  public static var longestDelay: Nanoseconds { .seconds(60) }

  private struct Shared {
    var newest: SavedState?
    var isClosed = false
    /// The state on the disk; nil if unknown.
    var saved: SavedState?
    /// Why the last attempt failed; nil if it succeeded.
    var refusal: HardwareError?

    var unsaved: SavedState? { newest == saved ? nil : newest }
  }

  private let archive: StateArchive
  private let observer: Observer
  private let shared: Mutex<Shared>
  private let wake: Waker
  /// When the next save may begin.
  private var earliest: Instant?
  /// The delay to the retry after the next failure; nil while saving works.
  private var retryDelay: Nanoseconds?

  /// Nothing else may use the archive. `saved` is the state in it; nil: the next state is saved in any case. `refusal` is why
  /// nothing can be saved, if that is known and was reported.
  public init(
    _ archive: StateArchive, saved: SavedState?, refusal: HardwareError? = nil, observer: Observer, wake: Waker
  ) {
    self.archive = archive
    shared = Mutex(Shared(saved: saved, refusal: refusal))
    retryDelay = refusal == nil ? nil : StateSaver.interval
    self.observer = observer
    self.wake = wake
  }

  /// Whether the newest state is on the disk. Any thread; never waits for a disk.
  public var saving: Saving {
    shared.withLock { shared in
      if let refusal = shared.refusal {
        return .refused(refusal.errno.map(Saving.Cause.errno) ?? .detail(refusal.detail))
      }
      return shared.unsaved == nil ? .done : .pending
    }
  }

  /// Schedules the state to be saved. Any thread; never waits for a disk.
  public func keep(_ state: SavedState) {
    let isNews = shared.withLock { shared in
      guard !shared.isClosed, shared.newest != state else { return false }
      shared.newest = state
      return true
    }
    if isNews { wake(.state) }
  }

  /// Ignores every later ``keep(_:)``, so that the stop at shutdown is not saved. Any thread.
  public func seal() { shared.withLock { $0.isClosed = true } }

  /// Saves an unsaved state if it is time. Returns when to call again; nil: only when woken.
  public func step(at now: Instant) -> Instant? {
    guard let state = unsaved else { return nil }
    if let earliest, now < earliest { return earliest }
    save(state, at: now)
    return unsaved == nil ? nil : earliest
  }

  /// Saves an unsaved state at once. Called at the end.
  public func flush(at now: Instant) { if let state = unsaved { save(state, at: now) } }

  private var unsaved: SavedState? { shared.withLock { $0.unsaved } }

  private func save(_ state: SavedState, at now: Instant) {
    earliest = now + StateSaver.interval
    do throws(HardwareError) {
      try archive.save(state)
      shared.withLock { ($0.saved, $0.refusal) = (state, nil) }
      if retryDelay != nil { observer.savingRecovered(at: now) }
      retryDelay = nil
    } catch {
      // It is unknown which state is on the disk now.
      shared.withLock { ($0.saved, $0.refusal) = (nil, error) }
      if retryDelay == nil { observer.failed(error, at: now) }
      let pause = retryDelay ?? StateSaver.interval
      earliest = now + pause
      retryDelay = min(pause * 2, StateSaver.longestDelay)
    }
  }
}

/// The presets of a metronome that does not run, in its archive. Nothing else may use the archive meanwhile.
public final class ArchivedPresets {
  private let archive: StateArchive
  private let initial: SavedState
  private let restores: Bool
  /// The result of the last reading of the folder.
  public private(set) var findings = StateFindings()

  /// `restores` is whether the metronome will start with the saved tempo, signature and rhythm instead of the `initial` ones.
  public init(_ archive: StateArchive, initial: SavedState = SavedState(), restores: Bool = true) {
    self.archive = archive
    self.initial = initial
    self.restores = restores
  }

  /// Reads the saved state.
  public var savedState: SavedState {
    findings = archive.load()
    return findings.savedState ?? initial
  }

  /// Carries out a request and saves the result. Throws a `HardwareError` with operation `saveState` if saving fails.
  public func carryOut(_ request: PresetRequest) throws(HardwareError) -> PresetReply {
    var state = savedState
    let before = state
    do throws(PresetError) { try state.carryOut(asSet(request)) } catch {
      return PresetReply(error, savedState: state)
    }
    guard state != before else { return PresetReply(savedState: state) }
    defer { findings.isSetAside = archive.isRepaired }
    do throws(HardwareError) { try archive.save(state) } catch {
      if !archive.isRepaired { findings.refusal = error }
      throw error
    }
    return PresetReply(savedState: state)
  }

  /// Completes a request to save a preset with the `initial` values, if the metronome will start with them.
  private func asSet(_ request: PresetRequest) -> PresetRequest {
    guard !restores, case .save(let name, let change) = request else { return request }
    return .save(name, MusicChange(change.applied(to: initial.music)))
  }
}
