extension LineID {
  /// The number of the GPIO on a Raspberry Pi: 17 of `GPIO17` and of the offset 17, 0 of `ID_SDA`. nil for other names.
  public var bcm: Int? {
    switch self {
    case .offset(let offset): offset
    case .name("ID_SDA"): 0
    case .name("ID_SCL"): 1
    case .name(let name): LineID.number(in: name)
    }
  }

  private static func number(in name: String) -> Int? {
    guard name.hasPrefix("GPIO"), let number = UInt16(name.dropFirst(4)) else { return nil }
    // Neither signs nor zeros in front: no kernel writes them.
    return name == "GPIO\(number)" ? Int(number) : nil
  }
}
