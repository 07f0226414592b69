import MetronomeService
import Testing

@Suite struct UntoldTests {
  @Test func theNewestOfEachIsKept() {
    var untold = Untold()
    untold.add(["READY=1", "STATUS=120 BPM"])
    untold.add(["STOPPING=1"])
    untold.add(["STATUS=a=b", "STOPPING=1"])
    #expect(untold.news == ["READY=1", "STATUS=a=b", "STOPPING=1"])
    untold.clear()
    #expect(untold == Untold())
  }
}
