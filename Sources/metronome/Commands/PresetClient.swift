import BoardCheck
import CLibrary
import ControlSocket
import HardwareAbstraction
import MetronomeCore
import MetronomeEngine
import StateFiles

/// Sends requests to the metronome that uses a folder. If no metronome runs, carries them out on its files.
struct PresetClient {
  /// Attempts, one every 20 ms, while the folder is locked but no metronome listens: a metronome starts or ends, or another
  /// command runs.
  private static let attempts = 500
  /// The attempts in a read-only folder, where no metronome can listen.
  private static let attemptsWithoutSocket = 50

  let path: String
  /// Determines the initial state of a metronome that has not saved a state yet.
  let configuration: ConfigurationOption

  func ask(_ request: PresetRequest) throws -> PresetReply {
    let folder: FileFolder
    do throws(HardwareError) { folder = try FileFolder(path) } catch {
      throw Failure.missingFile(
        "\(shownName(path)) cannot be opened (\(error.reason(reason))); --state selects the state folder of the metronome"
      )
    }
    for _ in 0..<(folder.isReadOnly ? PresetClient.attemptsWithoutSocket : PresetClient.attempts) {
      do throws(ControlFailure) {
        return try settled(ask(request, in: folder), of: request, in: folder)
      } catch .notListening {
        if try lock(folder, for: request) { return try carryOut(request, in: folder) }
        usleep(20_000)
      } catch .silence {
        throw Failure.noAnswer("the metronome that uses \(shownName(path)) does not answer; nothing was changed")
      } catch .refused(let errno) {
        throw Failure.noAnswer(
          "the metronome that uses \(shownName(path)) cannot be reached (\(reason(errno))); run this command as root or"
            + " as a member of the folder's group")
      } catch .otherVersion {
        throw Failure.noAnswer("the metronome that uses \(shownName(path)) has another version; restart it")
      }
    }
    throw Failure.noAnswer(
      folder.isReadOnly
        ? "the metronome that uses \(shownName(path)) cannot be reached: the folder is read-only"
        : "\(shownName(path)) is in use by a program that cannot be reached")
  }

  private func lock(_ folder: FileFolder, for request: PresetRequest) throws -> Bool {
    // If the file system does not support locks, it must suffice that no metronome listens.
    do throws(HardwareError) { return try folder.lock(isOptional: true) } catch {
      // Whoever may not change anything may still read: files are replaced as a whole.
      if request == .list, error.kind == .denied { return true }
      let remedy = error.kind == .denied ? "; run this command as root or as the owner of the folder" : ""
      throw Failure.cannotBeMade(
        "\(shownName(Failure.text(error))) (\(error.reason(reason))), so nothing was changed\(remedy)")
    }
  }

  /// Waits up to 200 ms for a change to be saved, so that a failure can be reported.
  private func settled(
    _ reply: PresetReply, of request: PresetRequest, in folder: FileFolder
  ) throws(ControlFailure) -> PresetReply {
    var reply = reply
    for _ in 0..<10 where request != .list && reply.error == nil && reply.saving == .pending {
      usleep(20_000)
      guard let saving = try? ask(.list, in: folder).saving else { break }
      reply.saving = saving
    }
    return reply
  }

  /// Sends a request to the metronome that listens in a folder, and reads the list that results.
  private func ask(_ request: PresetRequest, in folder: FileFolder) throws(ControlFailure) -> PresetReply {
    #if os(Linux)
      let address: ControlAddress
      do throws(SocketError) { address = try ControlAddress(in: folder.path) } catch {
        throw .refused(errno: error.errno)
      }
      let connection = try ControlConnection(to: address)
      let answers = try connection.ask(request.message)
      let list = request == .list ? answers : try connection.ask(PresetRequest.list.message)
      guard let answer = answers.last, let reply = PresetReply(answer, to: request, list) else {
        throw .otherVersion("unknown")
      }
      return reply
    #else
      throw .notListening
    #endif
  }

  private func carryOut(_ request: PresetRequest, in folder: FileFolder) throws -> PresetReply {
    let configuration = try configuration.readForBox()
    let initial = SavedState(configuration.music)
    let presets = ArchivedPresets(StateArchive(folder), initial: initial, restores: configuration.restores)
    let result = Result { () throws(HardwareError) in try presets.carryOut(request) }
    let findings = presets.findings
    if let failure = unreadable(findings, request) { throw failure }
    if let notice = findings.notice(isPlaying: false, reason: reason) {
      let text = "\(shownName(path)): \(notice)"
      // The notice contains the reason for which nothing was saved.
      if findings.refusal != nil { throw Failure.cannotBeMade(text) }
      printNotice(text)
    }
    do throws(HardwareError) { return try result.get() } catch {
      throw Failure.cannotWrite(path, error.reason(reason))
    }
  }

  /// The failure if this user may not read a file of the state, or if no list can be read; otherwise nil.
  private func unreadable(_ findings: StateFindings, _ request: PresetRequest) -> Failure? {
    let files = findings.unusable.filter { if case .refused = $0.reason { true } else { false } }
    let isList = request == .list
    guard let file = files.first(where: \.isKept) ?? (isList && findings.savedState == nil ? files.first : nil) else {
      return nil
    }
    // The list is in the newest file.
    if isList, findings.isWhole { return nil }
    let text = "\(shownName(path))/\(file.name) \(file.reason.text(reason))"
    let remedy = file.isKept ? "run this command as a user who may read it, such as root" : "check the file"
    return isList ? .missingFile("\(text); \(remedy)") : .cannotBeMade("\(text), so nothing was changed; \(remedy)")
  }
}
