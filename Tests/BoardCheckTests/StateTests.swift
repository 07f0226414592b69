import BoardCheck
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct StateTests {
  private func named(_ change: (inout StateFacts) -> Void) -> [String] {
    Box.bare.with {
      $0.state = StateFacts(path: "/home/pi/state", origin: .named, owner: "pi")
      change(&$0.state)
    }.complaints
  }

  @Test func aFolderThatIsNotThere() {
    #expect(
      named { $0.exists = false } == [
        "wrong state folder: there is no /home/pi/state: nothing is remembered → sudo install -d -o pi -m 750 /home/pi/state"
      ])
    #expect(
      Box.bare.with { $0.state.exists = false }.complaints == [
        "doubtful state folder: there is no /var/lib/metronome: nothing is remembered unless --state names a folder → sudo"
          + " install -d -o pi -m 750 /var/lib/metronome, and metronome run --state /var/lib/metronome"
      ])
    #expect(Box.facts.with { $0.state.exists = false }.complaints.isEmpty)
  }

  @Test func aFolderThatIsNone() {
    #expect(
      named { $0.isFolder = false } == [
        "wrong state folder: /home/pi/state is no folder → sudo mv /home/pi/state /home/pi/state.old, then sudo install -d -o pi"
          + " -m 750 /home/pi/state"
      ])
  }

  @Test func aLinkThatLeadsNowhere() {
    #expect(
      named { ($0.exists, $0.danglingLink) = (false, "/mnt/stick/state") } == [
        "wrong state folder: /home/pi/state is a link to /mnt/stick/state, which is not there: nothing is remembered → mount"
          + " the disk that it leads to; or sudo rm /home/pi/state, then sudo install -d -o pi -m 750 /home/pi/state"
      ])
    // Nor does the service's manager make what a link leads to.
    let service = Box.facts.with { ($0.state.exists, $0.state.danglingLink) = (false, "gone") }
    #expect(service.findings.exitCode == 2)
  }

  @Test func aDiskThatCannotBeWrittenTo() {
    #expect(
      named { $0.obstacle = EROFS } == [
        "wrong state folder: /home/pi/state lies on a disk that cannot be written to: nothing is remembered → sudo mount -o"
          + " remount,rw \"$(findmnt -nT /home/pi/state -o TARGET)\", or turn off the overlay file system (raspi-config,"
          + " Performance)"
      ])
  }

  @Test func aFolderOfOthers() {
    #expect(
      named {
        $0.obstacle = EACCES
        $0.owner = "root"
      } == [
        "wrong state folder: pi may not write to /home/pi/state, which is root's: nothing is remembered → sudo chown -R pi"
          + " /home/pi/state"
      ])
    // The service's folder is the service's, whoever asks.
    #expect(Box.facts.with { $0.state.obstacle = EACCES }.complaints.isEmpty)
    #expect(Box.facts.with { $0.state.owner = "pi" }.complaints.count == 1)
  }

  @Test func aFullDisk() {
    let remedy =
      " → make room: sudo apt clean, sudo journalctl --vacuum-size=50M; df -h /home/pi/state shows the disk"
    #expect(
      named { $0.room = 20_480 } == ["wrong state room: the disk of /home/pi/state is full (20 KiB free)" + remedy])
    #expect(
      named { $0.isOutOfFiles = true } == [
        "wrong state room: the disk of /home/pi/state is full (no file more)" + remedy
      ])
  }

  @Test func pedals() {
    #expect(
      Box.facts.with { $0.inputs = [InputFacts(name: "Page Pedal")] }.complaints == [
        "doubtful inputs Page Pedal: is not plugged in → plug it in or switch it on; cat /proc/bus/input/devices shows what each"
          + " device calls itself"
      ])
  }

  private func service(_ change: (inout ServiceFacts) -> Void) -> [String] {
    Box.facts.with { change(&$0.service!) }.complaints
  }

  @Test func aServiceThatFailed() {
    #expect(
      service {
        ($0.activity, $0.result, $0.exitCode, $0.status) = ("failed", "exit-code", "69", "")
      } == [
        "wrong service metronome: failed (exit-code, exit code 69) → journalctl -u metronome -b -n 20 says why; then sudo"
          + " systemctl restart metronome"
      ])
  }

  @Test func aServiceThatIsOff() {
    #expect(
      service { ($0.activity, $0.enablement, $0.status) = ("inactive", "disabled", "") } == [
        "doubtful service at boot: not started with the machine (disabled) → sudo systemctl enable metronome",
        "doubtful service metronome: not running (inactive) → sudo systemctl start metronome",
      ])
  }

  @Test func aServiceThatWaitsOrIsMasked() {
    #expect(
      service { ($0.activity, $0.status) = ("activating", "waiting for a chip") } == [
        "doubtful service metronome: waits: waiting for a chip → mend what is wrong above; it goes on by itself then."
          + " systemctl status metronome tells more"
      ])
    #expect(
      service { $0.load = "masked" } == [
        "wrong service metronome: masked: it cannot be started → sudo systemctl unmask metronome, then sudo systemctl enable"
          + " --now metronome"
      ])
  }

  @Test func aServiceThatEndsAgainAndAgain() {
    #expect(
      service {
        ($0.activity, $0.phase, $0.result, $0.exitCode, $0.status) = (
          "activating", "auto-restart", "core-dump", "6", ""
        )
      } == [
        "wrong service metronome: ends and is started again and again (core-dump, exit code 6) → journalctl -u metronome -b -n"
          + " 50 says why"
      ])
  }

  @Test(arguments: ["bad-setting", "error"]) func aUnitThatCannotBeUsed(load: String) {
    #expect(
      service { ($0.load, $0.activity, $0.enablement) = (load, "inactive", "") } == [
        "wrong service metronome: its unit or a drop-in of it cannot be used (\(load)): it cannot be started → systemctl status"
          + " metronome says what is wrong; sudo systemctl edit metronome mends it, or sudo systemctl revert metronome takes all"
          + " changes back; then sudo systemctl restart metronome"
      ])
  }

  @Test func noServiceIsNoFault() {
    #expect(
      Box.facts.with { $0.service = ServiceFacts(load: "not-found") }.said(.service, "metronome") == [
        "absent: not installed; the package brings it"
      ])
    #expect(Box.bare.said(.service, "metronome") == ["absent: no systemd runs here"])
  }
}
