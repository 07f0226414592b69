import MetronomeCore

/// Writes random scripts of presses and faults, in the language of `simulate --virtual`.
struct ScriptMaker {
  let swarm: Swarm
  let wired: ConfigurationMaker
  private var entries: [(time: Nanoseconds, text: String)] = []

  init(_ swarm: Swarm, _ wired: ConfigurationMaker) {
    self.swarm = swarm
    self.wired = wired
  }

  /// The script's lines, in order of time.
  var lines: [String] {
    entries.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map { "\($0.element.time.text) \($0.element.text)" }
  }

  mutating func add(_ dice: inout Dice, reloads: [String]) {
    switch swarm.hands {
    case .tidy: addTidyHands(&dice)
    case .wild: addWildHands(&dice)
    }
    if swarm.hasSource { addSource(&dice) }
    for _ in 0..<swarm.applies { addFault(dice.pick(swarm.faults), &dice) }
    for name in reloads { note(anyTime(&dice), "reload \(name)") }
    if wired.hasDisplay, !swarm.isOnKernel { unplugDisplay(dice) }
  }

  /// With a copy of the dice, so that lives without a display stay as they are.
  private mutating func unplugDisplay(_ copy: Dice) {
    var dice = copy
    guard dice.chance(0.3) else { return }
    let time = anyTime(&dice)
    note(time, time + dice.span(.milliseconds(1), .seconds(30)).inMicroseconds, "display unplug", "display plug")
  }

  private mutating func note(_ time: Nanoseconds, _ text: String) { entries.append((time, text)) }

  private func anyTime(_ dice: inout Dice) -> Nanoseconds {
    // Half of the times are near the start, where most transitions happen.
    let end = dice.chance(0.5) ? min(swarm.length, .seconds(20)) : swarm.length
    return dice.time(.milliseconds(1), end)
  }

  // MARK: Presses

  private mutating func addTidyHands(_ dice: inout Dice) {
    var time = dice.time(.milliseconds(100), .seconds(2))
    note(time, "press play 100ms")
    for _ in 0..<swarm.presses {
      time = time + .milliseconds(700) + pause(&dice)
      guard time < swarm.length else { return }
      note(time, "press \(dice.pick(wired.buttons)) \(dice.time(.milliseconds(80), .milliseconds(350)).text)")
    }
  }

  private func pause(_ dice: inout Dice) -> Nanoseconds {
    let mean = swarm.length / Int64(swarm.presses + 1)
    return dice.span(.milliseconds(1), max(.milliseconds(2), mean * 2)).inMicroseconds
  }

  private mutating func addWildHands(_ dice: inout Dice) {
    var time = dice.time(.milliseconds(0), .seconds(2))
    // Most behaviour is visible only while the metronome plays.
    if dice.chance(0.6) {
      note(time, "press play 100ms")
      time = time + .milliseconds(700)
    }
    for _ in 0..<swarm.presses {
      addGesture(at: &time, &dice)
      time = time + pause(&dice)
      guard time < swarm.length else { return }
    }
  }

  private mutating func addGesture(at time: inout Nanoseconds, _ dice: inout Dice) {
    let button = place(&dice)
    switch dice.roll(0...10) {
    case 0...2: note(time, "press \(button) \(dice.span(.milliseconds(1), .seconds(1)).inMicroseconds.text)")
    case 3...4: note(time, "press \(button) \(dice.time(.milliseconds(450), .seconds(6)).text)")
    case 5: addChord(at: time, &dice)
    case 6: addTaps(at: &time, &dice)
    case 7: addBurst(of: button, at: &time, &dice)
    case 8: addTurn(at: time, &dice)
    case 9: addHold(at: time, &dice)
    default: addHeldAtRandom(button, at: time, &dice)
    }
  }

  /// A button of the box or of a device.
  private func place(_ dice: inout Dice) -> String {
    guard !wired.devices.isEmpty, dice.chance(0.4) else { return boxButton(&dice) }
    let number = dice.roll(1...wired.devices.count)
    return "\(dice.pick(wired.devices[number - 1].keys))@\(number)"
  }

  /// Play and buttons with an unusual binding are pressed more often than others.
  private func boxButton(_ dice: inout Dice) -> String {
    if dice.chance(0.2) { return Button.play.description }
    return dice.pick(wired.favourites.isEmpty || dice.chance(0.5) ? wired.buttons : wired.favourites).description
  }

