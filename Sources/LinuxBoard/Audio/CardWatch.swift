import Glibc

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
