import MetronomeCore

/// Something that befalls a box, beside what hands do to it.
public enum Mishap: Hashable, Sendable {
  /// The sound card stops, as if it had run dry.
  case cardStops
  /// It sleeps until it is woken, which works or, for good, does not.
  case cardSleeps(forGood: Bool)
  /// Every call fails until it is closed.
  case cardFails
  /// It stands still until it is closed or started anew.
  case cardFreezes
  /// It takes nothing, so many times in a row.
  case cardRefuses(times: Int)
  case cardUnplugged
  case cardPlugged
  /// From now on its crystal runs so much faster than it should, in parts per thousand million.
  case cardDrifts(ppb: Int64)
  /// The loop's first wake-up from now on is so late.
  case late(Simulation.Loop, by: Nanoseconds)
  /// From now on the network's time lets the clock run so much faster, in parts per thousand million.
  case clockSlews(ppb: Int64)
  /// Nothing can be saved until the disk is free.
  case diskFull
  case diskFree
  /// So many times in a row nothing can be written.
  case diskFails(times: Int)
  /// The plug is pulled.
  case powerCut
  /// It is put in again.
  case powerOn
  /// The metronome is ended in order and begun again.
  case restart

  /// Whether it is about a disk, which only a simulated one can meet with.
  public var needsSimulatedDisk: Bool {
    switch self {
    case .diskFull, .diskFree, .diskFails, .powerCut, .powerOn: true
    case .cardStops, .cardSleeps, .cardFails, .cardFreezes, .cardRefuses, .cardUnplugged, .cardPlugged, .cardDrifts,
      .late, .clockSlews, .restart:
      false
    }
  }
}

extension Script {
  /// Something that happens, and when.
  public struct TimedMishap: Hashable, Sendable {
    public var time: Nanoseconds
    public var what: Mishap

    public init(_ what: Mishap, at time: Nanoseconds) {
      self.time = time
      self.what = what
    }
  }
}
