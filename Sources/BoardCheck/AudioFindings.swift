import CLibrary
import HardwareAbstraction
import MetronomeCore

extension BoardFacts {
  var audioFindings: [Finding] {
    [Finding](
      .sound,
      ["card": card, "mixer": opened.flatMap(mixer), "clock": opened.map(clock), "buffer": buffer, "volume": volume])
      + (asSecondCard?.secondCardFindings ?? [])
  }

  private var secondCardFindings: [Finding] {
    [Finding](
      .sound,
      [
        "second card": card, "second mixer": opened.flatMap(mixer), "second clock": opened.map(clock),
        "second buffer": buffer,
      ])
  }

  /// The same box with the second card in the place of the first; nil: none is configured.
  private var asSecondCard: BoardFacts? {
    guard let secondCard, case .good(let wiring, _, let volume) = configuration.outcome else { return nil }
    var facts = self
    facts.configuration.outcome = .good(wiring, secondCard.request, volume: volume)
    (facts.audio, facts.secondCard, facts.audioKey) = (secondCard.audio, nil, "audio.second")
    return facts
  }

  private var opened: AudioFacts.Opened? { if case .opened(let card) = audio?.outcome { card } else { nil } }

  /// Whether the requested card could be opened.
  public var hasCard: Bool { opened != nil }

  private var playing: [AudioFacts.Card] { (audio?.cards ?? []).filter { $0.device != nil } }

  private var card: Verdict {
    guard configuration.audio != nil else { return .absent("not checked: the configuration has an error") }
    switch audio?.outcome {
    case nil: return .absent("not checked: this build has no hardware support")
    case .notWanted: return .absent("no sound card is configured (\(audioKey).device: none)")
    case .opened(let card): return granted(card)
    case .refused(let error): return error.kind == .busy ? busy : refused(error)
    case .hangs:
      return .wrong(
        "the sound card does not answer",
        remedy: "unplug it and plug it in again, or restart the machine; dmesg shows the kernel's messages")
    }
  }

  private func refused(_ error: HardwareError) -> Verdict {
    let listed = playing.map(\.id).joined(separator: ", ")
    if let refusal = devices.audio.first(where: { !$0.isUsable }), playing.isEmpty {
      return unusable("\(caller.name) has no permission to open \(refusal.path)", "audio", devices.audio)
    }
    if case .named(let name) = configuration.audio?.device { return named(name, error, listed) }
    if let screen = playing.first(where: \.isScreen), playing.allSatisfy(\.isScreen) {
      return noClicks(
        "the only sound cards are those of screens (\(listed)), which audio.device: auto does not use",
        remedy:
          "plug in a USB sound card, or set dtparam=audio=on in /boot/firmware/config.txt (not on a Pi 5); for sound"
          + " from the screen set \(audioKey).device in \(configurationFile) to \(screen.id)")
    }
    if playing.isEmpty {
      let none =
        hasOutputLine ? ", or set \(audioKey).device in \(configurationFile) to none if no clicks are wanted" : ""
      return noClicks("no sound card supports playback: no clicks", remedy: "plug in a sound card\(none)")
    }
    return .wrong(error.detail, remedy: "set \(audioKey).device in \(configurationFile) to another card (\(listed))")
  }

  private func named(_ name: String, _ error: HardwareError, _ listed: String) -> Verdict {
    let values =
      (listed.isEmpty ? "" : "one of \(listed), ") + (audioKey == "audio" ? "auto or " : "or ") + "none (no sound)"
    let found = listed.isEmpty ? "this system has no sound card" : "the cards are \(listed)"
    return .wrong(
      error.kind == .gone ? "no sound card is named \"\(name)\"; \(found)" : error.detail,
      remedy: "plug it in, or set \(audioKey).device in \(configurationFile) to \(values)")
  }

  private var busy: Verdict {
    let (name, users) = busyCard
    if users.contains(where: { $0.name == "metronome" }) || (users.isEmpty && processes.hasMetronome) {
      return .right("\(name), in use by the running metronome; not measured")
    }
    let who = users.map { "\($0.name) (process \($0.number))" }.joined(separator: ", ")
    return .wrong(
      "\(name) is in use by \(who.isEmpty ? "another program" : who)",
      remedy: (users.first.map { "end the program (kill \($0.number))" }
        ?? "find the program with sudo fuser -v /dev/snd/* and end it")
        + ", or set \(audioKey).device in \(configurationFile) to another card")
  }

  /// The busy card and the programs that use it.
  private var busyCard: (String, [ProcessFacts.Process]) {
    if case .named(let name) = configuration.audio?.device {
      let card = audio?.cards.first { card in
        name == card.id || name.hasPrefix("hw:\(card.id)") || name.contains("CARD=\(card.id)")
      }
      return (name, card.flatMap { processes.players[$0.id] } ?? [])
    }
    let cards = playing.filter { !$0.isScreen }
    let used = cards.first { processes.players[$0.id] != nil } ?? cards.first
    return (used?.id ?? "the card", used.flatMap { processes.players[$0.id] } ?? [])
  }

