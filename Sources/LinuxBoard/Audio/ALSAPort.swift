import CALSA
import CLibrary
import Glibc
import HardwareAbstraction
import MetronomeCore
import Synchronization

/// Opens the requested sound card, or the first card with playback. After the first opening it reopens the card by its id.
public final class ALSAPort: AudioPort {
  /// The longest time that the start waits for a card.
  private static let patience = Nanoseconds.seconds(2)

  private let request: AudioRequest
  private let notice: (String) -> Void
  /// The notices already sent.
  private var sent: Set<String> = []
  /// The PCM that was opened last.
  private var lastName: String?
  /// The card that ``prepare(_:)`` has opened for the next call of ``open()``.
  private var ready: ALSAOutput?

  /// `notice` receives one line per non-fatal problem for the user, such as a different sample rate.
  public init(_ request: AudioRequest, notice: @escaping (String) -> Void) {
    precondition(request.device != .none, "an audio port needs a request with a sound card")
    self.request = request
    self.notice = notice
  }

  public var name: String {
    if let lastName { return lastName }
    guard case .named(let name) = request.device else { return "a sound card" }
    return AudioFacts.Card.all().contains { $0.id == name } ? "hw:CARD=\(name)" : name
  }

  /// Opens the card for the first call of ``open()``, in two seconds at most: a card that hangs must not delay the lights.
  ///
  /// - Throws: `HardwareError` with operation `openAudio` when the named card cannot play, or when it is missing and `patience`
  ///   does not include missing cards. It does not throw when the named card is in use, or when the device is `auto`.
  public func prepare(_ patience: WaitPolicy = .none) throws(HardwareError) {
    guard let error = try attempt(within: ALSAPort.patience) else { return }
    if error.kind == .timedOut { return notify("\(error.detail); light and buzzer continue without it") }
    if case .named = request.device, error.kind != .busy, !patience.covers(error) { throw error }
  }

  /// Opens the card for the first call of ``open()``, within `time`. Returns the error if the card cannot be opened.
  ///
  /// - Throws: `HardwareError` with operation `openAudio` when the thread for this attempt cannot be created.
  public func attempt(within time: Nanoseconds) throws(HardwareError) -> HardwareError? {
    guard let (result, notices) = try OpeningAttempt.outcome(of: request, within: time) else {
      return HardwareError(.openAudio, .timedOut, detail: "the sound card does not answer")
    }
    for text in notices { notify(text) }
    switch result {
    case .success(let output):
      ready = output
      lastName = output.name
      return nil
    case .failure(let error): return error
    }
  }

  public func open() throws(HardwareError) -> ALSAOutput {
    if let ready {
      self.ready = nil
      ready.settle()
      return ready
    }
    var request = request
    if let lastName { request.device = .named(lastName) }
    let output = try AudioOpening(request, notice: { [self] in notify($0) }).open()
    lastName = output.name
    output.settle()
    return output
  }

  public func resume(_ output: ALSAOutput) throws(HardwareError) { try output.wake() }

  public func close(_ output: ALSAOutput) { output.release() }

  private func notify(_ text: String) {
    if sent.insert(text).inserted { notice(text) }
  }
}

/// Opens the requested sound card.
struct AudioOpening {
  private static let screenHint = "a screen's sound card is used only if `audio.device` names it"

  private let request: AudioRequest
  private let notice: (String) -> Void
  private let cards: [AudioFacts.Card]

  /// - Parameter notice: receives one line per message for the user.
  init(_ request: AudioRequest, notice: @escaping (String) -> Void) {
    calsa_silence_messages()
    self.request = request
    self.notice = notice
    cards = AudioFacts.Card.all()
  }

  /// - Throws: `HardwareError` with operation `openAudio`, and a detail that names the fix.
  func open() throws(HardwareError) -> ALSAOutput {
    switch request.device {
    case .none: preconditionFailure("no sound card was requested")
    case .auto: return try openFirst()
    case .named(let name): return try open(name)
    }
  }

  /// Opens the first card with playback. Cards that cannot be opened are reported and skipped.
  private func openFirst() throws(HardwareError) -> ALSAOutput {
    var isInUse = false
    for card in cards where !card.isScreen {
      guard let device = card.device else { continue }
      do throws(ALSAFailure) {
        return try open(card, device)
      } catch {
        isInUse = isInUse || error.errno == EBUSY
        notice("sound card \(card.id) is skipped: \(explain(error, card.pcmNames(device: device)[0]))")
      }
    }
    throw HardwareError(.openAudio, errno: isInUse ? EBUSY : ENODEV, detail: noCard)
  }

