import HardwareAbstraction
import MetronomeCore
import Synchronization

/// What the sound keeper is asked to do otherwise from now on, left for it by another thread. Of several orders of a kind
/// the last one counts.
final class SoundOrders<Port: AudioPort>: Sendable {
  /// A port on its way from whoever made it to the keeper.
  ///
  /// Sendable, unchecked: whoever hands it over uses it no more, but for what the port itself lets any thread do.
  private struct Parcel: @unchecked Sendable {
    var port: Port?
  }

  private struct Desk {
    var parcel: Parcel?
    var sounds: ClickSounds?
  }

  private let desk = Mutex(Desk())

  func leave(_ port: Port?) {
    let parcel = Parcel(port: port)
    desk.withLock { $0.parcel = parcel }
  }

  func leave(_ sounds: ClickSounds) { desk.withLock { $0.sounds = sounds } }

  /// - Returns: nil: no other port; a nil within: no port at all.
  func takePort() -> Port?? {
    let parcel = desk.withLock { desk in
      defer { desk.parcel = nil }
      return desk.parcel
    }
    return parcel.map(\.port)
  }

  func takeSounds() -> ClickSounds? {
    desk.withLock { desk in
      defer { desk.sounds = nil }
      return desk.sounds
    }
  }
}
