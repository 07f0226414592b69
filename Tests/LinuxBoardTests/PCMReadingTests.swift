import LinuxBoard
import MetronomeCore
import Testing

@Suite struct PCMReadingTests {
  @Test func numbersOfACardAreTaken() {
    let reading = PCMReading(.zero, delay: -3, available: 1_024)
    #expect(reading.delay == -3 && reading.available == 1_024)
  }

  /// A driver whose pointers have passed each other reports -1 as the largest unsigned number.
  @Test(arguments: [(-1, 0), (Int.min, 0), (Int.max, 1 << 40)]) func anyNumberOfAFaultyDriverIsTaken(
    available: Int, frames: Int
  ) {
    let reading = PCMReading(.zero, delay: .min, available: UInt(bitPattern: available))
    #expect(reading.available == frames && reading.delay == -1 << 40)
  }
}