  private func open(_ name: String) throws(HardwareError) -> ALSAOutput {
    do throws(ALSAFailure) {
      guard let card = cards.first(where: { $0.id == name }) else { return try openPCM(name) }
      return try open(card, card.device ?? 0)
    } catch {
      throw HardwareError(.openAudio, errno: isForbidden(error) ? EACCES : error.errno, detail: explain(error, name))
    }
  }

  /// Opens the hw PCM, or the plughw PCM (with conversion) if the hardware supports no format of the metronome.
  private func open(_ card: AudioFacts.Card, _ device: Int) throws(ALSAFailure) -> ALSAOutput {
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
        "\(name) is shared through a mixer, which adds latency and hides the removal of the card: set"
          + " `audio.device` to a card's id\(cards.isEmpty ? "" : " (\(listed))") instead")
    }
    reportDifferences(output)
    return output
  }

  private func reportDifferences(_ output: ALSAOutput) {
    let format = output.format
    var differences: [String] = []
    if format.channels < request.channels, request.channels > 2 || format.channels < 1 {
      notice(
        "\(output.name) has \(format.channels) channels, so the routes to channels up to \(request.channels) are silent"
      )
    }
    if format.rate != request.rate { differences.append("\(format.rate) Hz instead of \(request.rate)") }
    if format.periodFrames != request.period {
      differences.append("a period of \(format.periodFrames) frames instead of \(request.period)")
    }
    let wanted = format.periodFrames * request.periods
    if format.bufferFrames != wanted {
      differences.append("a buffer of \(format.bufferFrames) frames instead of \(wanted)")
    }
    if !differences.isEmpty { notice("\(output.name) uses \(differences.joined(separator: ", "))") }
  }

  private func explain(_ failure: ALSAFailure, _ name: String) -> String {
    if isForbidden(failure) { return noCard }
    return switch (failure.call, failure.errno) {
    case ("snd_pcm_open", ENOENT), ("snd_pcm_open", ENODEV), ("snd_pcm_open", ENXIO):
      cards.isEmpty && forbiddenFile == nil
        ? "\(name) cannot be opened: \(noCard)"
        : "there is no sound card or ALSA PCM \"\(name)\"; \(noCardOrList)"
    case ("snd_pcm_open", EBUSY):
      "\(name) is in use by another program (`fuser -v /dev/snd/*` names it): end that program, or choose another card"
    case ("snd_pcm_open", EACCES), ("snd_pcm_open", EPERM): accessAdvice(forbiddenFile ?? "/dev/snd")
    case ("snd_pcm_open", _): "\(name) cannot be opened: \(reason(failure.errno))"
    default: "\(name) supports no format that the metronome can produce (\(failure.call): \(reason(failure.errno)))"
    }
  }

  /// Whether a card was reported as missing because the caller may not open it.
  private func isForbidden(_ failure: ALSAFailure) -> Bool {
    failure.call == "snd_pcm_open" && (failure.errno == ENOENT || failure.errno == ENODEV) && forbiddenFile != nil
  }

  private var noCardOrList: String {
    if cards.isEmpty { return noCard }
    return "the cards are \(listed): set `audio.device` to one of these ids, to `auto`, or to `none` for no sound"
  }

  private var noCard: String {
    if let forbiddenFile { return accessAdvice(forbiddenFile) }
    if cards.isEmpty { return "this system has no sound card" }
    let hint = cards.contains(where: \.isScreen) ? "; \(AudioOpening.screenHint)" : ""
    return "none of the sound cards (\(listed)) supports playback\(hint)"
  }

  private var listed: String {
    cards.map { $0.device == nil ? "\($0.id) (no playback)" : $0.id }.joined(separator: ", ")
  }

  /// A card's device file that the caller may not open.
  private var forbiddenFile: String? {
    paths(matching: "/dev/snd/controlC*").first { access($0, R_OK | W_OK) != 0 && errno == EACCES }
  }
}

/// One attempt to open a sound card, on its own thread, because a broken card may block for ever.
enum OpeningAttempt {
  /// The result, and the notices for the user.
  typealias Outcome = (result: Result<ALSAOutput, HardwareError>, notices: [String])

  private enum Stage: UInt8, AtomicRepresentable {
    case inProgress
    case done
    /// The caller has given up waiting. A card that opens later is closed.
    case abandoned
  }

