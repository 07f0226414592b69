import CLibrary
import HardwareAbstraction
import MetronomeCore

extension BoardFacts {
  var soundFindings: [Finding] { cardFindings + [buffer, volume].compactMap(\.self) }

  private var cardFindings: [Finding] {
    guard configuration.audio != nil else {
      return [.absent(.sound, "card", "not looked at: the configuration does not say which")]
    }
    guard let sound else { return [.absent(.sound, "card", "not looked at: this build has no real board")] }
    switch sound.outcome {
    case .notWanted: return [.absent(.sound, "card", "none is asked for (audio.device: none)")]
    case .opened(let card): return opened(card)
    case .refused(let error) where error.kind == .busy: return [busy(sound)]
    case .refused(let error): return [refused(sound, error)]
    case .hangs:
      return [
        .wrong(
          .sound, "card", "the sound card does not answer",
          remedy: "plug it out and in again, or restart the machine; dmesg tells what the kernel thinks of it")
      ]
    }
  }

  private var playing: [SoundFacts.Card] { (sound?.cards ?? []).filter { $0.device != nil } }

  // MARK: No card

  private func refused(_ sound: SoundFacts, _ error: HardwareError) -> Finding {
    let listed = playing.map(\.id).joined(separator: ", ")
    if let refusal = devices.sound.first(where: { !$0.isUsable }), playing.isEmpty {
      let text = "\(refusal.path) may not be opened"
      if isForServiceAlone(devices.sound) {
        return .absent(.sound, "card", "not looked at: \(text), but by the service")
      }
      return .wrong(.sound, "card", text, remedy: rightsRemedy("audio", devices.sound))
    }
    if case .named(let name) = configuration.audio?.device { return named(name, error, listed) }
    if let screen = playing.first(where: \.isScreen), playing.allSatisfy(\.isScreen) {
      return noClicks(
        "card", "no card but those of screens (\(listed)), which are not used unasked",
        remedy:
          "plug in a USB card, or set dtparam=audio=on in /boot/firmware/config.txt (not on a Pi 5); or, for the screen:"
          + " audio.device: \(screen.id) in \(configurationFile)")
    }
    if playing.isEmpty {
      return noClicks(
        "card", "there is no sound card that plays: no clicks",
        remedy: "plug one in"
          + (hasOutputLine ? ", or set audio.device: none in \(configurationFile) if none is wanted" : ""))
    }
    return .wrong(
      .sound, "card", error.detail, remedy: "set audio.device in \(configurationFile) to another card (\(listed))")
  }

  private func named(_ name: String, _ error: HardwareError, _ listed: String) -> Finding {
    let others = listed.isEmpty ? "auto" : "one of \(listed), to auto"
    let remedy = "plug it in, or set audio.device in \(configurationFile) to \(others), or to none for no sound"
    guard error.kind == .gone else { return .wrong(.sound, "card", error.detail, remedy: remedy) }
    let found = listed.isEmpty ? "there is none at all" : "there are \(listed)"
    return .wrong(.sound, "card", "there is no sound card \"\(name)\"; \(found)", remedy: remedy)
  }

  private func busy(_ sound: SoundFacts) -> Finding {
    let (name, users) = busyCard(sound)
    if users.contains(where: { $0.name == "metronome" }) || (users.isEmpty && processes.hasMetronome) {
      return .right(.sound, "card", "\(name), in use by the running metronome; not measured")
    }
    let who = users.map { "\($0.name) (process \($0.number))" }.joined(separator: ", ")
    return .wrong(
      .sound, "card", "\(name) is in use by \(who.isEmpty ? "another program" : who)",
      remedy: (users.first.map { "end it (kill \($0.number))" } ?? "sudo fuser -v /dev/snd/* shows which; end it")
        + ", or set audio.device in \(configurationFile) to another card")
  }

