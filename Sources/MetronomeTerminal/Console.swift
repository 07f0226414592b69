import MetronomeCore

/// The state that keys leave for later keys: a partly typed tempo, a hold of the next key, the help.
package struct Console {
  /// The result of a key.
  package enum Action: Equatable {
    case press(Button, isHeld: Bool)
    case release
    case chord(Button, Button)
    case turn(Dial, by: Int)
    case nextClickSet
    case setTempo(Tempo)
    /// Stops the program until the shell continues it.
    case suspend
    case quit
  }

  /// A typed tempo is complete after this time without a key.
  package static let pause = Nanoseconds.seconds(1)
  /// How long a message is shown, unless a key is pressed earlier.
  package static let messageTime = Nanoseconds.seconds(4)
  /// A longer number is refused. It fits into 40 columns, and no tempo is that long.
  private static let maxDigits = 16

  /// The tempo typed so far.
  package private(set) var typed = ""
  /// Whether the next key is held.
  package private(set) var holdsNext = false
  /// Whether the beat fills the terminal, and how dim that is, from 0 to ``dimmest``.
  package private(set) var isStage = false
  package private(set) var dimming = 0
  package static let dimmest = 3
  /// The page of the help that is shown, from 0; nil: none.
  package private(set) var helpPage: Int?
  /// The number of pages of the help on this terminal.
  package var helpPages = 1
  /// The message to the user; nil: none.
  package private(set) var message: String?
  /// The number of messages so far: the same message again counts as a new message.
  package private(set) var messageCount = 0
  /// When the typed tempo is complete, or the message disappears.
  package private(set) var deadline: Instant?

  package init() {}

  /// Processes a key. If a button is held, the key only releases it.
  ///
  /// - Returns: the resulting actions, in order. A key after a typed tempo sets that tempo first.
  package mutating func act(on key: Key, isHolding: Bool, at now: Instant) -> [Action] {
    (message, deadline) = (nil, nil)
    if key == .quit { return [.quit] }
    if isHolding { return [.release] }
    if let page = helpPage {
      helpPage = page + 1 < helpPages ? page + 1 : nil
      return []
    }
    let isHeld = holdsNext
    holdsNext = false
    if let text = typed(with: key) {
      typed = text
      deadline = text.isEmpty ? nil : now + Console.pause
      return []
    }
    if key == .enter, !typed.isEmpty { return confirm(at: now) }
    return confirm(at: now) + act(on: key, isHeld: isHeld, at: now)
  }

  /// The typed text with this key added; nil if the key is not part of a number.
  private func typed(with key: Key) -> String? {
    switch key {
    case .digit(let digit): String((typed + String(digit)).prefix(Console.maxDigits))
    case .point: String((typed + ".").prefix(Console.maxDigits))
    case .erase where !typed.isEmpty: String(typed.dropLast())
    case .escape: ""
    default: nil
    }
  }

  private mutating func act(on key: Key, isHeld: Bool, at now: Instant) -> [Action] {
    switch key {
    case .press(let button): return [.press(button, isHeld: isHeld)]
    case .enter: return [.press(.play, isHeld: isHeld)]
    case .chord(let one, let other):
      if isHeld { say(Console.onlyButtons, at: now) }
      return [.chord(one, other)]
    case .turn(let dial, let detents):
      if isHeld { say(Console.onlyButtons, at: now) }
      return [.turn(dial, by: detents)]
    case .nextClickSet:
      if isHeld { say(Console.onlyButtons, at: now) }
      return [.nextClickSet]
    case .stage: isStage.toggle()
    case .dim where isStage: dimming = (dimming + 1) % (Console.dimmest + 1)
    case .dim: say("o dims the large beat; l shows it", at: now)
    case .hold: holdsNext = !isHeld
    case .help: helpPage = 0
    case .suspend: return [.suspend]
    case .other, .erase: say("this key does nothing; ? shows the keys", at: now)
    case .digit, .point, .escape, .quit: break
    }
    return []
  }

  /// Sets the typed tempo and removes the message. Call it at ``deadline``.
  package mutating func pass(at now: Instant) -> [Action] {
    guard let deadline, deadline <= now else { return [] }
    (message, self.deadline) = (nil, nil)
    return confirm(at: now)
  }

  private mutating func confirm(at now: Instant) -> [Action] {
    guard !typed.isEmpty else { return [] }
    let text = typed
    (typed, deadline) = ("", nil)
    if text.count < Console.maxDigits, let tempo = Tempo(decimal: text.hasSuffix(".") ? text.dropLast() : text[...]) {
      return [.setTempo(tempo)]
    }
    say("\(text) \(Console.error(in: text)); type 1 to 999", at: now)
    return []
  }

  /// Why a typed text is not a tempo.
  private static func error(in text: String) -> String {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    if text.count == maxDigits { return "is too long" }
    if parts.count > 2 || text == "." { return "is not a number" }
    if parts.count == 2, parts[1].count > 3 { return "has more than three decimals" }
    return "is not a tempo"
  }

  /// Shows a message; does nothing if `text` is nil.
  package mutating func say(_ text: String?, at now: Instant) {
    guard let text else { return }
    (message, deadline) = (text, now + Console.messageTime)
    messageCount += 1
  }

  /// Closes the help. On a terminal that only appends text, the help is printed at once and needs no key.
  package mutating func closeHelp() { helpPage = nil }

  /// The message for a press that stops a score or a ramp: the tempo that was reached, and that it will be reached anew. `state` is
  /// that before the press.
  package static func remark(
    stopping state: MetronomeState, inRamp: Bool, _ timeline: Timeline, at now: Instant
  ) -> String? {
    guard state.isPlaying, let score = state.score, !score.isWaiting else { return nil }
    let reached = state.tempoText(in: timeline, at: now)
    return "stopped at \(reached); a start plays this \(inRamp ? "ramp" : "section") again"
  }

  private static let onlyButtons = "only a single button can be held"

  /// The message for a command that the box answers by blinking, or does not carry out. `memory` is the state before it,
  /// `isKept` whether what is stored outlives the program.
  package static func remark(on command: Command?, _ memory: SavedState, isKept: Bool = true) -> String? {
    switch command {
    case nil: "this key has no command in the configuration"
    case .recallPreset(let place) where memory.presets[place: place] == nil: "no preset \(place)"
    case .recallPreset(let place) where memory.presets[place: place]?.place?.score != memory.place?.score:
      memory.presets[place: place]?.place.map { "preset \(place) is in the score \(shownName($0.score))" }
        ?? "preset \(place) is not in this score"
    case .nextPreset, .previousPreset: memory.presets.count == 0 ? "no presets yet" : nil
    case .storePreset(let place): isKept ? "stored as preset \(place)" : "preset \(place) is stored until you quit"
    default: nil
    }
  }
}
