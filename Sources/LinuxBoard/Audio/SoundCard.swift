import CALSA
import Glibc

/// A sound card that the system shows.
struct SoundCard: Hashable {
  /// As `Headphones`: it stays the same from boot to boot, as the number does not.
  var id: String
  /// The first of its devices that plays; nil if it plays nothing.
  var playbackDevice: Int32?

  /// All cards, in order of their numbers. Those that the caller may not open are not among them.
  static func all() -> [SoundCard] {
    var cards: [SoundCard] = []
    var number: Int32 = -1
    while snd_card_next(&number) == 0, number >= 0 {
      if let card = SoundCard(number: number) { cards.append(card) }
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
    id = String(cString: snd_ctl_card_info_get_id(info))
    playbackDevice = SoundCard.firstPlaybackDevice(control)
  }

  private static func firstPlaybackDevice(_ control: OpaquePointer?) -> Int32? {
    var info: OpaquePointer?
    guard snd_pcm_info_malloc(&info) == 0 else { return nil }
    defer { snd_pcm_info_free(info) }
    var device: Int32 = -1
    while snd_ctl_pcm_next_device(control, &device) == 0, device >= 0 {
      snd_pcm_info_set_device(info, UInt32(device))
      snd_pcm_info_set_subdevice(info, 0)
      snd_pcm_info_set_stream(info, SND_PCM_STREAM_PLAYBACK)
      if snd_ctl_pcm_info(control, info) == 0 { return device }
    }
    return nil
  }

  /// Whether it is a screen's: those of a Raspberry Pi are there, and first, whether or not a screen that sounds is.
  var isScreen: Bool { id.hasPrefix("vc4hdmi") }

  /// The names of its PCM: the bare hardware, and the one that converts what the hardware cannot take.
  func pcmNames(device: Int32) -> [String] {
    let suffix = device == 0 ? "" : ",DEV=\(device)"
    return ["hw:CARD=\(id)\(suffix)", "plughw:CARD=\(id)\(suffix)"]
  }
}

/// Tells when sound cards come.
///
/// A card's device files are made, and get their rights a moment later: both are told. What is told of the rest of `/dev` is
/// little, and costs whoever asks for a card one attempt.
public final class CardWatch {
  private let watch: FileWatch

  /// To be polled for reading: readable when cards may have come.
  public var descriptor: Int32 { watch.descriptor }

  public init() throws(SystemError) {
    watch = try FileWatch()
    look()
  }

  /// Makes the descriptor unreadable again. Never waits.
  public func clear() {
    _ = watch.takeNews()
    look()
  }

  /// The folder is there while there is a card, or was one; until then it is waited for.
  private func look() {
    watch.add("/dev/snd", Int(IN_CREATE) | Int(IN_ATTRIB))
    watch.add("/dev", Int(IN_CREATE))
  }
}
