import CALSA
import Glibc
import HardwareAbstraction

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
