/// Whether what is remembered is on the disk.
public enum Saving: Hashable, Sendable {
  case done
  /// It will be, in two seconds at the most.
  case pending
  /// The disk refuses it; it is tried again.
  case refused(errno: Int32)
}
