import MetronomeCore

/// Which phones may command the box, and which ask to. Only the hashes of their tokens are known.
///
/// A phone asks first, and gets a token that is worth nothing yet, and a number. When a person has opened the window at the box, the
/// box shows the numbers of the phones that ask, one after the other, and the person confirms one. Nobody but the person at the box
/// learns of the window.
public struct Pairing: Sendable {
  /// The SHA-256 of a token.
  public typealias Hash = [UInt8]

  /// A paired phone.
  public struct Phone: Hashable, Sendable {
    public var hash: Hash
    /// What its page called it.
    public var name: String
    /// When it was paired, in seconds since 1970; nil: before the box stored this.
    public var date: Int64?

    /// The first digits of the hash, by which a page names the phone. They tell nothing about the token.
    public var key: String { String(Encoding.hexadecimal(hash).prefix(16)) }
  }

  /// A phone that asks to be paired.
  private struct Request {
    /// Requests are counted, so that each is shown in its turn.
    var place: Int
    var number: Int
    var hash: Hash
    var name: String
    var asker: Asker
    var end: Instant
  }

  /// Whoever asks. One address may belong to several people, as behind a router; their browsers often differ.
  public struct Asker: Hashable, Sendable {
    /// The address, or the part of it that a person has for himself; all devices of a home may have the same.
    public var network: String
    public var address: String
    /// What the browser calls itself.
    public var browser: String

    public init(network: String, address: String, browser: String) {
      (self.network, self.address, self.browser) = (network, address, browser)
    }
  }

  /// In the order in which they were paired.
  public private(set) var phones: [Phone]
  /// In the order in which they came.
  private var requests: [Request] = []
  private var asked = 0
  private var displaced: Hash?
  private var windowEnd: Instant?
  /// When the next number is shown, and the place of the request that was shown last.
  private var showsAt: Instant?
  private var lastShown = 0
  private var attempts: [(asker: Asker, limit: RateLimit)] = []

  /// - Parameter text: what ``text`` was; lines that begin with no hash are ignored.
  public init(text: String = "") {
    phones = Array(text.split(separator: "\n").compactMap { Phone(line: $0) }.suffix(Limits.phones))
  }

  /// The phones as a file: in each line a hash, the time, and the name.
  public var text: String { phones.map(\.line).joined() }

  // MARK: Asking

  /// The answer to a phone that asks.
  public enum Answer: Hashable, Sendable {
    /// It may command already.
    case paired
    /// The box shows this number. With a new request its token, which is worth nothing until the box confirms it.
    case asks(number: Int, token: String?)
    /// Too often, or too many phones ask at once.
    case refused
  }

  /// Answers a phone that asks to be paired. The answer does not depend on the window.
  ///
  /// - Parameters:
  ///   - known: what ``known(_:)`` returned for its tokens.
  ///   - name: what its page calls it; it is shortened to ``Limits/phoneName`` characters that can be shown.
  ///   - random: 16 bytes that nobody can guess.
  public mutating func ask(
    as known: Hash? = nil, name: String, from asker: Asker, random: () -> [UInt8], at now: Instant
  ) -> Answer {
    if let known, isPaired(known) { return .paired }
    requests.removeAll { $0.end <= now }
    if let request = requests.first(where: { $0.hash == known }) {
      return .asks(number: request.number, token: nil)
    }
    guard countAttempt(of: asker, at: now), makeRoom(for: asker) else { return .refused }
    // A new request never gets the number of another one, which a person may be about to confirm.
    let token = Encoding.hexadecimal(random())
    let hash = Pairing.hash(of: token)
    let number = freeNumber(from: hash.prefix(4).reduce(0) { $0 << 8 | Int($1) })
    asked += 1
    let end = now + Limits.requestLife
    requests.append(
      Request(place: asked, number: number, hash: hash, name: Phone.shown(name), asker: asker, end: end))
    return .asks(number: number, token: token)
  }

  /// Whether another request has a place. If all are taken, the newest request of whoever has most of them gives way: of the network, in
  /// it of the address, in it of the browser. If that is the asker himself, it is refused.
  private mutating func makeRoom(for asker: Asker) -> Bool {
    guard requests.count(where: { $0.asker == asker }) < Limits.requestsPerBrowser else { return false }
    let own = requests.indices.filter { requests[$0].asker.address == asker.address }
    guard own.count >= Limits.requestsPerAddress || requests.count >= Limits.requests else { return true }
    var crowd = own.count >= Limits.requestsPerAddress ? own : Array(requests.indices)
    var isOfAsker = true
    for part in [\Asker.network, \Asker.address, \Asker.browser] {
      let sizes = Dictionary(crowd.map { (requests[$0].asker[keyPath: part], 1) }, uniquingKeysWith: +)
      let most = sizes.values.max() ?? 0
      isOfAsker = isOfAsker && sizes[asker[keyPath: part], default: 0] + 1 >= most
      let largest =
        isOfAsker ? asker[keyPath: part] : crowd.map { requests[$0].asker[keyPath: part] }.last { sizes[$0] == most }
      crowd.removeAll { requests[$0].asker[keyPath: part] != largest }
    }
    guard !isOfAsker, let index = crowd.last else { return false }
    displaced = requests.remove(at: index).hash
    return true
  }

