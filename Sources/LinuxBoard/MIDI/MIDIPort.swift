import CALSA
import Glibc
import HardwareAbstraction

/// A MIDI port of a sound card, as the kernel lists it.
struct MIDIPort: Hashable {
  /// The device file: `/dev/snd/midiC1D0`.
  var path: String
  /// The id of the card: `UMONE`.
  var card: String
  var device: Int
  /// The name of the port, which is that of the sequencer's client, then the id and the name of its card.
  var names: [String]

  /// All ports, in order of card and device.
  static func all() -> [MIDIPort] {
    var ports: [MIDIPort] = []
    var number: Int32 = -1
    while snd_card_next(&number) == 0, number >= 0 { ports += onCard(number) }
    return ports
  }

  private static func onCard(_ number: Int32) -> [MIDIPort] {
    var control: OpaquePointer?
    guard snd_ctl_open(&control, "hw:\(number)", SND_CTL_NONBLOCK) == 0 else { return [] }
    defer { snd_ctl_close(control) }
    var (card, port): (OpaquePointer?, OpaquePointer?)
    guard snd_ctl_card_info_malloc(&card) == 0, snd_rawmidi_info_malloc(&port) == 0 else { return [] }
    defer {
      snd_ctl_card_info_free(card)
      snd_rawmidi_info_free(port)
    }
    guard snd_ctl_card_info(control, card) == 0 else { return [] }
    let id = String(cString: snd_ctl_card_info_get_id(card))
    var ports: [MIDIPort] = []
    var device: Int32 = -1
    while snd_ctl_rawmidi_next_device(control, &device) == 0, device >= 0 {
      snd_rawmidi_info_set_device(port, UInt32(device))
      snd_rawmidi_info_set_subdevice(port, 0)
      var names = [id, String(cString: snd_ctl_card_info_get_name(card))]
      if snd_ctl_rawmidi_info(control, port) == 0 {
        names.insert(String(cString: snd_rawmidi_info_get_name(port)), at: 0)
      }
      ports.append(
        MIDIPort(path: "/dev/snd/midiC\(number)D\(device)", card: id, device: Int(device), names: names))
    }
    return ports
  }

  /// Whether a configuration means this port. A name means the first port of its card or client.
  func matches(_ wanted: MIDIDevice) -> Bool {
    switch wanted {
    case .named(let name): names.contains(name)
    case .address(let address): MIDIPort.parts(of: address).map { $0 == card && $1 == device } ?? false
    case .serial: false
    }
  }

  /// The card and device of `hw:CARD=UMONE,DEV=0` or `hw:UMONE,0`; nil if it is not such an address.
  static func parts(of address: String) -> (card: String, device: Int)? {
    guard address.hasPrefix("hw:") else { return nil }
    let words = address.dropFirst(3).split(separator: ",").map { word in
      word.split(separator: "=", maxSplits: 1).last.map(String.init) ?? ""
    }
    guard let card = words.first, words.count <= 2 else { return nil }
    guard words.count == 2 else { return (card, 0) }
    return Int(words[1]).map { (card, $0) }
  }
}
