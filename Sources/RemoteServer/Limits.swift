import MetronomeCore

/// The limits of the server. `Documentation/RemoteServer.md` lists them.
public enum Limits {
  /// Of all visitors: clients that have sent no token of a paired phone.
  public static let connections = 64
  public static let sockets = 24
  public static let connectionsPerPhone = 12
  public static let socketsPerPhone = 6
  /// After this time the WebSocket of a visitor gives way to that of another one.
  public static let visitorTenure = Nanoseconds.seconds(60)
  /// After this time a WebSocket of a phone gives way to another one of the same phone: it may be dead.
  public static let phoneTenure = Nanoseconds.seconds(5)
  /// How many unsent bytes a WebSocket may have. A page that has more, because it does not read, is disconnected.
  public static let output = 65_536
  /// The received bytes of a connection that are not processed yet.
  public static let input = 8_192
  /// From the start of the connection, or from the first byte of a later request, to the end of the request.
  public static let requestTime = Nanoseconds.seconds(5)
  /// How long a connection may wait for the next request.
  public static let idleTime = Nanoseconds.seconds(10)
  /// How long a client may take to read an answer.
  public static let answerTime = Nanoseconds.seconds(30)
  /// How long the client may take to close the connection after the last answer.
  public static let closingTime = Nanoseconds.seconds(1)
  public static let pingInterval = Nanoseconds.seconds(15)
  /// A page from which nothing is received for this time is disconnected.
  public static let silence = Nanoseconds.seconds(30)
  /// How long the box may take to answer.
  public static let boxTime = Nanoseconds.seconds(5)
  /// The same for a person who presses a pedal to be learned.
  public static let learningTime = Nanoseconds.seconds(30)
  public static let phones = 8
  /// The longest name of a phone, in Unicode scalars.
  public static let phoneName = 40
  /// How many phones may ask to be paired at the same time: of all addresses, of one, and of one address with the same browser.
  public static let requests = 12
  public static let requestsPerAddress = 6
  public static let requestsPerBrowser = 2
  /// How long a phone may wait for the confirmation.
  public static let requestLife = Nanoseconds.seconds(300)
  /// The time from the start of a number that the box shows to the start of the next one: 6.2 seconds for the longest, and time to press.
  public static let numberTime = Nanoseconds.seconds(10)

  /// All messages of a page. A page that sends more is disconnected.
  static var messages: RateLimit { RateLimit(perSecond: 100, burst: 200) }
  /// The messages of a page that are passed to the box. Those beyond the limit are refused.
  static var commands: RateLimit { RateLimit(perSecond: 20, burst: 20) }
  /// The same for all pages. The box accepts 50 messages a second.
  static var allCommands: RateLimit { RateLimit(perSecond: 50, burst: 50) }
  /// The same for all pages of phones that are not paired, so that they leave enough for the others.
  static var visitors: RateLimit { RateLimit(perSecond: 10, burst: 20) }
  /// New requests to be paired, of one address and browser.
  static var attempts: RateLimit { RateLimit(perSecond: 1, burst: 5) }
}
