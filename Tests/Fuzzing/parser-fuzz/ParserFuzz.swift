// Gives a parser one input after the other, as libFuzzer makes them, whose main function the program has; see
// Tests/Fuzzing/run.
//
//     METRONOME_PARSER=configuration|script|state|sound parser-fuzz [OPTION OF LIBFUZZER…] [FOLDER OR FILE…]
//
// By the environment, because libFuzzer starts itself again with its arguments.

/// Takes an input of libFuzzer's (https://llvm.org/docs/LibFuzzer.html#fuzz-target).
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let parser = Parser.chosen else {
    fatalError("METRONOME_PARSER must be one of \(Parser.allCases.map(\.rawValue).joined(separator: ", "))")
  }
  parser.take(Array(UnsafeBufferPointer(start: bytes, count: count)))
  return 0
}
