import Testing

/// Every message as a person sees it, with its line and column.
@Suite struct MalformedDocumentTests {
  @Test(arguments: MalformedDocument.music)
  func whatIsPlayed(document: MalformedDocument) {
    #expect(complaint(document.yaml) == "m.yaml:" + document.message)
  }

  @Test(arguments: MalformedDocument.playing)
  func howItIsPlayed(document: MalformedDocument) {
    #expect(complaint(document.yaml) == "m.yaml:" + document.message)
  }

  @Test(arguments: MalformedDocument.wiring)
  func theBoardAndTheSoundCard(document: MalformedDocument) {
    #expect(complaint(document.yaml) == "m.yaml:" + document.message)
  }

  @Test(arguments: MalformedDocument.clashes)
  func linesUsedTwice(document: MalformedDocument) {
    #expect(complaint(document.yaml) == "m.yaml:" + document.message)
  }

  @Test(arguments: MalformedDocument.bindings)
  func whatGesturesMean(document: MalformedDocument) {
    #expect(complaint(document.yaml) == "m.yaml:" + document.message)
  }

  @Test(arguments: MalformedDocument.inputs)
  func devicesBesideTheBox(document: MalformedDocument) {
    #expect(complaint(document.yaml) == "m.yaml:" + document.message)
  }

  @Test(arguments: MalformedDocument.keys)
  func keys(document: MalformedDocument) {
    #expect(complaint(document.yaml) == "m.yaml:" + document.message)
  }

  @Test(arguments: MalformedDocument.syntax)
  func syntax(document: MalformedDocument) {
    #expect(complaint(document.yaml) == "m.yaml:" + document.message)
  }
}