  /// The card that was refused because it is in use, and by whom.
  private func busyCard(_ sound: SoundFacts) -> (String, [ProcessFacts.Process]) {
    if case .named(let name) = configuration.audio?.device {
      let card = sound.cards.first { card in
        name == card.id || name.hasPrefix("hw:\(card.id)") || name.contains("CARD=\(card.id)")
      }
      return (name, card.flatMap { processes.players[$0.id] } ?? [])
    }
    let used = playing.first { !$0.isScreen && processes.players[$0.id] != nil } ?? playing.first { !$0.isScreen }
    return (used?.id ?? "the card", used.flatMap { processes.players[$0.id] } ?? [])
  }

  // MARK: A card

  private func opened(_ card: SoundFacts.Opened) -> [Finding] {
    [format(card), shared(card)].compactMap(\.self) + [measured(card)]
  }

  private func format(_ card: SoundFacts.Opened) -> Finding {
    let format = card.format
    let lead = decimal(thousandths: Int(format.bufferDuration.count / 1_000))
    var text =
      "\(card.name): \(format.rate) Hz, \(format.sampleFormat), \(counted(format.channels, "channel")),"
      + " periods of \(format.periodFrames) frames, a buffer of \(format.bufferFrames) (\(lead) ms)"
    if let request = configuration.audio {
      if format.rate != request.rate { text += "; \(request.rate) Hz were asked for" }
      if format.periodFrames != request.period { text += "; a period of \(request.period) frames was asked for" }
    }
    return .right(
      .sound, "card", text,
      figures: [
        Finding.Figure("rate_hz", format.rate), Finding.Figure("period_frames", format.periodFrames),
        Finding.Figure("buffer_frames", format.bufferFrames),
      ])
  }

  private func shared(_ card: SoundFacts.Opened) -> Finding? {
    guard card.notices.contains(where: { $0.contains("shared through a mixer") }) else { return nil }
    let ids = playing.map(\.id).joined(separator: ", ")
    return .doubtful(
      .sound, "mixer", "\(card.name) is shared through a mixer, which adds delay and hides an unplugged card",
      remedy: "set audio.device in \(configurationFile) to a card's id (\(ids))")
  }

  private func measured(_ card: SoundFacts.Opened) -> Finding {
    if let errno = card.errno {
      return .wrong(
        .sound, "clock", "\(card.name) failed while it played silence (\(reason(errno)))",
        remedy: "plug it out and in again; if it does so again, take another card")
    }
    guard let trial = CardTrial(card.readings, rate: card.format.rate) else {
      return .wrong(
        .sound, "clock", "\(card.name) takes sound, but its position stands still",
        remedy: "plug it out and in again, or restart the machine; if it stays so, take another card")
    }
    let drift = signed(trial.driftThousandths)
    let step = decimal(thousandths: trial.stepMicroseconds)
    let span = decimal(thousandths: Int((trial.span.count + 50_000_000) / 100_000_000 * 100))
    let position = trial.isStepped ? "its position in steps of \(step) ms" : "its position as fine as it was read"
    let text = "\(drift) ppm against the system's clock over \(span) s, \(position)"
    let figures = [
      Finding.Figure("drift_ppm", thousandths: trial.driftThousandths),
      Finding.Figure("position_step_ms", thousandths: trial.isStepped ? trial.stepMicroseconds : 0),
      Finding.Figure("measured_s", thousandths: Int(trial.span.count / 1_000_000)),
    ]
    if abs(trial.driftThousandths) > CardTrial.followedDriftThousandths {
      return .wrong(
        .sound, "clock", text + ": too far off to be followed",
        remedy: "set audio.rate in \(configurationFile) to another rate (44100), or take another card", figures: figures
      )
    }
    if trial.stepMicroseconds > CardTrial.coarseStepMicroseconds {
      return .doubtful(
        .sound, "clock", text + ": too coarse for clicks that meet the light",
        remedy: "set audio.device in \(configurationFile) to a card's id, audio.period to 256; or take another card",
        figures: figures)
    }
    return .right(.sound, "clock", text, figures: figures)
  }