  /// The verdict if no click can be heard: doubtful if the box has a light or a buzzer, else wrong.
  private func noClicks(_ text: String, remedy: String) -> Verdict {
    if hasOutputLine { return .doubtful(text, remedy: remedy) }
    return .wrong(
      "\(text); no output has a line either: the box can be neither seen nor heard",
      remedy: "\(remedy); or set outputs.light.line in \(configurationFile) to the line of a light")
  }

  private var volume: Verdict? {
    guard audioIsWanted, let volume = configuration.volume, volume <= 0 else { return nil }
    let wish = hasOutputLine ? ", or \(audioKey).device to none if no clicks are wanted" : ""
    return noClicks(
      "audio.volume is 0: no click is heard", remedy: "set audio.volume in \(configurationFile) to 0.8\(wish)")
  }

  private func granted(_ card: AudioFacts.Opened) -> Verdict {
    let format = card.format
    let lead = decimal(thousandths: Int(format.bufferDuration.count / 1_000))
    var text =
      "\(card.name): \(format.rate) Hz, \(format.sampleFormat), \(counted(format.channels, "channel")),"
      + " periods of \(format.periodFrames) frames, a buffer of \(format.bufferFrames) (\(lead) ms)"
    if let request = configuration.audio {
      if format.rate != request.rate { text += "; \(request.rate) Hz were requested" }
      if format.periodFrames != request.period { text += "; a period of \(request.period) frames was requested" }
    }
    let figures = ["rate_hz": format.rate, "period_frames": format.periodFrames, "buffer_frames": format.bufferFrames]
    return .right(text, figures: figures.mapValues(Double.init))
  }

  private func mixer(_ card: AudioFacts.Opened) -> Verdict? {
    guard card.notices.contains(where: { $0.contains("shared through a mixer") }) else { return nil }
    let ids = playing.map(\.id).joined(separator: ", ")
    return .doubtful(
      "\(card.name) is shared through a mixer, which adds latency and hides the removal of the card",
      remedy: "set \(audioKey).device in \(configurationFile) to a card's id (\(ids))")
  }

  private func clock(_ card: AudioFacts.Opened) -> Verdict {
    if let errno = card.errno {
      return .wrong(
        "\(card.name) failed while it played silence (\(reason(errno)))",
        remedy: "unplug it and plug it in again; if it fails again, use another card")
    }
    guard let trial = CardTrial(card.readings, rate: card.format.rate) else {
      return .wrong(
        "\(card.name) accepts sound, but its playback position does not advance",
        remedy: "unplug it and plug it in again, or restart the machine; if that does not help, use another card")
    }
    // A few seconds of measurement resolve a tenth of a ppm.
    let tenths = (trial.driftThousandths.magnitude + 50) / 100 * 100
    let drift = (trial.driftThousandths < 0 && tenths > 0 ? "-" : "+") + decimal(thousandths: Int(tenths))
    let step = decimal(thousandths: trial.stepMicroseconds)
    let span = decimal(thousandths: Int((trial.span.count + 50_000_000) / 100_000_000 * 100))
    let position = trial.isStepped ? "playback position in steps of \(step) ms" : "smooth playback position"
    let text = "\(drift) ppm relative to the system clock over \(span) s, \(position)"
    let figures = [
      "drift_ppm": Double(trial.driftThousandths) / 1_000,
      "position_step_ms": trial.isStepped ? Double(trial.stepMicroseconds) / 1_000 : 0,
      "measured_s": Double(trial.span.count / 1_000_000) / 1_000,
    ]
    if abs(trial.driftThousandths) > CardTrial.followedDriftThousandths {
      return .wrong(
        "\(text): the metronome cannot compensate for a drift this large",
        remedy: "set \(audioKey).rate in \(configurationFile) to another rate (44100), or use another card",
        figures: figures)
    }
    if trial.stepMicroseconds > CardTrial.coarseStepMicroseconds {
      return .doubtful(
        "\(text): the steps are too coarse to align clicks with the light",
        remedy:
          "set \(audioKey).device in \(configurationFile) to a card's id and \(audioKey).period to 256, or use another"
          + " card",
        figures: figures)
    }
    return .right(text, figures: figures)
  }

  /// A Raspberry Pi's headphone output reads 10 ms at a time, and a busy non-real-time kernel sometimes wakes a program 10 ms
  /// late (at worst 37 ms on a Pi 5 under full load, OSPERT 2024).
  private static let shortestBuffer = Nanoseconds.milliseconds(10)
  /// The recommended buffer: close to the default buffer, with periods no shorter than the default period.
  private static let audioBuffer = Nanoseconds.milliseconds(20)
  private static let audioPeriod = 256

