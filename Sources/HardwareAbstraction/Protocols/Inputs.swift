import MetronomeCore

/// An event of an external input device: a foot pedal, a keyboard, an encoder.
public enum InputEvent: Hashable, Sendable, BitwiseCopyable {
  case edge(ButtonEdge)
  case turn(DialTurn)
  /// The device was unplugged, or events were lost: the levels of its buttons must be read again.
  case interrupted(Origin, at: Instant)
  /// A message of the MIDI clock that the metronome follows.
  case clock(ClockMessage)
  /// A MIDI controller selects a program, counted from 1 to 128.
  case program(Int, Origin, at: Instant)

  /// When the event happened, not when it was read.
  public var instant: Instant {
    switch self {
    case .edge(let edge): edge.instant
    case .turn(let turn): turn.instant
    case .interrupted(_, let instant): instant
    case .clock(let message): message.instant
    case .program(_, _, let instant): instant
    }
  }

  public var origin: Origin {
    switch self {
    case .edge(let edge): edge.origin
    case .turn(let turn): turn.origin
    case .interrupted(let origin, _): origin
    case .clock: .midiClock
    case .program(_, let origin, _): origin
    }
  }
}

/// The external input devices, which may be unplugged and plugged in. A missing device sends no events. Used by one thread.
public protocol ControlInputs: AnyObject {
  /// The number of configured devices. Their origins are numbered from 1.
  var count: Int { get }

  /// The oldest unread event; nil if there is none now. Never blocks.
  ///
  /// Events of one device are in time order; events of several devices are merged as far as they are known. A button with
  /// several keys is down while any of them is. ``InputEvent/interrupted(_:at:)`` reports events lost because a device was
  /// unplugged or its queue was full.
  func next() -> InputEvent?

  /// Whether a button of a device is down now, regardless of unread events; false for a missing device.
  func isDown(_ button: Button, at origin: Origin) -> Bool
}

/// The buttons, as edges with the instants at which they happened. Used by one thread, when there is something to read.
public protocol ButtonEdges: AnyObject {
  /// The oldest unread edge; nil if there is none now. Never blocks. Edges are in time order. Throws a `HardwareError` with
  /// operation `readEdges` if reading fails. An unplugged chip is reported once; no edges follow until it returns.
  func next() throws(HardwareError) -> ButtonEdge?

  /// Whether a button is down now, regardless of unread or lost edges; false for a button that is not wired. Throws a
  /// `HardwareError` with operation `readEdges`.
  func isDown(_ button: Button) throws(HardwareError) -> Bool
}

/// An external input device with the functions of its keys and axes: a foot pedal, a keyboard, an encoder.
public struct InputRequest: Hashable, Sendable {
  public enum Device: Hashable, Sendable {
    /// By its full kernel name: `PageFlip Firefly`. If several devices that no other request uses have that name, the
    /// device with the most requested keys and axes is used; if the numbers are equal, the first device.
    case named(String)
    /// By device file: the stable `/dev/input/by-id/usb-…-event-kbd`, or `/dev/input/event3`, which may change.
    case path(String)
    /// A MIDI controller. Its notes and controllers are keys: ``KeyCode/note(_:)``, ``KeyCode/controller(_:)``.
    case midi(MIDIDevice)
  }

  public var device: Device
  /// The button of each key. Several keys may share a button, which is down while any of them is.
  public var keys: [KeyCode: Button]
  /// The dial of each axis. Several axes may share a dial.
  public var relative: [AxisCode: Dial]
  /// The channel of a MIDI controller, 1 to 16; nil: all channels.
  public var channel: Int?
  /// How the dials of a MIDI controller send turns.
  public var encoding = TurnEncoding.twosComplement
  /// Whether a MIDI controller sends no releases: each message of a note or controller is a press and its release.
  public var isLatching = false
  /// Whether a program change of a MIDI controller recalls the preset of that number.
  public var recallsPrograms = false
  /// Whether the device is grabbed exclusively (`EVIOCGRAB`). Without the grab, a keyboard's keys also reach the console.
  public var isGrabbed: Bool

  public init(
    _ device: Device, keys: [KeyCode: Button] = [:], relative: [AxisCode: Dial] = [:], isGrabbed: Bool = false
  ) {
    self.device = device
    self.keys = keys
    self.relative = relative
    self.isGrabbed = isGrabbed
  }
}

/// What a person moves on an input device while the box learns, whether it has a function or not.
public enum InputTouch: Hashable, Sendable {
  case key(KeyCode, isDown: Bool, on: InputRequest.Device)
  case turn(AxisCode, by: Int, on: InputRequest.Device)
  case midi(MIDIEvent, on: MIDIDevice)
}

/// A key, a controller, a note or an axis of an input device, as it was recognized when a person moved it.
public struct InputControl: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// `isLatching`: the key of a MIDI pedal that sends no releases.
    case key(KeyCode, isLatching: Bool)
    /// The encoding is that of a MIDI controller.
    case axis(AxisCode, TurnEncoding)
  }

  public let device: InputRequest.Device
  /// The channel of a MIDI port, 1 to 16.
  public let channel: Int?
  public let kind: Kind

  public init(_ device: InputRequest.Device, channel: Int? = nil, _ kind: Kind) {
    (self.device, self.channel, self.kind) = (device, channel, kind)
  }
}

/// What a message of a MIDI controller means to a request.
public enum ControllerMove: Hashable, Sendable {
  case key(KeyCode, isDown: Bool)
  case axis(AxisCode, detents: Int)
  /// A preset is recalled, by its number from 1.
  case program(Int)
}

extension InputRequest {
  /// What a message means. Messages of other channels mean nothing.
  public func moves(of event: MIDIEvent) -> [ControllerMove] {
    func isMine(_ channel: Int) -> Bool { self.channel.map { $0 == channel } ?? true }
    func moves(_ key: KeyCode, isDown: Bool) -> [ControllerMove] {
      isLatching ? [.key(key, isDown: true), .key(key, isDown: false)] : [.key(key, isDown: isDown)]
    }
    switch event {
    case .note(let number, let isOn, let channel) where isMine(channel): return moves(.note(number), isDown: isOn)
    case .control(let number, let value, let channel) where isMine(channel):
      let turn = ControllerMove.axis(.controller(number), detents: encoding.detents(value))
      return moves(.controller(number), isDown: value >= 64) + [turn]
    case .program(let number, let channel) where isMine(channel) && recallsPrograms: return [.program(number)]
    default: return []
    }
  }
}

/// A key of an input device, by the kernel's number.
public struct KeyCode: Hashable, Sendable, BitwiseCopyable {
  public let number: UInt16

  public init(number: UInt16) { self.number = number }

  /// A note of a MIDI controller, 0 to 127. The kernel's keys have lower numbers.
  public static func note(_ number: Int) -> KeyCode { KeyCode(number: 0x8000 + UInt16(number)) }

  /// A controller (control change) of a MIDI controller, 0 to 127. It is down from the value 64 on.
  public static func controller(_ number: Int) -> KeyCode { KeyCode(number: 0x8080 + UInt16(number)) }
}

/// A relative axis of an input device, such as an encoder or a wheel, by the kernel's number.
public struct AxisCode: Hashable, Sendable, BitwiseCopyable {
  public let number: UInt16

  public init(number: UInt16) { self.number = number }

  /// A controller of a MIDI controller that sends turns, 0 to 127.
  public static func controller(_ number: Int) -> AxisCode { AxisCode(number: 0x8080 + UInt16(number)) }
}
