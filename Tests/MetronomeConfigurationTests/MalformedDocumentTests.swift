import Testing

/// Every message exactly as it is shown, with its line and column.
@Suite struct MalformedDocumentTests {
  @Test(arguments: MalformedDocument.music)
  func musicErrorIsReported(document: MalformedDocument) {
    #expect(complaint(document.yaml) == "m.yaml:" + document.message)
  }

  @Test(arguments: MalformedDocument.playing)
  func playingErrorIsReported(document: MalformedDocument) {
    #expect(complaint(document.yaml) == "m.yaml:" + document.message)
  }

  @Test(arguments: MalformedDocument.wiring)
  func wiringErrorIsReported(document: MalformedDocument) {
    #expect(complaint(document.yaml) == "m.yaml:" + document.message)
  }

  @Test(arguments: MalformedDocument.numbers)
  func numberErrorIsReported(document: MalformedDocument) {
    #expect(complaint(document.yaml) == "m.yaml:" + document.message)
  }

  @Test(arguments: MalformedDocument.clashes)
  func lineUsedTwiceIsReported(document: MalformedDocument) {
    #expect(complaint(document.yaml) == "m.yaml:" + document.message)
  }

  @Test(arguments: MalformedDocument.bindings)
  func bindingErrorIsReported(document: MalformedDocument) {
    #expect(complaint(document.yaml) == "m.yaml:" + document.message)
  }

  @Test(arguments: MalformedDocument.inputs)
  func inputErrorIsReported(document: MalformedDocument) {
    #expect(complaint(document.yaml) == "m.yaml:" + document.message)
  }

  @Test(arguments: MalformedDocument.keys)
  func keyErrorIsReported(document: MalformedDocument) {
    #expect(complaint(document.yaml) == "m.yaml:" + document.message)
  }

  @Test(arguments: MalformedDocument.syntax)
  func syntaxErrorIsReported(document: MalformedDocument) {
    #expect(complaint(document.yaml) == "m.yaml:" + document.message)
  }
}
