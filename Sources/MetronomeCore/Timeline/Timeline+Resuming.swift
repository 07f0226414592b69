extension Timeline {
  /// The beats that this timeline has from an instant on, as a session of their own: every one with its number, its place
  /// and its instant, as if nothing had been between.
  ///
  /// - Parameter instant: must not lie before what an output has committed.
  public func resumed(as session: UInt32, from instant: Instant) -> Timeline {
    guard let next = firstBeat(atOrAfter: instant) else { return self }
    var segments = segments
    segments.removeFirst(segments.lastIndex { $0.firstIndex <= next.index } ?? 0)
    return Timeline(session: session, first: next.index, segments: segments)
  }
}
