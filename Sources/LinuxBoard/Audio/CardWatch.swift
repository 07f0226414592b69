import Glibc

/// Tells when sound cards come.
///
/// A card's device files are made, and get their rights a moment later: both are told. What is told of the rest of `/dev` is
/// little, and costs whoever asks for a card one attempt.
public final class CardWatch {
  private static let folder = "/dev/snd"
  private static let news = UInt32(IN_CREATE) | UInt32(IN_ATTRIB)

  /// To be polled for reading: readable when cards may have come.
  public let descriptor: Int32

  public init() throws(SystemError) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError("inotify_init1", errno: errno) }
    watch()
  }

  deinit { close(descriptor) }

  /// Makes the descriptor unreadable again. Never waits.
  public func clear() {
    var events = [UInt8](repeating: 0, count: 4_096)
    while read(descriptor, &events, events.count) > 0 {}
    watch()
  }

  /// The folder is there while there is a card, or was one; until then it is waited for.
  private func watch() {
    inotify_add_watch(descriptor, CardWatch.folder, CardWatch.news)
    inotify_add_watch(descriptor, "/dev", UInt32(IN_CREATE))
  }
}
