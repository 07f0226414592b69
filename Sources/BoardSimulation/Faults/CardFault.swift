/// What can befall a sound card that plays.
public enum CardFault: Hashable, Sendable {
  /// It stops, as if it had run dry, and is started anew by the next look at it (`EPIPE`).
  case stops
  /// It sleeps until it is woken, which works or does not (`ESTRPIPE`).
  case sleeps(wakes: Bool)
  /// Every call fails with this error number until it is closed.
  case fails(errno: Int32)
  /// It takes nothing, so many times in a row.
  case takesNothing(times: Int)
  /// It stands still until it is closed or started anew.
  case freezes
}
