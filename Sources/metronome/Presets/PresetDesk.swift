import CLibrary
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import StateFiles

/// Has requests carried out: by the metronome that runs on a folder, or on its files when none does.
struct PresetDesk {
  /// For how long somebody may have the folder and not listen: one that starts or ends, or another such command.
  private static let attempts = 500
  /// The same where whoever has the folder cannot listen there.
  private static let attemptsWithoutSocket = 50

  /// How often is looked whether a change is saved.
  private static let looks = 10

  /// How a metronome begins.
  struct Beginning {
    /// What one that was never switched on will be set to.
    var memory: SavedState
    /// Whether one that was is set to what it remembers.
    var restores: Bool
  }

  let path: String
  let beginning: () throws -> Beginning

  func ask(_ request: PresetRequest) throws -> PresetReply {
    let folder: FileFolder
    do throws(HardwareError) { folder = try FileFolder(path) } catch {
      throw Failure.notThere(
        "\(shownName(path)) cannot be opened (\(reason(error.errno))); --state says in which folder the metronome remembers"
      )
    }
    let isReadOnly = access(path, W_OK) != 0 && errno == EROFS
    for _ in 0..<(isReadOnly ? PresetDesk.attemptsWithoutSocket : PresetDesk.attempts) {
      switch folder.ask(request.bytes) {
      case .answered(let bytes): return try settled(try read(bytes), of: request, in: folder)
      case .nobody:
        // Where the file system knows no locks, that nobody listens has to do.
        if (try? folder.lock()) ?? true { return try carryOut(request, in: folder) }
        usleep(20_000)
      case .silence: throw Failure.noAnswer("the metronome that uses \(shownName(path)) does not answer")
      case .refused(let errno):
        throw Failure.noAnswer(
          "the metronome that uses \(shownName(path)) cannot be asked (\(reason(errno))); try it as root, or as a member of"
            + " the folder's group")
      }
    }
    throw Failure.noAnswer(
      isReadOnly
        ? "the metronome that uses \(shownName(path)) cannot be asked: the folder is read-only"
        : "\(shownName(path)) is in use by a program that cannot be asked")
  }

  /// Waits a moment for what was changed to be saved, to be able to say that it cannot be.
  private func settled(_ reply: PresetReply, of request: PresetRequest, in folder: FileFolder) throws -> PresetReply {
    var reply = reply
    for _ in 0..<PresetDesk.looks where request != .list && reply.error == nil && reply.saving == .pending {
      usleep(20_000)
      guard case .answered(let bytes) = folder.ask(PresetRequest.list.bytes) else { break }
      reply.saving = try read(bytes).saving
    }
    return reply
  }

  private func carryOut(_ request: PresetRequest, in folder: FileFolder) throws -> PresetReply {
    let beginning = try beginning()
    let presets = ArchivedPresets(
      StateArchive(folder), initial: beginning.memory, restores: beginning.restores)
    let reply: PresetReply
    do throws(HardwareError) { reply = try presets.carryOut(request) } catch {
      throw Failure.cannotWrite(path, errno: error.errno, notice(presets))
    }
    if let notice = notice(presets) { standardError("metronome: \(notice)\n") }
    return reply
  }

  private func notice(_ presets: ArchivedPresets) -> String? {
    presets.findings.notice(isPlaying: false, reason: reason)
  }

  private func read(_ bytes: [UInt8]) throws -> PresetReply {
    guard let reply = PresetReply(bytes) else {
      throw Failure.noAnswer("the metronome that uses \(shownName(path)) is of another version: restart it")
    }
    return reply
  }
}
