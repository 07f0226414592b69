import CALSA
import Glibc
import HardwareAbstraction

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