  private mutating func addChord(at time: Nanoseconds, _ dice: inout Dice) {
    let later = dice.chance(0.2) ? time : time + dice.time(.zero, .milliseconds(600))
    note(time, "press \(boxButton(&dice)) \(dice.time(.milliseconds(1), .seconds(2)).text)")
    note(later, "press \(boxButton(&dice)) \(dice.time(.milliseconds(1), .seconds(2)).text)")
  }

  /// Holds a button and presses others meanwhile, or at the same instant: a device may report several keys at once.
  private mutating func addHold(at time: Nanoseconds, _ dice: inout Dice) {
    let length = dice.time(.milliseconds(500), .seconds(2))
    note(time, "press \(dice.chance(0.4) ? Button.play.description : place(&dice)) \(length.text)")
    for _ in 0..<dice.pick([1, 1, 2]) {
      let later = dice.chance(0.3) ? time : time + dice.time(.zero, length)
      note(later, "press \(place(&dice)) \(dice.time(.milliseconds(30), .milliseconds(700)).text)")
    }
  }

  /// Taps with a slightly uneven rhythm.
  private mutating func addTaps(at time: inout Nanoseconds, _ dice: inout Dice) {
    guard wired.buttons.contains(.tap) else { return }
    let beat = dice.time(.milliseconds(150), .milliseconds(1_200))
    for _ in 0..<dice.roll(2...10) {
      note(time, "press tap 60ms")
      time = time + beat + dice.time(.zero, beat / 20)
    }
  }

  private mutating func addBurst(of button: String, at time: inout Nanoseconds, _ dice: inout Dice) {
    let beat = dice.time(.milliseconds(20), .milliseconds(120))
    for _ in 0..<dice.roll(2...30) {
      note(time, "press \(button) \((beat / 2).inMicroseconds.text)")
      time = time + beat
    }
  }

  private mutating func addTurn(at time: Nanoseconds, _ dice: inout Dice) {
    guard !wired.devices.isEmpty else { return }
    let number = dice.roll(1...wired.devices.count)
    guard let dial = wired.devices[number - 1].dials.first else { return }
    let detents = dice.roll(1...dice.pick([1, 5, DialMachine.maxDetents]))
    note(time, "turn \(dial.rawValue)@\(number) \(dice.chance(0.5) ? detents : -detents)")
  }

  /// Down and up as separate lines; one of them may be missing.
  private mutating func addHeldAtRandom(_ button: String, at time: Nanoseconds, _ dice: inout Dice) {
    note(time, "down \(button)")
    if dice.chance(0.9) { note(time + dice.span(.microseconds(1), .seconds(3)).inMicroseconds, "up \(button)") }
  }

  // MARK: The MIDI source

  private mutating func addSource(_ dice: inout Dice) {
    var time = dice.time(.zero, .seconds(3))
    if dice.chance(0.7) { note(dice.chance(0.5) ? time : time + dice.time(.zero, .seconds(3)), "midi start") }
    for _ in 0..<dice.roll(1...4) where time < swarm.length {
      let length = dice.time(.milliseconds(200), min(.seconds(60), swarm.length))
      note(time, "midi clock \(sourceTempo(&dice)) for \(length.text)\(flaws(&dice))")
      time = time + length
      if dice.chance(0.5) { time = time + dice.span(.milliseconds(1), .seconds(20)).inMicroseconds }
    }
    for _ in 0..<dice.roll(0...6) { addTransport(&dice) }
  }

  private mutating func addTransport(_ dice: inout Dice) {
    let time = anyTime(&dice)
    switch dice.roll(0...4) {
    case 0: note(time, "midi start")
    case 1: note(time, "midi stop")
    case 2: note(time, "midi continue")
    case 3: note(time, "midi position \(dice.roll(0...dice.pick([8, 64, 16_383])))")
    default: note(time, time + dice.span(.milliseconds(1), .seconds(30)).inMicroseconds, "midi unplug", "midi plug")
    }
  }

  private func sourceTempo(_ dice: inout Dice) -> String {
    let range = dice.chance(0.1) ? 20...999 : 40...240
    let tempo =
      dice.chance(0.5) ? "\(dice.roll(range))" : Tempo(clampingMilliBPM: dice.roll(range) * 1_000 + 337).number
    return dice.chance(0.2) ? "\(tempo)-\(dice.roll(range))" : tempo
  }