  private func signed(_ thousandths: Int) -> String {
    // A tenth of a ppm is what a few seconds can tell.
    let tenths = (thousandths.magnitude + 50) / 100 * 100
    return (thousandths < 0 && tenths > 0 ? "-" : "+") + decimal(thousandths: Int(tenths))
  }
}

extension BoardFacts {
  var volume: Finding? {
    guard audioIsWanted, let volume = configuration.volume, volume <= 0 else { return nil }
    let wish = hasOutputLine ? ", or audio.device to none if no clicks are wanted" : ""
    return noClicks(
      "volume", "audio.volume is 0: no click is heard", remedy: "set audio.volume in \(configurationFile) to 0.8\(wish)"
    )
  }

  /// A reason for which there are no clicks: doubtful while there is a light or a buzzer, and wrong without.
  func noClicks(_ subject: String, _ text: String, remedy: String) -> Finding {
    if hasOutputLine { return .doubtful(.sound, subject, text, remedy: remedy) }
    return .wrong(
      .sound, subject, "\(text); and no output has a line: the box can be neither seen nor heard",
      remedy: "\(remedy); or set outputs.light.line in \(configurationFile) to the line of a light")
  }
}

extension BoardFacts {
  /// Nothing shorter is sound: a Raspberry Pi's headphones take 10 ms at a time, and an ordinary kernel that is busy wakes
  /// a program up by as much too late every now and then (at the worst 37 ms on a Pi 5 under full load, OSPERT 2024).
  private static let shortestBuffer = Nanoseconds.milliseconds(10)
  /// What is advised: at the least nearly the standard buffer, in periods no shorter than the standard's.
  private static let soundBuffer = Nanoseconds.milliseconds(20)
  private static let soundPeriod = 256

  /// Whether what is handed to the card in advance lasts until the program wakes up again.
  var buffer: Finding? {
    guard let request = configuration.audio, let sound else { return nil }
    switch sound.outcome {
    case .opened(let card): return buffer(card.format.bufferFrames, card.format.rate, request)
    // By the running metronome, as a rule: then it has got it as it was asked for.
    case .refused(let error) where error.kind == .busy:
      return buffer(request.period * request.periods, request.rate, request)
    case .notWanted, .refused, .hangs: return nil
    }
  }

  private func buffer(_ frames: Int, _ rate: Int, _ request: AudioRequest) -> Finding? {
    let microseconds = frames * 1_000_000 / rate
    guard Nanoseconds.microseconds(Int64(microseconds)) < BoardFacts.shortestBuffer else { return nil }
    let text =
      "a buffer of \(decimal(thousandths: microseconds)) ms: below 10 ms a card runs dry whenever the machine is busy,"
      + " and clicks are lost"
    let figures = [Finding.Figure("buffer_ms", thousandths: microseconds)]
    guard let change = change(request, rate) else {
      return .doubtful(
        .sound, "buffer", text, remedy: "take another card: this one grants no more than that", figures: figures)
    }
    return .doubtful(.sound, "buffer", text, remedy: change, figures: figures)
  }

  /// What of the request is to be changed for a sound buffer; nil: it asks for one already.
  private func change(_ request: AudioRequest, _ rate: Int) -> String? {
    let period = max(request.period, BoardFacts.soundPeriod)
    let wanted = (rate * Int(BoardFacts.soundBuffer.count / 1_000_000) + 999) / 1_000
    let periods = max(request.periods, (wanted + period - 1) / period)
    var changes: [String] = []
    if period != request.period { changes.append("audio.period to \(period)") }
    if periods != request.periods { changes.append("audio.periods to \(periods)") }
    guard !changes.isEmpty else { return nil }
    return "set \(changes.joined(separator: " and ")) in \(configurationFile)"
  }
}
