import MetronomeCore

/// The condition of the box, as its companions show it.
public struct BoxHealth: Hashable, Sendable {
  /// 99 % of the beats were at most this late; nil before the first beat.
  public var lateness: Nanoseconds?
  public var skippedBeats: UInt64
  public var underruns: UInt64
  /// The state of the sound card in words; empty without sound.
  public var audio: String
  /// The same of the second sound card.
  public var secondAudio: String
  /// Whether the lines of the chip are there.
  public var hasLines: Bool

  public init(
    lateness: Nanoseconds? = nil, skippedBeats: UInt64 = 0, underruns: UInt64 = 0, audio: String = "",
    secondAudio: String = "", hasLines: Bool = true
  ) {
    (self.lateness, self.skippedBeats, self.underruns) = (lateness, skippedBeats, underruns)
    (self.audio, self.secondAudio, self.hasLines) = (audio, secondAudio, hasLines)
  }
}

extension ControlMessage {
  /// The message `state`.
  ///
  /// - Parameters:
  ///   - ramp: the ramp that plays, or that a start would play; nil: none.
  ///   - current: the tempo that is played now.
  ///   - next: the next tempo of the steps that play, and in how many beats it begins; nil: none.
  ///   - clocks: the time of the message.
  package static func state(
    _ state: MetronomeState, _ trainer: Trainer, _ ramp: TempoSteps?, current: Tempo,
    next: (tempo: Tempo, beats: Int64)? = nil, refusesTempo: Bool, _ health: BoxHealth, _ clocks: ClockPair
  ) -> ControlMessage {
    let score = state.score
    var message = ControlMessage(
      "state",
      [
        "playing": state.isPlaying ? "1" : "0", "tempo": state.tempo.number,
        "quarters": decimal(thousandths: Int((Double(state.tempo.milliBPM) * state.unit.quarters).rounded())),
        "current": current.number, "next-tempo": next?.tempo.number, "next-beats": next.map { String($0.beats) },
        "signature": state.signature.description, "beat": state.unit.description, "rhythm": state.rhythm.text,
        "text": state.barText, "levels": levels(of: state.bar), "silent": state.isSilent ? "1" : "0",
        "volume": state.volume.number, "set": state.set.name, "trainer": state.trainer,
        "follows": state.source?.kind ?? "none",
        "source": state.source?.text ?? "", "refuses-tempo": refusesTempo ? "1" : "0",
      ])
    message.append(trainer, ramp)
    message.append("score", shortened(score?.score))
    message.append("song", shortened(score?.name))
    message.append("song-number", String(score.map { $0.song + 1 } ?? 0))
    message.append("songs", String(score?.songs ?? 0))
    message.append("section", shortened(score?.label))
    message.append("section-bar", String(score.map { $0.firstBar + 1 } ?? 0))
    message.append("speed", decimal(thousandths: (score?.speed ?? 1_000) * 100))
    message.append("waiting", score?.isWaiting == true ? "1" : "0")
    message.append("loaded", score == nil ? "0" : "1")
    if let lateness = health.lateness { message.append("late-us", String((lateness.count + 999) / 1_000)) }
    message.append("skipped", String(health.skippedBeats))
    message.append("xruns", String(health.underruns))
    message.append("audio", health.audio)
    if !health.secondAudio.isEmpty { message.append("second-audio", health.secondAudio) }
    message.append("lines", health.hasLines ? "1" : "0")
    message.append(clocks)
    return message
  }

  /// Which parts are on, and their values, or the values with which a command would switch them on.
  private mutating func append(_ trainer: Trainer, _ ramp: TempoSteps?) {
    let parts = [
      ("ramp", ramp != nil), ("gap", trainer.gap != nil), ("drop", trainer.filter.dropPercent > 0),
      ("timer", trainer.isTimed),
    ]
    append("trainer-on", parts.filter(\.1).map(\.0).joined(separator: ","))
    append("ramp", (ramp ?? trainer.ramp)?.text ?? "")
    append("gap", trainer.gap?.text ?? "")
    append("drop", String(trainer.drop))
    append("timer", trainer.timer?.text ?? "")
  }

  /// Names are cut, so that the message is not too long.
  package static func shortened(_ name: String?) -> String {
    guard let name, name.unicodeScalars.count > 100 else { return name ?? "" }
    return String(String.UnicodeScalarView(name.unicodeScalars.prefix(99))) + "…"
  }

  /// The level of each beat of a bar, as one letter each.
  private static func levels(of bar: Bar) -> String {
    let timeline = Timeline(session: 1, firstBeat: .zero, tempo: .initial, bar: bar)
    return (0..<Int64(bar.metre.beatsInBar)).map { String(timeline.knownBeat($0).level.letter) }.joined()
  }

  /// The message `timeline`: the last beat, and those of the next second.
  package static func timeline(_ timeline: Timeline, _ clocks: ClockPair) -> ControlMessage {
    let now = clocks.monotonic
    guard timeline.isPlaying, let last = timeline.lastBeat(atOrBefore: now) ?? timeline.firstBeat(atOrAfter: now) else {
      var message = ControlMessage("timeline", ["session": "0", "playing": "0"])
      message.append(clocks)
      return message
    }
    var (offsets, places, levels, ends) = ([String](), [String](), String(last.letter), false)
    var beat = last
    while offsets.count < mostBeats, offsets.count < leastBeats || beat.instant < now + .seconds(1) {
      beat = timeline.knownBeat(beat.index + 1)
      // The end of a song, or a pause without an end.
      ends = beat.instant - now >= .seconds(3_600)
      if ends { break }
      offsets.append(String((beat.instant - last.instant).count))
      places.append(String(beat.position))
      levels.append(beat.letter)
    }
    var message = ControlMessage(
      "timeline",
      [
        "session": String(timeline.session), "playing": "1", "beat": String(last.index), "bar": String(last.bar),
        "place": String(last.position), "beats": String(timeline.bar(ofBeat: last.index)?.metre.beatsInBar ?? 0),
        "at": String(last.instant.nanoseconds), "next": offsets.joined(separator: ","),
        "places": places.joined(separator: ","), "levels": levels, "ends": ends ? "1" : "0",
        "quarter-us": timeline.tempo(at: now).map { decimal(thousandths: 60_000_000_000_000 / Int($0.milliBPM)) },
      ])
    message.append(clocks)
    return message
  }

  private static let leastBeats = 2
  private static let mostBeats = 16

  package mutating func append(_ clocks: ClockPair) {
    append("now", String(clocks.monotonic.nanoseconds))
    append("raw", String(clocks.raw.nanoseconds))
  }
}

extension Beat {
  /// Its level; a dash if it is in a gap, or dropped.
  fileprivate var letter: Character { isSilent ? "-" : level.letter }
}

extension Level {
  fileprivate var letter: Character {
    switch self {
    case .strong: "s"
    case .medium: "m"
    case .weak: "w"
    case .ghost: "g"
    case .rest: "r"
    }
  }
}