  private func flaws(_ dice: inout Dice) -> String {
    var text = ""
    if dice.chance(0.4) { text += " jitter \(dice.span(.microseconds(1), .milliseconds(20)).inMicroseconds.text)" }
    if dice.chance(0.1) { text += " loss \(dice.pick(["0.1", "1", "10"]))%" }
    if dice.chance(0.1) { text += " doubling \(dice.pick(["0.1", "1", "10"]))%" }
    return text
  }

  // MARK: Other programs

  /// Adds commands of other programs, and a Link session.
  mutating func addPrograms(_ dice: inout Dice) {
    // Fast beats and frequent reports would make a long life expensive.
    guard swarm.size != .long else { return }
    if dice.chance(0.3) { for _ in 0..<dice.roll(1...dice.pick([3, 10, 30])) { addCommands(&dice) } }
    if !swarm.isOnKernel, dice.chance(0.3) { addSession(&dice) }
  }

  private mutating func addCommands(_ dice: inout Dice) {
    var time = anyTime(&dice)
    let isTapped = dice.chance(0.15)
    let beat = dice.time(.milliseconds(150), .milliseconds(1_200))
    for _ in 0..<(isTapped ? dice.roll(2...10) : dice.chance(0.15) ? dice.roll(2...40) : 1) {
      var ago = dice.chance(0.5) ? dice.span(.microseconds(1), .milliseconds(300)).inMicroseconds : .zero
      if dice.chance(0.05) { ago = dice.time(.milliseconds(1_990), .milliseconds(2_010)) }
      note(time + ago, "do \(ago == .zero ? "" : "\(ago.text) ago ")\(isTapped ? "tap" : command(&dice))")
      time = time + (isTapped ? beat : dice.span(.microseconds(1), .milliseconds(50)).inMicroseconds)
    }
  }

  private func command(_ dice: inout Dice) -> String {
    switch dice.roll(0...9) {
    case 0: "\(dice.pick(["faster", "slower"])) \(dice.pick(["0.001", "1", "7.5", "998"]))"
    case 1: "tempo \(Tempo(clampingMilliBPM: dice.roll(1_000...999_000)).number)"
    case 2: "\(dice.pick(["recall", "store"])) \(dice.roll(1...8))"
    case 3: ScriptMaker.signature(&dice)
    case 4: "beat \(dice.pick(["1/4", "1/8", "3/8", "1/2", "3/4", "1/16"]))"
    case 5: "rhythm \(dice.pick(["", "sub=2 set=rim", "sub=3 swing=66", "X.x.", "Xoxx", "& 3:2 sound=click"]))"
    case 6: dice.pick(["volume 0", "volume -6", "set drum", "set wood"])
    case 7: dice.pick(["pair", "tempo 0", "faster fast", "signature 4", "none", "start now", "rhythm ((", "recall 99"])
    default:
      dice.pick([
        "play", "play", "start", "start", "stop", "tap", "silent", "reset_tempo", "next_numerator",
        "previous_numerator",
        "next_denominator", "previous_denominator", "next_preset", "previous_preset", "tell_tempo", "tell_signature",
        "volume_up", "volume_down", "next_subdivision", "previous_subdivision", "next_accents", "next_section",
        "previous_section", "restart_section", "next_song", "previous_song", "next_gap", "drop", "ramp", "timer",
        "ramp none", "ramp 80+15/1bar..200!stop", "ramp 200-7.5/2s..60", "timer 7s", "timer never", "gap 2/1",
        "drop 30", "drop none",
      ])
    }
  }

  private mutating func addSession(_ dice: inout Dice) {
    note(dice.time(.zero, .seconds(3)), "link join \(ScriptMaker.sessionTempo(&dice))")
    for _ in 0..<dice.roll(0...dice.pick([2, 8])) {
      let time = anyTime(&dice)
      note(time, ScriptMaker.change(&dice))
    }
  }

