import Foundation
import HardwareAbstraction
import MetronomeCore
import Testing

@testable import BoardCheck

/// Facts read from a file tree in place of a machine's root.
@Suite struct FileTreeTests {
  private let machine: Machine

  init() throws { machine = try Machine() }

  private var files: FileTree { FileTree(root: machine.root) }

  @Test func raspberryPiIsRecognised() throws {
    try machine.file("/sys/firmware/devicetree/base/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    try machine.file("/proc/sys/kernel/osrelease", "6.12.34+rpt-rpi-2712\n")
    try machine.file("/proc/sys/kernel/version", "#1 SMP PREEMPT Debian\n")
    for (number, governor) in ["ondemand", "ondemand", "performance"].enumerated() {
      try machine.file("/sys/devices/system/cpu/cpu\(number)/cpufreq/scaling_governor", governor + "\n")
    }
    try machine.file("/sys/class/hwmon/hwmon0/name", "cpu_thermal\n")
    try machine.file("/sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    try machine.file("/sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
    try machine.file("/sys/devices/platform/soc/soc:firmware/get_throttled", "50005\n")
    #expect(
      ComputerFacts(files) { "throttled=0x0" }
        == ComputerFacts(
          model: "Raspberry Pi 5 Model B Rev 1.0", kernel: "6.12.34+rpt-rpi-2712",
          governors: [
            ComputerFacts.Governor(name: "ondemand", count: 2), ComputerFacts.Governor(name: "performance", count: 1),
          ], hasLowVoltage: true, throttled: 0x50005))
  }

  @Test func fileSystemMayReportAnyNumberOfBlocks() {
    #expect(FileTree.bytes(3, of: 4_096) == 12_288)
    #expect(FileTree.bytes(.max, of: 4_096) == .max)
  }

  @Test func firmwareIsQueriedIfNoFileHasItsState() throws {
    #expect(ComputerFacts(files) { "throttled=0x80008\n" } == ComputerFacts(kernel: "?"))
    try machine.file("/sys/firmware/devicetree/base/model", "Raspberry Pi 4\0")
    #expect(ComputerFacts(files) { "throttled=0x80008\n" }.throttled == 0x80008)
    #expect(ComputerFacts(files) { nil }.throttled == nil)
  }

  @Test func realTimeKernelsAreRecognised() throws {
    try machine.file("/proc/sys/kernel/version", "#1 SMP PREEMPT_RT Debian 6.12\n")
    #expect(ComputerFacts(files) { nil }.isRealTimeKernel)
    try machine.file("/proc/sys/kernel/version", "#1 SMP\n")
    #expect(!ComputerFacts(files) { nil }.isRealTimeKernel)
    try machine.file("/sys/kernel/realtime", "1\n")
    #expect(ComputerFacts(files) { nil }.isRealTimeKernel)
  }

  private func caller(uid: Int, capabilities: String, priority: String, memory: String) throws -> CallerFacts {
    try machine.file("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\npi:x:1000:1000::/home/pi:/bin/sh\n")
    try machine.file("/proc/self/status", "Name:\tx\nUid:\t\(uid)\t\(uid)\t\(uid)\t\(uid)\nCapEff:\t\(capabilities)\n")
    try machine.file(
      "/proc/self/limits",
      """
      Limit                     Soft Limit           Hard Limit           Units
      Max locked memory         \(memory)              8388608              bytes
      Max realtime priority     \(priority)                    0
      """)
    return CallerFacts(files)
  }

  @Test func callerPrivilegesAreRead() throws {
    let root = try caller(uid: 0, capabilities: "000001ffffffffff", priority: "0", memory: "8388608")
    #expect(root == CallerFacts(name: "root", isRoot: true, priorityLimit: 99, lockLimit: nil))
    let user = try caller(uid: 1_000, capabilities: "0", priority: "0", memory: "8388608")
    #expect(user == CallerFacts(name: "pi", priorityLimit: 0, lockLimit: 8_388_608))
    let musician = try caller(uid: 1_001, capabilities: "0", priority: "95", memory: "unlimited")
    #expect(musician == CallerFacts(name: "1001", priorityLimit: 95, lockLimit: nil))
    // Root in a container may lack both capabilities.
    let contained = try caller(uid: 0, capabilities: "00000000a80425fb", priority: "0", memory: "65536")
    #expect(contained == CallerFacts(name: "root", isRoot: true, priorityLimit: 0, lockLimit: 65_536))
  }

  @Test func devicePermissionsAreRead() throws {
    let group = getgid()
    try machine.file("/etc/group", "gpio:x:\(group):metronome\n")
    try machine.file("/etc/passwd", "me:x:\(getuid()):0::/:/bin/sh\n")
    try machine.file("/dev/gpiochip10", "")
    try machine.file("/dev/gpiochip2", "", mode: 0o660)
    try machine.file("/dev/snd/pcmC0D0c", "")
    let devices = DeviceFacts(files)
    #expect(devices.gpio.map(\.path) == ["/dev/gpiochip2", "/dev/gpiochip10"])
    #expect(
      devices.gpio[0]
        == DeviceFacts.File(path: "/dev/gpiochip2", owner: "me", group: "gpio", mode: 0o660, isUsable: true))
    #expect(devices.audio.isEmpty)
    #expect(devices.latency == nil)
  }