  private final class Attempt: Sendable {
    let stage = Atomic(Stage.inProgress)
    // `nonisolated(unsafe)` is sound: the caller reads the outcome only after the thread has set the stage to `done`.
    nonisolated(unsafe) var outcome: Outcome?

    func change(to stage: Stage) -> Bool {
      self.stage.compareExchange(expected: .inProgress, desired: stage, ordering: .acquiringAndReleasing).exchanged
    }
  }

  /// The outcome; nil if the card did not answer within this time. If the card opens later, it is closed.
  static func outcome(of request: AudioRequest, within time: Nanoseconds) throws(HardwareError) -> Outcome? {
    let attempt = Attempt()
    do throws(SystemError) {
      let thread = try BlockingThread(name: "card-opening") {
        let outcome = open(request)
        attempt.outcome = outcome
        if !attempt.change(to: .done), case .success(let output) = outcome.result { output.release() }
      }
      guard !thread.join(until: LinuxClock().now + time), attempt.change(to: .abandoned) else { return attempt.outcome }
      return nil
    } catch {
      throw HardwareError(.openAudio, error)
    }
  }

  private static func open(_ request: AudioRequest) -> Outcome {
    // The notices are collected, because the caller's `notice` must be called on the caller's thread.
    var notices: [String] = []
    let opening = AudioOpening(request, notice: { notices.append($0) })
    do throws(HardwareError) {
      return (.success(try opening.open()), notices)
    } catch {
      return (.failure(error), notices)
    }
  }
}

extension AudioFacts.Card {
  /// All cards that the caller may open, in order of their numbers.
  static func all() -> [AudioFacts.Card] {
    var cards: [AudioFacts.Card] = []
    var number: Int32 = -1
    while snd_card_next(&number) == 0, number >= 0 {
      if let card = AudioFacts.Card(number: number) { cards.append(card) }
    }
    return cards
  }

  private init?(number: Int32) {
    var control: OpaquePointer?
    guard snd_ctl_open(&control, "hw:\(number)", SND_CTL_NONBLOCK) == 0 else { return nil }
    defer { snd_ctl_close(control) }
    var info: OpaquePointer?
    guard snd_ctl_card_info_malloc(&info) == 0 else { return nil }
    defer { snd_ctl_card_info_free(info) }
    guard snd_ctl_card_info(control, info) == 0 else { return nil }
    let id = String(cString: snd_ctl_card_info_get_id(info))
    // A Raspberry Pi lists these HDMI cards first, even if no connected screen has audio.
    self.init(id: id, isScreen: id.hasPrefix("vc4hdmi"), device: AudioFacts.Card.firstPlaybackDevice(control))
  }

  private static func firstPlaybackDevice(_ control: OpaquePointer?) -> Int? {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) == 0 else { return nil }
    defer { snd_pcm_info_free(info) }
    var device: Int32 = -1
    while snd_ctl_pcm_next_device(control, &device) == 0, device >= 0 {
      snd_pcm_info_set_device(info, UInt32(device))
      snd_pcm_info_set_subdevice(info, 0)
      snd_pcm_info_set_stream(info, SND_PCM_STREAM_PLAYBACK)
      if snd_ctl_pcm_info(control, info) == 0 { return Int(device) }
    }
    return nil
  }

  /// The names of the card's PCMs: first the hardware, then the plugin that converts unsupported formats.
  func pcmNames(device: Int) -> [String] {
    let suffix = device == 0 ? "" : ",DEV=\(device)"
    return ["hw:CARD=\(id)\(suffix)", "plughw:CARD=\(id)\(suffix)"]
  }
}

/// Reports new sound cards: when their device files are created, and when the files get their permissions a moment later.
public final class CardWatch {
  private let watch: FileWatch

  /// The descriptor to poll for reading. It is readable when cards may have appeared.
  public var descriptor: Int32 { watch.descriptor }

  public init() throws(SystemError) {
    watch = try FileWatch()
    watchFolders()
  }

  /// Clears pending events, so that the descriptor is no longer readable. Never blocks.
  public func clear() {
    _ = watch.drainEvents()
    watchFolders()
  }

  /// The kernel creates `/dev/snd` with the first card. Until then, the watch on `/dev` reports the creation of this folder.
  private func watchFolders() {
    watch.add("/dev/snd", Int(IN_CREATE) | Int(IN_ATTRIB))
    watch.add("/dev", Int(IN_CREATE))
  }
}