  /// An event of a Link session, or a signature.
  static func change(_ dice: inout Dice) -> String {
    switch dice.roll(0...11) {
    case 0...1: return "link tempo \(sessionTempo(&dice))"
    case 2...4:
      let step =
        dice.chance(0.6) ? .microseconds(1_500) : dice.span(.microseconds(1), .milliseconds(20)).inMicroseconds
      return "link step \(dice.pick(["+", "-"]))\(step.text)"
    case 5: return "link jump \(Tempo(clampingMilliBPM: dice.roll(1_000...9_000)).number)"
    case 6: return "link start"
    case 7: return "link stop"
    case 8: return "link \(dice.pick(["leave", "vanish"]))"
    case 9...10: return "do \(signature(&dice))"
    default: return "link join \(sessionTempo(&dice))"
    }
  }

  private static func signature(_ dice: inout Dice) -> String {
    "signature \(dice.pick(["2/4", "3/4", "4/4", "2+2+3/8", "5/4", "12/8", "7/16", "1/1", "32/32"]))"
  }

  static func sessionTempo(_ dice: inout Dice) -> String {
    if dice.chance(0.1) { return dice.pick(["20", "999"]) }
    let range = dice.chance(0.1) ? 21...999 : 40...240
    return dice.chance(0.5) ? "\(dice.roll(range))" : Tempo(clampingMilliBPM: dice.roll(range) * 1_000 - 337).number
  }

  // MARK: Faults

  private mutating func addFault(_ fault: Swarm.Fault, _ dice: inout Dice) {
    let time = anyTime(&dice)
    let later = time + dice.span(.milliseconds(1), .seconds(30)).inMicroseconds
    switch fault {
    case .cardStops: note(time, "card stops")
    case .cardSleeps: note(time, dice.chance(0.5) ? "card sleeps" : "card sleeps for good")
    case .cardFails: note(time, "card fails")
    case .cardFreezes: note(time, "card freezes")
    case .cardRefuses: note(time, "card refuses \(dice.pick([1, 2, 3, 7, 1_000]))")
    case .cardUnplugged: note(time, later, "card unplug", "card plug")
    case .cardDrifts: note(dice.chance(0.5) ? .zero : time, "card drifts \(ppm(100, &dice))")
    case .lateBeats: note(time, "late beats \(lateness(&dice))")
    case .lateControl: note(time, "late control \(lateness(&dice))")
    case .lateAudio: note(time, "late audio \(lateness(&dice))")
    case .lateCards: note(time, "late cards \(lateness(&dice))")
    case .lateState: note(time, "late state \(lateness(&dice))")
    case .clockSlews: note(time, later, "clock slews \(ppm(500, &dice))", "clock slews 0ppm")
    case .diskFull: note(time, later, "disk full", "disk free")
    case .diskFails: note(time, "disk fails \(dice.roll(1...5))")
    case .powerCut: note(time, later, "power cut", "power on")
    case .restart: note(time, "restart")
    case .lateMIDI: if swarm.midiOutputs > 0 { note(time, "late midi \(lateness(&dice))") }
    case .midiUnplugged:
      guard swarm.midiOutputs > 0 else { return }
      let port = dice.roll(1...swarm.midiOutputs)
      note(time, later, "midi out \(port) unplug", "midi out \(port) plug")
    case .midiFull:
      guard swarm.midiOutputs > 0 else { return }
      let length = dice.span(.milliseconds(1), .seconds(5)).inMicroseconds
      note(time, "midi out \(dice.roll(1...swarm.midiOutputs)) full \(length.text)")
    case .chipUnplugged: note(time, later, "unplug chip", "plug chip")
    case .deviceUnplugged:
      guard !wired.devices.isEmpty else { return }
      let number = dice.roll(1...wired.devices.count)
      note(time, later, "unplug \(number)", "plug \(number)")
    }
  }

  /// A fault with a start and an end.
  private mutating func note(_ time: Nanoseconds, _ later: Nanoseconds, _ text: String, _ end: String) {
    note(time, text)
    note(later, end)
  }

  /// Sometimes late enough for the watchdog to expire.
  private func lateness(_ dice: inout Dice) -> String {
    if dice.chance(0.15) { return dice.time(.seconds(4), .seconds(30)).text }
    return dice.span(.microseconds(1), .seconds(2)).inMicroseconds.text
  }

  private func ppm(_ most: Int, _ dice: inout Dice) -> String {
    let ppm = dice.roll(-most...most)
    return "\(ppm < 0 ? "" : "+")\(ppm)ppm"
  }
}
