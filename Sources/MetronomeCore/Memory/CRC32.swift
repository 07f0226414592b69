/// The checksum of zip, PNG and Ethernet: CRC-32 with the polynomial 0x04C11DB7, bits reflected (ISO 3309, ITU-T V.42).
///
/// It tells every single flipped bit, and every torn end but for one in four thousand million.
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { rest, _ in rest & 1 == 0 ? rest >> 1 : rest >> 1 ^ 0xEDB8_8320 }
  }

  static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
    let table = table
    var rest: UInt32 = 0xFFFF_FFFF
    for byte in bytes { rest = table[Int(UInt8(truncatingIfNeeded: rest) ^ byte)] ^ rest >> 8 }
    return ~rest
  }
}
