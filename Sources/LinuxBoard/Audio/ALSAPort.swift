import CALSA
import Glibc
import HardwareAbstraction
import MetronomeCore
import Synchronization

/// A place for a sound card: the one that was asked for, or the first that plays.
///
/// The card that was had once is waited for by its id when it is gone, whatever number it comes back with.
public final class ALSAPort: AudioPort {
  private static let patience = Nanoseconds.seconds(2)

  private let request: AudioRequest
  private let notice: (String) -> Void
  /// What was told already: a card that is opened again tells nothing new.
  private var told: Set<String> = []
  /// The PCM that was opened last.
  private var lastName: String?
  /// Opened by ``prepare()`` and not asked for yet.
  private var ready: ALSAOutput?

  /// - Parameters:
  ///   - request: asks for a card.
  ///   - notice: told, in one line each, what a person should know but what stops nothing: that a card grants another rate.
  public init(_ request: AudioRequest, notice: @escaping (String) -> Void) {
    precondition(request.device != .none, "a place is made for a card that is not asked for")
    self.request = request
    self.notice = notice
  }

  public var name: String {
    if let lastName { return lastName }
    guard case .named(let name) = request.device else { return "a sound card" }
    return SoundCard.all().contains { $0.id == name } ? "hw:CARD=\(name)" : name
  }

  /// Opens the card for the first call of ``open()``, to find out what waiting will not mend. It waits for the card two
  /// seconds at the most: one that hangs must not keep the lights from being lit.
  ///
  /// - Throws: `HardwareError` with operation `openAudio`, when a card that was asked for by name is none to play on, or is
  ///   not there and patience does not cover that. Not when it is in use, nor when any card will do and there is none: these
  ///   may change.
  public func prepare(_ patience: WaitPolicy = .none) throws(HardwareError) {
    let attempt: OpeningAttempt
    do throws(SystemError) {
      attempt = try OpeningAttempt(request)
    } catch {
      throw HardwareError(.openAudio, errno: error.errno)
    }
    guard let (result, notices) = attempt.outcome(within: ALSAPort.patience) else {
      tell("the sound card does not answer; light and buzzer go on without it")
      return
    }
    for text in notices { tell(text) }
    switch result {
    case .success(let output):
      ready = output
      lastName = output.name
    case .failure(let error):
      if case .named = request.device, error.kind != .busy, !patience.covers(error) { throw error }
    }
  }

  public func open() throws(HardwareError) -> ALSAOutput {
    if let ready {
      self.ready = nil
      return ready
    }
    var request = request
    if let lastName { request.device = .named(lastName) }
    let output = try AudioOpening(request, notice: { [self] in tell($0) }).open()
    lastName = output.name
    return output
  }

  public func resume(_ output: ALSAOutput) throws(HardwareError) { try output.wake() }

  public func close(_ output: ALSAOutput) { output.release() }

  private func tell(_ text: String) {
    if told.insert(text).inserted { notice(text) }
  }
}

/// Opens the sound card that was asked for.
struct AudioOpening {
  private static let screenHint = "that of a screen is used only when `audio.device` names it"

  private let request: AudioRequest
  private let notice: (String) -> Void
  private let cards: [SoundCard]

  /// - Parameter notice: told, in one line each, what a person should know.
  init(_ request: AudioRequest, notice: @escaping (String) -> Void) {
    calsa_silence_messages()
    self.request = request
    self.notice = notice
    cards = SoundCard.all()
  }

  /// - Throws: `HardwareError` with operation `openAudio`, and a detail that says what to do.
  func open() throws(HardwareError) -> ALSAOutput {
    switch request.device {
    case .none: preconditionFailure("no sound was asked for")
    case .auto: return try openFirst()
    case .named(let name): return try open(name)
    }
  }

  /// The first card that plays. Those that do not let themselves be opened are told and passed over.
  private func openFirst() throws(HardwareError) -> ALSAOutput {
    var isInUse = false
    for card in cards where !card.isScreen {
      guard let device = card.playbackDevice else { continue }
      do throws(ALSAFailure) {
        return try open(card, device)
      } catch {
        isInUse = isInUse || error.errno == EBUSY
        notice("sound card \(card.id) is passed over: \(explain(error, card.pcmNames(device: device)[0]))")
      }
    }
    throw HardwareError(.openAudio, errno: isInUse ? EBUSY : ENODEV, detail: noCard)
  }

  private func open(_ name: String) throws(HardwareError) -> ALSAOutput {
    do throws(ALSAFailure) {
      guard let card = cards.first(where: { $0.id == name }) else { return try openPCM(name) }
      return try open(card, card.playbackDevice ?? 0)
    } catch {
      throw HardwareError(.openAudio, errno: isForbidden(error) ? EACCES : error.errno, detail: explain(error, name))
    }
  }

  /// The bare hardware, or a conversion in front of it when the hardware takes none of our formats.
  private func open(_ card: SoundCard, _ device: Int32) throws(ALSAFailure) -> ALSAOutput {
    let names = card.pcmNames(device: device)
    do throws(ALSAFailure) {
      return try openPCM(names[0])
    } catch {
      guard error.call.hasPrefix("snd_pcm_hw_params") else { throw error }
      return try openPCM(names[1])
    }
  }

