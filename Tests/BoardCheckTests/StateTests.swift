import Testing

@testable import BoardCheck

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

  @Test func missingFolderIsReported() {
    #expect(
      named { $0.exists = false } == [
        "wrong state folder: /home/pi/state does not exist: no state is saved → sudo install -d -o pi -m"
          + " 750 /home/pi/state"
      ])
    #expect(
      Box.bare.with { $0.state.exists = false }.complaints == [
        "doubtful state folder: /var/lib/metronome does not exist: no state is saved unless --state names a folder →"
          + " sudo install -d -o pi -m 750 /var/lib/metronome, and metronome run --state /var/lib/metronome"
      ])
    #expect(Box.facts.with { $0.state.exists = false }.complaints.isEmpty)
  }

  @Test func fileInPlaceOfTheFolderIsWrong() {
    #expect(
      named { $0.isFolder = false } == [
        "wrong state folder: /home/pi/state is not a folder → sudo mv /home/pi/state /home/pi/state.old, then sudo"
          + " install -d -o pi -m 750 /home/pi/state"
      ])
  }

  @Test func danglingLinkIsWrong() {
    #expect(
      named { ($0.exists, $0.danglingLink) = (false, "/mnt/stick/state") } == [
        "wrong state folder: /home/pi/state is a link to /mnt/stick/state, which does not exist: no state is saved →"
          + " mount the disk of the link's target; or sudo rm /home/pi/state, then sudo install -d -o pi -m 750"
          + " /home/pi/state"
      ])
    // systemd does not create the target of a link either.
    let service = Box.facts.with { ($0.state.exists, $0.state.danglingLink) = (false, "gone") }
    #expect(service.findings.exitCode == 2)
  }

  @Test func readOnlyDiskIsWrong() {
    #expect(
      named { $0.obstacle = .readOnly } == [
        "wrong state folder: /home/pi/state is on a read-only disk: no state is saved → sudo mount -o remount,rw"
          + " \"$(findmnt -nT /home/pi/state -o TARGET)\", or turn off the overlay file system (raspi-config,"
          + " Performance)"
      ])
  }

  @Test func folderOfAnotherUserIsWrong() {
    #expect(
      named {
        $0.obstacle = .denied
        $0.owner = "root"
      } == [
        "wrong state folder: pi may not write to /home/pi/state, which belongs to root: no state is saved → sudo"
          + " chown -R pi /home/pi/state"
      ])
    // The folder belongs to the service: the caller needs no access.
    #expect(Box.facts.with { $0.state.obstacle = .denied }.complaints.isEmpty)
    #expect(Box.facts.with { $0.state.owner = "pi" }.complaints.count == 1)
  }

  @Test func fullDiskIsWrong() {
    let remedy =
      " → free some space: sudo apt clean, sudo journalctl --vacuum-size=50M; df -h /home/pi/state shows the disk"
    #expect(
      named { $0.room = 20_480 } == ["wrong state room: the disk of /home/pi/state is full (20 KiB free)" + remedy])
    #expect(
      named { $0.isOutOfFiles = true } == [
        "wrong state room: the disk of /home/pi/state is full (no free inodes)" + remedy
      ])
  }

  @Test func missingInputIsDoubtful() {
    #expect(
      Box.facts.with { $0.inputs = [InputFacts(name: "Page Pedal")] }.complaints == [
        "doubtful inputs Page Pedal: is not plugged in → plug it in or switch it on; cat /proc/bus/input/devices"
          + " shows the name of each device"
      ])
  }

  private func service(_ change: (inout ServiceFacts) -> Void) -> [String] {
    Box.facts.with { change(&$0.service!) }.complaints
  }

  @Test func failedServiceIsWrong() {
    #expect(
      service {
        ($0.activity, $0.result, $0.exitCode, $0.status) = ("failed", "exit-code", "69", "")
      } == [
        "wrong service metronome: failed (exit-code, exit code 69) → journalctl -u metronome -b -n 20 shows the"
          + " reason; then sudo systemctl restart metronome"
      ])
  }

  @Test func stoppedServiceIsReported() {
    #expect(
      service { ($0.activity, $0.enablement, $0.status) = ("inactive", "disabled", "") } == [
        "doubtful service at boot: not started at boot (disabled) → sudo systemctl enable metronome",
        "doubtful service metronome: not running (inactive) → sudo systemctl start metronome",
      ])
  }

  @Test func waitingAndMaskedServicesAreReported() {
    #expect(
      service { ($0.activity, $0.status) = ("activating", "waiting for a chip") } == [
        "doubtful service metronome: starting: waiting for a chip → fix the problems above; then it continues by"
          + " itself; systemctl status metronome shows more"
      ])
    #expect(
      service { $0.load = "masked" } == [
        "wrong service metronome: masked: it cannot be started → sudo systemctl unmask metronome, then sudo systemctl enable"
          + " --now metronome"
      ])
  }

  @Test func restartingServiceIsWrong() {
    #expect(
      service {
        ($0.activity, $0.phase, $0.result, $0.exitCode, $0.status) = (
          "activating", "auto-restart", "core-dump", "6", ""
        )
      } == [
        "wrong service metronome: exits and is restarted again and again (core-dump, exit code 6) → journalctl -u"
          + " metronome -b -n 50 shows the reason"
      ])
  }

  @Test(arguments: ["bad-setting", "error"]) func unusableUnitIsWrong(load: String) {
    #expect(
      service { ($0.load, $0.activity, $0.enablement) = (load, "inactive", "") } == [
        "wrong service metronome: systemd rejects its unit or a drop-in (\(load)): it cannot be started → systemctl"
          + " status metronome shows the error; fix it with sudo systemctl edit metronome, or undo all changes with"
          + " sudo systemctl revert metronome; then sudo systemctl restart metronome"
      ])
  }

  @Test func missingServiceIsNotAFault() {
    #expect(
      Box.facts.with { $0.service = ServiceFacts(load: "not-found") }.text(.service, "metronome") == [
        "absent: not installed; the package contains it"
      ])
    #expect(Box.bare.text(.service, "metronome") == ["absent: systemd is not running"])
  }
}
