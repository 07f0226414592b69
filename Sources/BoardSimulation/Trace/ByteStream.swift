/// Collects bytes and hands them on in large pieces.
///
/// Numbers and fixed words are written without making strings: a day's trace has millions of them.
public final class ByteStream {
  /// Takes in a piece; it is good for the time of the call.
  public typealias Output = (UnsafeRawBufferPointer) -> Void

  private static let capacity = 1 << 16
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
  private var count = 0
  private let output: Output

  public init(to output: @escaping Output) { self.output = output }

  deinit { buffer.deallocate() }

  public func flush() {
    if count > 0 { output(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
    count = 0
  }

  func write(_ text: StaticString) {
    write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  func write(_ text: String) {
    var text = text
    text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    if count + bytes.count > ByteStream.capacity { flush() }
    guard bytes.count <= ByteStream.capacity else { return output(bytes) }
    UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
    count += bytes.count
  }

  func write(zeros: Int) {
    var left = zeros
    while left > 0 {
      if count == ByteStream.capacity { flush() }
      let piece = min(left, ByteStream.capacity - count)
      UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + piece]).initializeMemory(
        as: UInt8.self, repeating: 0)
      count += piece
      left -= piece
    }
  }

  func write(_ number: Int64) {
    if count + 20 > ByteStream.capacity { flush() }
    if number < 0 { write("-") }
    var rest = number.magnitude
    var digits = 1
    var power: UInt64 = 10
    while digits < 19, rest >= power {
      digits += 1
      power *= 10
    }
    for place in stride(from: digits - 1, through: 0, by: -1) {
      buffer[count + place] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
    count += digits
  }
}
