import CALSA

/// A call to alsa-lib that failed.
struct ALSAFailure: Error {
  /// Not a `String`, which whoever catches it would have to let go, the audio thread among them.
  private let name: StaticString
  /// Positive.
  var errno: Int32

  init(call: StaticString, errno: Int32) {
    name = call
    self.errno = errno
  }

  var call: String { name.description }

  /// Throws if a call did not go well.
  static func check(_ result: Int32, _ call: StaticString) throws(ALSAFailure) {
    if result < 0 { throw ALSAFailure(call: call, errno: -result) }
  }
}

/// A PCM that plays, open and non-blocking. It falls silent and is closed when this ends.
struct PCM: ~Copyable {
  let name: String
  let handle: OpaquePointer

  init(name: String) throws(ALSAFailure) {
    var handle: OpaquePointer?
    let result = snd_pcm_open(&handle, name, SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK)
    guard result >= 0, let handle else { throw ALSAFailure(call: "snd_pcm_open", errno: -result) }
    self.name = name
    self.handle = handle
  }

  deinit {
    snd_pcm_drop(handle)
    snd_pcm_close(handle)
  }

  /// Whether other programs may play on the card at the same time, through a mixer of alsa-lib's that hides from its users
  /// when the card is gone.
  var isShared: Bool {
    let sharing = ["default", "sysdefault", "dmix"]
    return sharing.contains { name == $0 || name.hasPrefix($0 + ":") } || snd_pcm_type(handle) == SND_PCM_TYPE_DMIX
  }
}