  private func openPCM(_ name: String) throws(ALSAFailure) -> ALSAOutput {
    let pcm = try PCM(name: name)
    let isShared = pcm.isShared
    let output = try ALSAOutput(pcm, request)
    if isShared {
      notice(
        "\(name) is shared through a mixer, which adds delay and hides an unplugged card: better set `audio.device` to"
          + " a card's id\(cards.isEmpty ? "" : " (\(listed))")")
    }
    tellDifferences(output)
    return output
  }

  private func tellDifferences(_ output: ALSAOutput) {
    let format = output.format
    var differences: [String] = []
    if format.rate != request.rate { differences.append("\(format.rate) Hz instead of \(request.rate)") }
    if format.periodFrames != request.period {
      differences.append("a period of \(format.periodFrames) frames instead of \(request.period)")
    }
    if format.bufferFrames != format.periodFrames * request.periods {
      differences.append(
        "a buffer of \(format.bufferFrames) frames instead of \(format.periodFrames * request.periods)")
    }
    if !differences.isEmpty { notice("\(output.name) grants \(differences.joined(separator: ", "))") }
  }

  private func explain(_ failure: ALSAFailure, _ name: String) -> String {
    if isForbidden(failure) { return noCard }
    return switch (failure.call, failure.errno) {
    case ("snd_pcm_open", ENOENT), ("snd_pcm_open", ENODEV), ("snd_pcm_open", ENXIO):
      "there is no sound card and no ALSA PCM \"\(name)\"; \(noCardOrList)"
    case ("snd_pcm_open", EBUSY):
      "\(name) is in use by another program (`fuser -v /dev/snd/*` names it): end that, or choose another card"
    case ("snd_pcm_open", EACCES), ("snd_pcm_open", EPERM):
      accessAdvice(forbiddenFile ?? "/dev/snd")
    case ("snd_pcm_open", _):
      "\(name) cannot be opened: \(text(failure.errno))"
    default:
      "\(name) plays nothing that the metronome can produce (\(failure.call): \(text(failure.errno)))"
    }
  }

  /// Whether a card that is said not to be there is one that the caller may not open.
  private func isForbidden(_ failure: ALSAFailure) -> Bool {
    failure.call == "snd_pcm_open" && (failure.errno == ENOENT || failure.errno == ENODEV) && forbiddenFile != nil
  }

  private var noCardOrList: String {
    if cards.isEmpty { return noCard }
    return "the cards here are \(listed). Set `audio.device` to one of these ids, to `auto`, or to `none` for no sound"
  }

  private var noCard: String {
    if let forbiddenFile { return accessAdvice(forbiddenFile) }
    if cards.isEmpty { return "this system has no sound card" }
    let hint = cards.contains(where: \.isScreen) ? "; \(AudioOpening.screenHint)" : ""
    return "no sound card plays of those there are (\(listed))\(hint)"
  }

  private var listed: String {
    cards.map { $0.playbackDevice == nil ? "\($0.id) (plays nothing)" : $0.id }.joined(separator: ", ")
  }

  /// A card's device file that the caller may not open.
  private var forbiddenFile: String? {
    paths(matching: "/dev/snd/controlC*").first { access($0, R_OK | W_OK) != 0 && errno == EACCES }
  }

  private func text(_ errno: Int32) -> String { String(cString: strerror(errno)) }
}

/// One attempt at opening a sound card, on a thread of its own, because a card that is broken may never answer.
final class OpeningAttempt {
  /// What came of it, and what a person should know of it.
  typealias Outcome = (result: Result<ALSAOutput, HardwareError>, notices: [String])

  private enum Stage: UInt8, AtomicRepresentable {
    case underWay
    case done
    /// Nobody waits any more: what is opened after all is given back.
    case abandoned
  }

  private final class Desk: Sendable {
    let stage = Atomic(Stage.underWay)
    // Unsafe: only the thread uses it until the stage changes, and only its maker after the stage is `done`.
    nonisolated(unsafe) var outcome: Outcome?

    func change(to stage: Stage) -> Bool {
      self.stage.compareExchange(expected: .underWay, desired: stage, ordering: .acquiringAndReleasing).exchanged
    }
  }

  private let desk = Desk()
  private let thread: PatientThread

  /// Begins it.
  init(_ request: AudioRequest) throws(SystemError) {
    let desk = desk
    thread = try PatientThread(name: "sound-opening") {
      let outcome = OpeningAttempt.open(request)
      desk.outcome = outcome
      if !desk.change(to: .done), case .success(let output) = outcome.result { output.release() }
    }
  }

  /// What came of it; nil: it has not come to an end in this time, and whatever comes of it later does not count. Once.
  func outcome(within time: Nanoseconds) -> Outcome? {
    guard !thread.join(until: LinuxClock().now + time), desk.change(to: .abandoned) else { return desk.outcome }
    return nil
  }

  private static func open(_ request: AudioRequest) -> Outcome {
    // They wait: whoever is told them has one thread.
    var notices: [String] = []
    let opening = AudioOpening(request, notice: { notices.append($0) })
    do throws(HardwareError) {
      let output = try opening.open()
      return (.success(output), notices)
    } catch {
      return (.failure(error), notices)
    }
  }
}
