/// Which line of a chip: by the name the kernel gives it, or by its offset.
public enum LineID: Hashable, Sendable {
  /// As `GPIO17`. A name is looked up on the chip, so a wrong chip is noticed.
  case name(String)
  /// Counted from 0; on a Raspberry Pi the BCM number.
  case offset(Int)
}

extension LineID: CustomStringConvertible {
  public var description: String {
    switch self {
    case .name(let name): name
    case .offset(let offset): "line \(offset)"
    }
  }
}
