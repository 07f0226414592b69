/// A key of an input device, by the kernel's number.
public struct KeyCode: Hashable, Sendable, BitwiseCopyable {
  public let number: UInt16

  public init(number: UInt16) { self.number = number }

  /// The key with this name, as `KEY_PAGEDOWN` or `BTN_0`; nil if there is none.
  public init?(name: String) {
    guard let number = InputCodeTable.keys.numbers[name] else { return nil }
    self.init(number: number)
  }

  /// What the key is called; of several names the first of ``names``. nil for a number without a name.
  public var name: String? { InputCodeTable.keys.names[number] }

  /// The names of all keys.
  public static var names: [String] { InputCodeTable.keys.all }
}

/// A relative axis of an input device, by the kernel's number: an encoder's, a wheel's.
public struct AxisCode: Hashable, Sendable, BitwiseCopyable {
  public let number: UInt16

  public init(number: UInt16) { self.number = number }

  /// The axis with this name, as `REL_X`; nil if there is none.
  public init?(name: String) {
    guard let number = InputCodeTable.axes.numbers[name] else { return nil }
    self.init(number: number)
  }

  /// What the axis is called; nil for a number without a name.
  public var name: String? { InputCodeTable.axes.names[number] }

  /// The names of all axes, without those of wheels in high resolution, which count 120 for a
  /// detent, and say again what `REL_WHEEL` and `REL_HWHEEL` say.
  public static var names: [String] { InputCodeTable.axes.all }
}

extension KeyCode: CustomStringConvertible {
  public var description: String { name ?? "key \(number)" }
}

extension AxisCode: CustomStringConvertible {
  public var description: String { name ?? "axis \(number)" }
}

/// Names and numbers as in the kernel's `linux/input-event-codes.h`.
struct InputCodeTable: Sendable {
  static let keys = InputCodeTable(text: keyNames + "\n" + buttonNames)
  static let axes = InputCodeTable(text: axisNames)

  private(set) var numbers: [String: UInt16] = [:]
  private(set) var names: [UInt16: String] = [:]
  private(set) var all: [String] = []

  /// - Parameter text: lines of a number and the names of it and of those that follow it. Several names of one number
  ///   have a `=` between them.
  private init(text: String) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      var number = UInt16(words[0])!
      for word in words.dropFirst() {
        for name in word.split(separator: "=") { add(String(name), number) }
        number += 1
      }
    }
  }

  private mutating func add(_ name: String, _ number: UInt16) {
    numbers[name] = number
    if names[number] == nil { names[number] = name }
    all.append(name)
  }
}
