/// The text on a display of four characters with a colon in the middle.
///
/// Only characters that seven segments can show are used: digits, space, `-`, and the letters of ``letters``.
public struct DisplayText: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// The letters that seven segments can show.
  public static let letters = "AEFPSUabdinortu"

  /// The ASCII codes of the four characters, the left one in the lowest byte.
  private var codes: UInt32
  /// Whether the colon between the second and the third character is on.
  public var hasColon: Bool

  public static let blank = DisplayText("    ")

  /// - Precondition: four characters that seven segments can show.
  public init(_ text: String, hasColon: Bool = false) {
    precondition(text.utf8.count == 4, "a display has four characters")
    codes = 0
    self.hasColon = hasColon
    for (place, code) in text.utf8.enumerated() {
      let character = Character(UnicodeScalar(code))
      precondition(
        (0x30...0x39).contains(code) || " -".contains(character) || DisplayText.letters.contains(character),
        "seven segments cannot show this character")
      codes |= UInt32(code) << UInt32(8 * place)
    }
  }

  /// The ASCII code of a character.
  ///
  /// - Parameter place: 0 (left) to 3.
  public subscript(place: Int) -> UInt8 {
    precondition((0..<4).contains(place), "a display has four characters")
    return UInt8(truncatingIfNeeded: codes >> UInt32(8 * place))
  }

  /// Four characters, or five with the colon: ` 120`, ` 6:8 `.
  public var description: String {
    let characters = (0..<4).map { String(UnicodeScalar(self[$0])) }
    return characters[0] + characters[1] + (hasColon ? ":" : "") + characters[2] + characters[3]
  }
}

extension DisplayText {
  /// The tempo in its beat unit, rounded to whole beats per minute, half up: ` 120`.
  public init(_ tempo: Tempo) { self.init(aligned((Int(tempo.milliBPM) + 500) / 1_000, to: 4)) }

  /// A signature around the colon: ` 6:8 `, `12:16`.
  public init(_ signature: Signature) {
    let denominator = "\(signature.denominator)"
    self.init(
      aligned(signature.numerator, to: 2) + denominator + (denominator.count < 2 ? " " : ""), hasColon: true)
  }

  /// The volume as the number of its step, from `U  0` to `U 24`.
  public init(_ volume: Volume) { self.init("U" + aligned(Volume.all.count - 1 - volume.stepsDown, to: 3)) }

  /// The place of a preset, counted from 1: `P 12`. From 1,000 on, the last three digits are shown.
  public init(preset place: Int) { self.init("P" + aligned(place % 1_000, to: 3)) }

  /// A bar, counted from 0; shown counted from 1: `b  9`. From 1,000 on there is no letter; from 10,000 on, the last four
  /// digits are shown.
  ///
  /// - Precondition: `bar` is not negative.
  public init(bar: Int64) {
    let number = Int(bar % 1_000_000) + 1
    if number < 1_000 {
      self.init("b" + aligned(number, to: 3))
    } else {
      self.init(String("\(number % 10_000 + 10_000)".suffix(4)))
    }
  }

  /// The reply to a command.
  public init(_ reply: Reply) {
    switch reply {
    case .tempo(let tempo): self.init(tempo)
    case .signature(let signature): self.init(signature)
    case .number(let number): self.init(aligned(number % 10_000, to: 4))
    case .stored: self.init("donE")
    case .pairing: self.init("PAir")
    case .refused: self.init("----")
    }
  }
}

/// A number with spaces before it.
private func aligned(_ number: Int, to width: Int) -> String {
  let digits = "\(number)"
  return String(repeating: " ", count: max(0, width - digits.count)) + digits
}

/// A fault that lasts until it is fixed. Its number is shown after an `E`.
public enum DisplayFault: Int, Hashable, Sendable, CaseIterable {
  /// A sound card that has played is missing or fails.
  case sound = 1
  /// The state cannot be saved.
  case state = 2
  /// The new configuration has an error; the old one remains active.
  case configuration = 3

  /// The text on a display: `E  1`.
  public var text: DisplayText { DisplayText("E  \(rawValue)") }
}

