import LinuxBoard
import Testing

/// What sysfs shows of a device's codes.
@Suite struct CodeSetTests {
  @Test func wordsStandHighestFirst() throws {
    // 109 is bit 45 of the second word, 1 bit 1 of the first.
    let set = try #require(CodeSet("200000000000 2", wordBits: 64))
    #expect(codes(in: set) == [1, 109])
    let narrow = try #require(CodeSet("2000 0 0 40000002", wordBits: 32))
    #expect(codes(in: narrow) == [1, 30, 109])
  }

  @Test func aDeviceMayHaveNone() throws {
    let set = try #require(CodeSet("0"))
    #expect(codes(in: set) == [])
  }

  @Test func moreThanThereAreCodesForIsLeftOut() throws {
    let text = Array(repeating: "ffffffffffffffff", count: 20).joined(separator: " ")
    let set = try #require(CodeSet(text, wordBits: 64))
    #expect(codes(in: set).count == 768)
  }

  @Test func nothingElseIsASet() {
    #expect(CodeSet("") == nil)
    #expect(CodeSet("10 key") == nil)
  }

  private func codes(in set: CodeSet) -> [UInt16] { (0...UInt16.max).filter(set.contains) }
}