  /// Whether the card's buffer lasts until the program next wakes up.
  private var buffer: Verdict? {
    guard let request = configuration.audio, let audio else { return nil }
    switch audio.outcome {
    case .opened(let card): return buffer(card.format.bufferFrames, card.format.rate, request)
    // Usually a running metronome uses the card, in the requested format.
    case .refused(let error) where error.kind == .busy:
      return buffer(request.period * request.periods, request.rate, request)
    case .notWanted, .refused, .hangs: return nil
    }
  }

  private func buffer(_ frames: Int, _ rate: Int, _ request: AudioRequest) -> Verdict? {
    let microseconds = frames * 1_000_000 / rate
    guard Nanoseconds.microseconds(Int64(microseconds)) < BoardFacts.shortestBuffer else { return nil }
    let text =
      "a buffer of \(decimal(thousandths: microseconds)) ms: below 10 ms a card underruns when the machine is busy,"
      + " and clicks are lost"
    return .doubtful(
      text,
      remedy: change(request, rate)
        ?? "use another card: this card does not grant the longer buffer that the configuration requests",
      figures: ["buffer_ms": Double(microseconds) / 1_000])
  }

  /// The changes of the request that give a long enough buffer; nil if the request already asks for such a buffer.
  private func change(_ request: AudioRequest, _ rate: Int) -> String? {
    let period = max(request.period, BoardFacts.audioPeriod)
    let wanted = (rate * Int(BoardFacts.audioBuffer.count / 1_000_000) + 999) / 1_000
    let periods = max(request.periods, (wanted + period - 1) / period)
    var changes: [String] = []
    if period != request.period { changes.append("\(audioKey).period to \(period)") }
    if periods != request.periods { changes.append("\(audioKey).periods to \(periods)") }
    guard !changes.isEmpty else { return nil }
    return "set \(changes.joined(separator: " and ")) in \(configurationFile)"
  }
}

/// A card's clock, measured from readings of its position.
private struct CardTrial {
  /// The largest drift that the clock map can follow: 0.2 %.
  static let followedDriftThousandths = 2_000_000
  /// With larger steps a click cannot be placed precisely. The value is two periods of the default buffer.
  static let coarseStepMicroseconds = 11_000
  /// The first tenth of the readings is ignored, because the position of a newly started card is not yet steady.
  private static let settling = 10

  /// How much faster the card runs than its nominal rate, in thousandths of a ppm.
  var driftThousandths: Int
  /// The upper quartile of the steps between different positions.
  var stepMicroseconds: Int
  /// Whether the position is constant between steps. Otherwise its resolution is at least that of the readings.
  var isStepped: Bool
  /// The duration of the measurement.
  var span: Nanoseconds

  /// Returns nil if the position has not advanced.
  init?(_ all: [AudioFacts.FrameTime], rate: Int) {
    let readings = Array(all.dropFirst(all.count / CardTrial.settling))
    guard let first = readings.first, let last = readings.last, last.frame > first.frame, last.instant > first.instant
    else { return nil }
    span = last.instant - first.instant
    let pairs = zip(readings, readings.dropFirst()).filter { $1.frame > $0.frame }
    isStepped = pairs.count * 4 < (readings.count - 1) * 3
    var points = readings.map {
      (time: Double(($0.instant - first.instant).count), frame: Double($0.frame) - Double(first.frame))
    }
    if isStepped {
      // Use only the steps: each happened between two readings.
      points = zip(points, points.dropFirst()).filter { $1.frame > $0.frame }.map {
        (time: ($0.time + $1.time) / 2, frame: $1.frame)
      }
    }
    driftThousandths = CardTrial.whole((CardTrial.slope(points) * 1e9 / Double(rate) - 1) * 1e9)
    let frames = pairs.map { Double($1.frame) - Double($0.frame) }.sorted()[pairs.count * 3 / 4]
    stepMicroseconds = CardTrial.whole(frames * 1e6 / Double(rate))
  }

  /// A faulty card may report any position.
  private static func whole(_ value: Double) -> Int { Int(min(max(value.rounded(), -1e15), 1e15)) }

  /// The slope of the least-squares line, in frames per nanosecond.
  private static func slope(_ points: [(time: Double, frame: Double)]) -> Double {
    let count = Double(points.count)
    let time = points.reduce(0) { $0 + $1.time } / count
    let frame = points.reduce(0) { $0 + $1.frame } / count
    let product = points.reduce(0) { $0 + ($1.time - time) * ($1.frame - frame) }
    let square = points.reduce(0) { $0 + ($1.time - time) * ($1.time - time) }
    return square > 0 ? product / square : 0
  }
}
