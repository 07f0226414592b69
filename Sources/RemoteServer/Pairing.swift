import MetronomeCore

/// Which phones may command the box. Only the hashes of their tokens are known.
public struct Pairing: Sendable {
  /// A phone: the SHA-256 of its token.
  public typealias Phone = [UInt8]

  /// In the order in which they were paired.
  public private(set) var phones: [Phone]
  private var windowEnd: Instant?
  private var attempts: [(address: String, limit: RateLimit)] = []

  /// - Parameter text: what ``text`` was; lines that are no hashes are ignored.
  public init(text: String = "") {
    phones = Array(
      text.split(separator: "\n").compactMap { Encoding.bytes(hexadecimal: $0) }.filter { $0.count == 32 }
        .suffix(Limits.phones))
  }

  /// The phones as a file: a hash in each line.
  public var text: String { phones.map { Encoding.hexadecimal($0) + "\n" }.joined() }

  /// Lets one phone pair until the time is over. At most 10 minutes.
  public mutating func open(seconds: Int64, at now: Instant) {
    windowEnd = now + .seconds(min(max(seconds, 0), 600))
  }

  public mutating func shut() { windowEnd = nil }

  /// The seconds until the window is shut, rounded up; 0: it is shut.
  public func window(at now: Instant) -> Int64 {
    guard let windowEnd, windowEnd > now else { return 0 }
    return ((windowEnd - now).count + 999_999_999) / 1_000_000_000
  }

  /// What happened to an attempt to pair.
  public enum Attempt: Hashable, Sendable {
    case paired(token: String)
    case shut
    case tooMany
  }

  /// Pairs a phone if the window is open, and shuts it. With eight phones, the one that was paired first is forgotten.
  ///
  /// - Parameter random: 16 bytes that nobody can guess.
  public mutating func pair(from address: String, random: () -> [UInt8], at now: Instant) -> Attempt {
    guard countAttempt(of: address, at: now) else { return .tooMany }
    guard window(at: now) > 0 else { return .shut }
    windowEnd = nil
    let token = Encoding.hexadecimal(random())
    phones = phones.suffix(Limits.phones - 1) + [Pairing.phone(of: token)]
    return .paired(token: token)
  }

  /// The paired phone that one of the tokens belongs to.
  public func phone(withOneOf tokens: [String]) -> Phone? {
    tokens.map(Pairing.phone(of:)).first(where: isPaired)
  }

  public func isPaired(_ phone: Phone) -> Bool {
    // All are compared, so that the time does not depend on which one it is.
    phones.reduce(false) { isEqualInConstantTime($1, phone) || $0 }
  }

  public mutating func forgetAll() { phones = [] }

  private static func phone(of token: String) -> Phone { SHA256.hash(Array(token.utf8)) }

  /// The table is bounded: the address that has waited longest is replaced.
  private mutating func countAttempt(of address: String, at now: Instant) -> Bool {
    if let index = attempts.firstIndex(where: { $0.address == address }) { return attempts[index].limit.admit(at: now) }
    if attempts.count == Limits.connections,
      let oldest = attempts.indices.min(by: { attempts[$0].limit.isFreeAt < attempts[$1].limit.isFreeAt })
    {
      attempts.remove(at: oldest)
    }
    var limit = Limits.attempts
    let isAllowed = limit.admit(at: now)
    attempts.append((address, limit))
    return isAllowed
  }
}
