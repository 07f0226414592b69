// Runs a parser on the inputs that libFuzzer generates; libFuzzer provides `main`. See Tests/Fuzzing/run.
//
//     METRONOME_PARSER=PARSER parser-fuzz [OPTION OF LIBFUZZER…] [FOLDER OR FILE…]
//
// The parser is selected by the environment because libFuzzer restarts itself with its own arguments.

/// The fuzz target that libFuzzer calls (https://llvm.org/docs/LibFuzzer.html#fuzz-target).
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let parser = Parser.chosen else {
    fatalError("METRONOME_PARSER must be one of \(Parser.allCases.map(\.rawValue).joined(separator: ", "))")
  }
  parser.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
  return 0
}