  @Test func servicePropertiesAreRead() throws {
    try machine.file("/etc/passwd", "metronome:x:990:990::/:/usr/sbin/nologin\n")
    try machine.file("/etc/group", "metronome:x:990:\naudio:x:29:pi,metronome\ninput:x:100:pi\n")
    let text = """
      LoadState=loaded
      ActiveState=failed
      SubState=failed
      UnitFileState=enabled
      Result=exit-code
      ExecMainStatus=78
      StatusText=
      User=metronome
      SupplementaryGroups=gpio
      LimitRTPRIO=80
      LimitMEMLOCK=infinity
      """
    #expect(
      ServiceFacts(text, files)
        == ServiceFacts(
          activity: "failed", phase: "failed", result: "exit-code", exitCode: "78",
          groups: ["metronome", "audio", "gpio"]))
    #expect(ServiceFacts("LoadState=loaded\nUser=\nLimitRTPRIO=0\nLimitMEMLOCK=65536", files).priorityLimit == 99)
    #expect(!ServiceFacts.isManaged(files))
    try machine.file("/run/systemd/system/x", "")
    #expect(ServiceFacts.isManaged(files))
  }

  @Test func programsUsingASoundCardAreFound() throws {
    try machine.file("/proc/asound/card1/id", "Device\n")
    try machine.file("/proc/asound/card1/pcm0p/sub0/status", "state: RUNNING\nowner_pid   : 77\n")
    try machine.file("/proc/asound/card0/id", "Headphones\n")
    try machine.file("/proc/asound/card0/pcm0p/sub0/status", "closed\n")
    try machine.file("/proc/70/comm", "mpd\n")
    try machine.link("/proc/70/fd/5", "/dev/snd/pcmC1D0p")
    try machine.file("/proc/71/comm", "alsamixer\n")
    try machine.link("/proc/71/fd/3", "/dev/snd/controlC1")
    try machine.file("/proc/72/comm", "metronome\n")
    let processes = ProcessFacts(files, own: 72)
    #expect(processes.players == ["Device": [ProcessFacts.Process(number: 70, name: "mpd")]])
    #expect(!processes.hasMetronome)
    #expect(ProcessFacts(files, own: 1).hasMetronome)
  }

  @Test func timeServicesAreFound() throws {
    let none = ClockFacts(files, ProcessFacts(), isSynchronised: false)
    #expect(none == ClockFacts(isSynchronised: false))
    let chrony = ProcessFacts(running: [ProcessFacts.Process(number: 9, name: "chronyd")])
    #expect(ClockFacts(files, chrony, isSynchronised: true).services == ["chrony"])
    try machine.link(
      "/etc/systemd/system/sysinit.target.wants/systemd-timesyncd.service", machine.root + "/unit")
    #expect(ClockFacts(files, ProcessFacts(), isSynchronised: nil).services.isEmpty == false)
  }

  @Test func stateFoldersAreInspected() throws {
    #expect(!StateFacts(files, path: "/state", origin: .named).exists)
    try machine.file("/state/lock", "")
    let folder = StateFacts(files, path: "/state", origin: .named)
    #expect(folder.exists && folder.isFolder && folder.obstacle == nil)
    #expect((folder.room ?? 0) > 0)
    #expect(!StateFacts(files, path: "/state/lock", origin: .standard).isFolder)
    try machine.link("/elsewhere", "not-mounted/state")
    let dangling = StateFacts(files, path: "/elsewhere", origin: .named)
    #expect(!dangling.exists && dangling.danglingLink == "not-mounted/state")
    try machine.file("/not-mounted/state/lock", "")
    let linked = StateFacts(files, path: "/elsewhere", origin: .named)
    #expect(linked.isFolder && linked.danglingLink == nil)
  }

  @Test func inputDevicesAreFound() throws {
    try machine.file("/sys/class/input/event3/device/name", "Page Pedal\n")
    try machine.file("/dev/input/event3", "")
    #expect(
      InputFacts(files, InputRequest(.named("Page Pedal"))) == InputFacts(name: "Page Pedal", path: "/dev/input/event3")
    )
    #expect(InputFacts(files, InputRequest(.named("Other"))) == InputFacts(name: "Other", isReadable: false))
    #expect(InputFacts(files, InputRequest(.path("/dev/input/event3")))?.path == "/dev/input/event3")
  }

  private func midi(_ devices: [(MIDIDevice, MIDIPortFacts.Use)]) -> [MIDIPortFacts] {
    var wiring = Wiring.standard
    for (device, use) in devices {
      switch use {
      case .output: wiring.midi.append(MIDIOutputRequest(device))
      case .clock: wiring.midiClock = device
      case .controls: wiring.inputs.append(InputRequest(.midi(device)))
      }
    }
    return MIDIPortFacts.all(files, wiring)
  }

  @Test func midiPortsAreFoundByCardPortAndAddress() throws {
    try machine.file("/sys/class/sound/card1/id", "UMONE\n")
    try machine.file("/dev/snd/midiC1D0", "")
    try machine.file("/dev/snd/midiC1D1", "")
    try machine.file(
      "/proc/asound/card1/midi1",
      "Pedal Port\n\nOutput 0\n  Tx bytes     : 0\n  Owner PID    : 7\nInput 0\n  Rx bytes     : 3\n  Owner PID    : 812\n"
    )
    try machine.file("/proc/812/comm", "aseqdump\n")
    let found = midi([
      (.named("UMONE"), .output), (.named("Pedal Port"), .controls), (.address("hw:CARD=UMONE,DEV=1"), .clock),
      (.named("Other"), .output),
    ])
    #expect(found.map(\.path) == ["/dev/snd/midiC1D0", nil, "/dev/snd/midiC1D1", "/dev/snd/midiC1D1"])
    #expect(found[0].holders.isEmpty && found[1].name == "Other")
    #expect(found[2].holders == [MIDIPortFacts.Holder(name: "aseqdump", id: 812)])
    #expect(found.map(\.uses) == [[.output], [.output], [.clock], [.controls]])
  }

  @Test func aPortWithSeveralUsesIsListedOnce() throws {
    let found = midi([(.named("UMONE"), .output), (.named("UMONE"), .controls), (.named("UMONE"), .clock)])
    #expect(found == [MIDIPortFacts(name: "UMONE", uses: [.output, .clock, .controls], isUsable: false)])
  }

  @Test func theConsoleOfASerialPortIsFound() throws {
    try machine.file("/dev/ttyAMA0", "")
    try machine.link("/dev/serial0", "ttyAMA0")
    let device = MIDIDevice(name: "/dev/serial0")
    #expect(midi([(device, .output)]).first?.isConsole == false)
    try machine.file("/proc/consoles", "tty1 -WU (EC p ) 4:1\nttyAMA0 -W- (EC p a) 204:64\n")
    #expect(midi([(device, .output)]).first?.isConsole == true)
    #expect(midi([(device, .output)]).first?.path == "/dev/serial0")
  }
}

/// A temporary folder used as `/`; `deinit` removes it.
private final class Machine {
  let root: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("machine-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    root = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func file(_ path: String, _ text: String, mode: Int = 0o644) throws {
    try makeFolder(of: path)
    try Data(text.utf8).write(to: URL(fileURLWithPath: root + path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: root + path)
  }

  func link(_ path: String, _ target: String) throws {
    try makeFolder(of: path)
    try FileManager.default.createSymbolicLink(atPath: root + path, withDestinationPath: target)
  }

  private func makeFolder(of path: String) throws {
    let folder = URL(fileURLWithPath: root + path).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }
}