/// What a display is to show, from which ``DisplayProjection`` makes the text.
public struct DisplayContent: Hashable, Sendable {
  public var tempo: Tempo
  public var signature: Signature
  public var volume: Volume
  public var isPlaying: Bool
  /// The preset that was recalled last, counted from 1.
  public var preset: Int?
  /// The number of recalls so far.
  public var recalls: UInt64
  /// The song and the bar at which its section begins, each counted from 0; nil without a score.
  public var song: Int?
  public var bar: Int64?
  /// The last reply.
  public var reply: Reply?
  /// The number of replies so far.
  public var replies: UInt64 = 0

  public init(_ state: MetronomeState, preset: Int? = nil, recalls: UInt64 = 0) {
    tempo = state.tempo
    signature = state.signature
    volume = state.volume
    isPlaying = state.isPlaying
    (self.preset, self.recalls) = (preset, recalls)
    song = state.score?.song
    bar = state.score?.firstBar
  }
}

/// The text that a display shows at each instant. Normally this is the tempo. After a change it is the changed value for two seconds.
/// While the metronome is stopped, the tempo and the faults alternate. The instants of the calls must not go back.
public struct DisplayProjection: Sendable {
  /// How long a change is shown.
  public static let hold = Nanoseconds.seconds(2)
  /// How long the tempo and each fault are shown in turn while the metronome is stopped.
  public static let alternation = Nanoseconds.seconds(2)

  private var content: DisplayContent
  private var faults: [DisplayFault] = []
  /// When the alternation began.
  private var faultsBegan = Instant.zero
  private var change: (text: DisplayText, words: String?, end: Instant)?

  /// The first content counts as no change.
  public init(_ content: DisplayContent) { self.content = content }

  /// Shows another content from now on. Of several changes at once the first of these is shown: a reply, a preset, a bar, a
  /// signature, a volume, a tempo.
  public mutating func show(_ new: DisplayContent, faults: Set<DisplayFault>, at now: Instant) {
    let old = content
    content = new
    let sorted = DisplayFault.allCases.filter(faults.contains)
    if sorted != self.faults || new.isPlaying != old.isPlaying { (self.faults, faultsBegan) = (sorted, now) }
    if let text = DisplayProjection.text(of: new, after: old) {
      change = (text, DisplayProjection.words(of: new, after: old), now + DisplayProjection.hold)
    }
  }

  /// The words for a change that a page of a screen does not show by itself; nil for others.
  private static func words(of new: DisplayContent, after old: DisplayContent) -> String? {
    if new.replies != old.replies, let reply = new.reply { return reply.words }
    return new.volume != old.volume ? "volume \(new.volume)" : nil
  }

  /// The text of what has changed; nil if nothing has.
  private static func text(of new: DisplayContent, after old: DisplayContent) -> DisplayText? {
    if new.replies != old.replies, let reply = new.reply { return DisplayText(reply) }
    if new.recalls > old.recalls, let preset = new.preset { return DisplayText(preset: preset) }
    if new.song != old.song || new.bar != old.bar, let bar = new.bar { return DisplayText(bar: bar) }
    if new.signature != old.signature { return DisplayText(new.signature) }
    if new.volume != old.volume { return DisplayText(new.volume) }
    if new.tempo != old.tempo { return DisplayText(new.tempo) }
    return nil
  }

  public func text(at now: Instant) -> DisplayText {
    if let change, now < change.end { return change.text }
    return fault(at: now)?.text ?? DisplayText(content.tempo)
  }

  /// What a screen shows below its page instead of what comes next: a reply, another volume, or, while stopped, a fault; nil: nothing.
  package func notice(at now: Instant) -> String? {
    if let change, now < change.end, let words = change.words { return words }
    return fault(at: now)?.words
  }

  /// The fault whose turn it is.
  private func fault(at now: Instant) -> DisplayFault? {
    guard !content.isPlaying, !faults.isEmpty else { return nil }
    let turn = Int(turns(at: now) % Int64(faults.count + 1))
    return turn == 0 ? nil : faults[turn - 1]
  }

  /// When the text changes next if the content stays the same; nil: never.
  public func nextChange(after now: Instant) -> Instant? {
    if let change, now < change.end { return change.end }
    guard !content.isPlaying, !faults.isEmpty else { return nil }
    return faultsBegan + DisplayProjection.alternation * (turns(at: now) + 1)
  }

  private func turns(at now: Instant) -> Int64 { (now - faultsBegan).count / DisplayProjection.alternation.count }
}