  /// The phone whose request has given way to the last one.
  mutating func takeDisplaced() -> Hash? {
    defer { displaced = nil }
    return displaced
  }

  /// Three digits from 1 to 6, which flashes show within 7 seconds.
  private func freeNumber(from random: Int) -> Int {
    var number = 111
    for shift in 0..<216 {
      let value = (random + shift) % 216
      number = 111 + value / 36 * 100 + value / 6 % 6 * 10 + value % 6
      if !requests.contains(where: { $0.number == number }) { break }
    }
    return number
  }

  /// The number of a phone that asks; nil: it does not, or no longer.
  public func number(of hash: Hash, at now: Instant) -> Int? {
    requests.first { $0.hash == hash && $0.end > now }?.number
  }

  // MARK: The box

  /// A person has opened the window at the box, for at most 10 minutes; with 0 seconds it is shut.
  public mutating func open(seconds: Int64, at now: Instant) {
    guard seconds > 0 else { return shut() }
    if windowEnd.map({ $0 <= now }) ?? true { (showsAt, lastShown) = (now, 0) }
    windowEnd = now + .seconds(min(seconds, 600))
  }

  public mutating func shut() { windowEnd = nil }

  /// The number that the box must show now, one after the other; nil: none.
  public mutating func numberToShow(at now: Instant) -> Int? {
    guard let showsAt, now >= showsAt, windowEnd.map({ now < $0 }) ?? false else { return nil }
    // A number stays valid while it is shown.
    let shown = requests.filter { $0.end > now + Limits.numberTime * 2 }
    guard let request = shown.first(where: { $0.place > lastShown }) ?? shown.first else { return nil }
    (self.showsAt, lastShown) = (now + Limits.numberTime, request.place)
    return request.number
  }

  /// When ``numberToShow(at:)`` must be called; nil: not before the window or the requests change.
  var deadline: Instant? {
    guard windowEnd != nil, let showsAt, let end = requests.map(\.end).max() else { return nil }
    guard showsAt + Limits.numberTime * 2 < end else { return nil }
    return showsAt
  }

  /// The person at the box has confirmed a number. With eight phones, the one that was paired first is forgotten.
  ///
  /// - Parameter date: now, in seconds since 1970.
  /// - Returns: the phone; nil: its request is over.
  public mutating func confirm(_ number: Int, date: Int64, at now: Instant) -> Phone? {
    shut()
    guard let index = requests.firstIndex(where: { $0.number == number && $0.end > now }) else { return nil }
    let request = requests.remove(at: index)
    let phone = Phone(hash: request.hash, name: request.name, date: date)
    phones = phones.suffix(Limits.phones - 1) + [phone]
    return phone
  }

  // MARK: Paired phones

  /// The hash of a token that belongs to a phone that is paired, or that asks to be.
  public func known(_ tokens: [String]) -> Hash? {
    let hashes = tokens.map(Pairing.hash)
    return hashes.first(where: isPaired) ?? hashes.first { hash in requests.contains { $0.hash == hash } }
  }

  public func isPaired(_ hash: Hash) -> Bool {
    // All are compared, so that the time does not depend on which one it is.
    phones.reduce(false) { isEqualInConstantTime($1.hash, hash) || $0 }
  }

  /// Forgets one phone. Returns its name; nil: there is no such phone.
  public mutating func forget(key: String) -> String? {
    guard let index = phones.firstIndex(where: { $0.key == key }) else { return nil }
    return phones.remove(at: index).name
  }

  public mutating func forgetAll() { phones = [] }

  private static func hash(of token: String) -> Hash { SHA256.hash(Array(token.utf8)) }

  /// The table is bounded: who has waited longest is replaced.
  private mutating func countAttempt(of asker: Asker, at now: Instant) -> Bool {
    if let index = attempts.firstIndex(where: { $0.asker == asker }) { return attempts[index].limit.admit(at: now) }
    if attempts.count == Limits.connections,
      let oldest = attempts.indices.min(by: { attempts[$0].limit.isFreeAt < attempts[$1].limit.isFreeAt })
    {
      attempts.remove(at: oldest)
    }
    var limit = Limits.attempts
    let isAllowed = limit.admit(at: now)
    attempts.append((asker, limit))
    return isAllowed
  }
}

extension Pairing.Phone {
  /// A line of the file.
  fileprivate init?(line: Substring) {
    let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count == 3, let hash = Encoding.bytes(hexadecimal: words[0]), hash.count == 32 else { return nil }
    self.init(hash: hash, name: Self.shown(String(words[2])), date: Int64(words[1]))
  }

  fileprivate var line: String { "\(Encoding.hexadecimal(hash)) \(date.map(String.init) ?? "-") \(name)\n" }

  /// A name in one line, without characters that change others.
  fileprivate static func shown(_ name: String) -> String {
    let scalars = name.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
      default: true
      }
    }
    var kept = String.UnicodeScalarView()
    kept.append(contentsOf: scalars.prefix(Limits.phoneName))
    let words = String(kept).split(separator: " ").joined(separator: " ")
    return words.isEmpty ? "phone" : words
  }
}
