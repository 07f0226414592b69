import MetronomeCore
import Testing

@Suite struct NanosecondsTests {
  @Test func arithmeticUsesWholeNumbers() {
    let (five, two) = (Nanoseconds(5), Nanoseconds(2))
    #expect(five + two == Nanoseconds(7))
    #expect(five - two == Nanoseconds(3))
    #expect(two - five == Nanoseconds(-3))
    #expect(five * 2 == Nanoseconds(10))
    #expect(five / 2 == two)
    #expect(Nanoseconds(-5) / 2 == Nanoseconds(-2))
    #expect(two < five)
  }
}
