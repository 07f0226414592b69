import HardwareAbstraction
import MetronomeCore

/// A MIDI port that the configuration names: of a sound card, or the UART.
public struct MIDIPortFacts: Hashable, Sendable {
  /// What the metronome uses the port for.
  public enum Use: String, Hashable, Sendable, CaseIterable {
    case output = "clock out"
    case clock = "clock in"
    case controls = "pedals"
  }

  /// A program that has the port open.
  public struct Holder: Hashable, Sendable {
    public var name: String
    public var id: Int
  }

  /// The name in the configuration.
  public var name: String
  public var uses: Set<Use>
  public var isSerial = false
  /// The device file; nil if the port is missing.
  public var path: String?
  public var isUsable = true
  /// The programs that have it open in a direction in which the metronome uses it.
  public var holders: [Holder] = []
  /// Whether the kernel's console writes to this UART.
  public var isConsole = false
}

extension MIDIPortFacts {
  /// The ports of a configuration, outputs first, each once.
  static func all(_ files: FileTree, _ wiring: Wiring) -> [MIDIPortFacts] {
    var uses = wiring.midi.map { ($0.device, Use.output) }
    if let clock = wiring.midiClock { uses.append((clock, .clock)) }
    for input in wiring.inputs { if case .midi(let device) = input.device { uses.append((device, .controls)) } }
    var ports: [MIDIPortFacts] = []
    for (device, _) in uses where !ports.contains(where: { $0.name == device.name }) {
      ports.append(MIDIPortFacts(files, device, Set(uses.filter { $0.0 == device }.map(\.1))))
    }
    return ports
  }

  init(_ files: FileTree, _ device: MIDIDevice, _ uses: Set<Use>) {
    (name, self.uses) = (device.name, uses)
    if case .serial(let file) = device {
      (isSerial, path) = (true, files.exists(file) ? file : nil)
      // /dev/serial0 is a link to the file of the UART.
      let actual = (files.link(file) ?? file).split(separator: "/").last ?? ""
      isConsole = (files.text("/proc/consoles") ?? "").lines.contains { $0.words.first == actual }
    } else if let found = MIDIPortFacts.port(files, device) {
      path = "/dev/snd/midiC\(found.card)D\(found.device)"
      holders = MIDIPortFacts.holders(files, found.card, found.device, uses)
    }
    isUsable = path.map { files.obstacle($0, FileTree.access(writes: uses.contains(.output))) == nil } ?? false
  }

  /// The numbers of card and device. A name means the first port of its card or of this name.
  private static func port(_ files: FileTree, _ device: MIDIDevice) -> (card: String, device: String)? {
    for path in files.paths(matching: "/dev/snd/midiC*D*") {
      let numbers = path.dropFirst("/dev/snd/midiC".count).split(separator: "D").map(String.init)
      guard numbers.count == 2 else { continue }
      let id = files.text("/sys/class/sound/card\(numbers[0])/id") ?? ""
      switch device {
      case .serial: continue
      case .named(let name):
        // The first line of the port's information is its name.
        let own = files.text("/proc/asound/card\(numbers[0])/midi\(numbers[1])")?.lines.first
        if id == name || own.map(String.init) == name { return (numbers[0], numbers[1]) }
      case .address(let address):
        // `hw:CARD=UMONE,DEV=0` or `hw:UMONE,0`
        let words = address.dropFirst(3).split(separator: ",").map { $0.split(separator: "=").last ?? $0 }
        if words.first == id[...], words.dropFirst().first ?? "0" == numbers[1][...] { return (numbers[0], numbers[1]) }
      }
    }
    return nil
  }

  /// From the kernel's information about a port: after `Output 0` or `Input 0` a line `Owner PID : 812` if it is open.
  private static func holders(_ files: FileTree, _ card: String, _ device: String, _ uses: Set<Use>) -> [Holder] {
    var found: [Holder] = []
    var isUsed = false
    for line in (files.text("/proc/asound/card\(card)/midi\(device)") ?? "").lines {
      let words = line.words
      if words.first == "Output" { isUsed = uses.contains(.output) }
      if words.first == "Input" { isUsed = uses.contains(.clock) || uses.contains(.controls) }
      guard isUsed, words.first == "Owner", let id = words.last.flatMap({ Int($0) }) else { continue }
      let holder = Holder(name: files.text("/proc/\(id)/comm") ?? "unknown", id: id)
      if !found.contains(holder) { found.append(holder) }
    }
    return found
  }
}

extension BoardFacts {
  var midiFindings: [Finding] { midi.map { Finding(.midi, $0.name, verdict($0)) } }

  private func verdict(_ port: MIDIPortFacts) -> Verdict {
    let uses = MIDIPortFacts.Use.allCases.filter(port.uses.contains).map(\.rawValue).joined(separator: ", ")
    guard let path = port.path else {
      guard port.isSerial else {
        return .doubtful(
          "is not plugged in (\(uses))", remedy: "plug it in or switch it on; amidi -l lists the connected ports")
      }
      return .wrong(
        "does not exist (\(uses))",
        remedy: "on a Raspberry Pi switch the UART on in /boot/firmware/config.txt, enable_uart=1 and"
          + " dtoverlay=disable-bt, on a Pi 5 dtparam=uart0=on, then restart")
    }
    if port.isConsole {
      return .wrong(
        "the kernel's console writes to \(path)",
        remedy: "remove console=serial0,115200 from /boot/firmware/cmdline.txt, then restart")
    }
    guard port.isUsable else {
      let group = port.isSerial ? "dialout" : "audio"
      let text = "\(caller.name) has no permission to use \(path)"
      if let service = installedService, service.groups.contains(group) {
        return .absent("not checked: \(text); the service has permission")
      }
      return .wrong(text, remedy: "sudo usermod -aG \(group) \(caller.name), and log in again")
    }
    let others = port.holders.filter { $0.name != "metronome" }
    guard others.isEmpty else {
      let names = others.map { "\(shownName($0.name)) (\($0.id))" }.joined(separator: ", ")
      return .doubtful(
        "\(path), \(uses): another program uses it, \(names)",
        remedy: "end that program; the metronome opens the port as soon as it is free")
    }
    let own = port.holders.first.map { ", used by metronome (\($0.id))" } ?? ""
    return .right("\(path), \(uses)\(own)")
  }
}
