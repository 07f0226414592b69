/// Where a button or a dial is: on the box itself, or on one of the devices beside it, a pedal or a keyboard.
///
/// A button may be there several times, on the box and on a pedal: each has a contact of its own.
public struct Origin: Hashable, Sendable, BitwiseCopyable {
  /// 0 for the box, from 1 on the devices in the order in which they were configured.
  public let number: Int

  /// The box's own.
  public static let box = Origin(number: 0)

  public init(number: Int) { self.number = number }
}
