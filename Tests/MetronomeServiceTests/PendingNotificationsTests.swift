import MetronomeService
import Testing

@Suite struct PendingNotificationsTests {
  @Test func newestOfEachNameIsKept() {
    var pending = PendingNotifications()
    pending.add(["READY=1", "STATUS=120 BPM"])
    pending.add(["STOPPING=1"])
    pending.add(["STATUS=a=b", "STOPPING=1"])
    #expect(pending.assignments == ["READY=1", "STATUS=a=b", "STOPPING=1"])
    pending.clear()
    #expect(pending == PendingNotifications())
  }
}
