import HardwareAbstraction
import MetronomeCore
import TestSupport

/// Writes random configurations that cover the whole language, one key per line.
struct ConfigurationMaker {
  let swarm: Swarm
  /// Buttons that have a line.
  private(set) var buttons = Button.standard
  /// The buttons with an unusual binding.
  private(set) var favourites: [Button] = []
  /// The keys and dials of each external input device.
  private(set) var devices: [Device] = []
  /// Whether the first configuration has a display.
  private(set) var hasDisplay = false
  /// The scores that the configurations name.
  private(set) var scores: [Life.File] = []

  /// An external input device.
  struct Device {
    var keys: [Button]
    var dials: [Dial]
  }

  init(_ swarm: Swarm) { self.swarm = swarm }

  /// A complete configuration. Sets ``buttons``, ``favourites``, ``devices`` and ``scores``.
  mutating func lines(_ dice: inout Dice) -> [String] {
    var lines = music(&dice)
    lines += practice(&dice)
    lines += withAdded(outputs(&dice), dice)
    buttons = Button.standard.filter { $0 == .play || dice.chance(0.8) }
    lines += wiredButtons(&dice)
    lines += chords(&dice)
    if swarm.hasDevices { lines += inputs(&dice) }
    lines += audio(&dice)
    lines += midi(&dice)
    hasDisplay = !display(dice).isEmpty
    return lines + rgb(beside: lines, dice) + display(dice)
  }

  /// A replacement configuration: with the same wiring, with a different wiring, or invalid.
  mutating func reload(_ dice: inout Dice) -> [String] {
    if dice.chance(0.15) {
      return [dice.pick(["tempo: 0", "tempo: [", "buttons: {play: {line: 7, line: 8}}", "x: 1"])]
    }
    var lines = music(&dice)
    if dice.chance(0.7) { lines += practice(&dice) }
    lines += withAdded(dice.chance(0.7) ? outputs(&dice) : [], dice)
    lines += wiredButtons(&dice)
    if dice.chance(0.3) { lines += chords(&dice) }
    lines += inputsAgain
    if dice.chance(0.7) { lines += audio(&dice) } else if !swarm.hasAudio { lines += silence }
    if dice.chance(0.8) { lines += midi(&dice) }
    return lines + rgb(beside: lines, dice) + display(dice)
  }

  private func music(_ dice: inout Dice) -> [String] {
    var lines: [String] = []
    let limit = dice.pick(NumeratorLimit.allCases)
    let denominator = dice.pick(limit.denominators)
    let numerator = dice.roll(1...limit.highestNumerator(over: denominator))
    lines.append("tempo: \(tempo(over: denominator, &dice).number)")
    lines.append("signature: \(numerator)/\(denominator)")
    if dice.chance(0.3) { lines.append("rhythm: \"\(rhythm(numerator, &dice))\"") }
    if limit != .none { lines.append("numerator_limit: \(limit.rawValue)") }
    if dice.chance(swarm.size == .long ? 0.8 : 0.3) {
      lines.append("autoplay: \(dice.pick(["false", "true", "true", "last"]))")
    }
    if dice.chance(0.2) { lines.append("restore: \(dice.pick(["true", "false"]))") }
    if dice.chance(0.3) { lines.append("count_in: \(dice.roll(0...Rules.maxCountedIn))") }
    if dice.chance(0.1) { lines.append("auto_stop: \(dice.roll(1...600))s") }
    if dice.chance(0.3) { lines.append("debounce_ms: \(dice.roll(1...60))") }
    if dice.chance(0.3) {
      lines += ["tap:", "  round: \(dice.pick(["true", "false"]))", "  starts: \(dice.pick(["true", "false"]))"]
    }
    return lines
  }

  /// A score, or the one of another configuration, and the trainer.
  private mutating func practice(_ dice: inout Dice) -> [String] {
    var lines: [String] = []
    if swarm.hasScores, dice.chance(0.8) {
      if scores.isEmpty || dice.chance(0.6) {
        var random = Lehmer(seed: UInt64(dice.roll(0...1_000_000_000)))
        let text = RandomScore(hasTimes: dice.chance(0.4), mostSongs: dice.roll(1...3)).text(&random)
        let name = "score-\(scores.count + 1).txt"
        scores.append(Life.File(name: name, lines: text.split(separator: "\n").map(String.init)))
      }
      lines.append("score: \(dice.pick(scores).name)")
    }
    guard dice.chance(0.3) else { return lines }
    var trainer: [String] = []
    if dice.chance(0.4) { trainer.append("  ramp: \(ramp(&dice))") }
    if dice.chance(0.6) { trainer.append("  gap: \(dice.roll(1...4))/\(dice.roll(1...4))") }
    if dice.chance(0.4) { trainer.append("  drop: \(dice.roll(1...100))") }
    if dice.chance(0.4) { trainer.append("  seed: \(dice.roll(0...1_000_000))") }
    if dice.chance(0.3) { trainer.append("  timer: \(dice.roll(1...60))s") }
    return lines + (trainer.isEmpty ? [] : ["trainer:"] + trainer)
  }

  private func ramp(_ dice: inout Dice) -> String {
    let first = dice.roll(30...100)
    let last = first + dice.roll(10...100)
    let rate = "\(dice.roll(1...30))/\(dice.roll(1...4))\(dice.pick(["bar", "beat", "s"]))"
    let end = dice.pick(["", "!stay", "!stop", "!again", "!reverse"])
    return dice.chance(0.5) ? "\(first)+\(rate)..\(last)\(end)" : "\(last)-\(rate)..\(first)\(end)"
  }

  /// A rhythm for bars of a number of notes.
  private func rhythm(_ notes: Int, _ dice: inout Dice) -> String {
    var words: [String] = []
    if dice.chance(0.6) { words.append((0..<notes).map { _ in dice.pick(["X", "Y", "x", "o", "."]) }.joined()) }
    // Many hits make a long life expensive.
    if dice.chance(0.5) { words.append("sub=\(dice.roll(1...(swarm.size == .long ? 2 : 8)))") }
    for _ in 0..<dice.roll(0...(swarm.size == .long ? 1 : 3)) { words.append(voice(&dice)) }
    return words.joined(separator: " ")
  }

  private func voice(_ dice: inout Dice) -> String {
    "& \(dice.roll(1...7)):\(dice.roll(1...7))" + (dice.chance(0.8) ? " sound=click" : "")
  }

  /// A slow tempo in a long life, to limit its cost.
  private func tempo(over denominator: Int, _ dice: inout Dice) -> Tempo {
    let seconds = max(1, swarm.length.count / 1_000_000_000)
    let most = min(999_000, swarm.maxBeats * 240_000 / seconds / Int64(denominator))
    if dice.chance(0.1) { return Tempo(clampingMilliBPM: Int(most)) }
    return Tempo(clampingMilliBPM: dice.roll(1_000...max(1_000, Int(most))))
  }

  private func outputs(_ dice: inout Dice) -> [String] {
    var lines: [String] = []
    for output in OutputSet.standard where dice.chance(0.5) {
      lines.append("  \(BoxNames.standard[output]):")
      if dice.chance(0.15) { lines.append("    line: none") }
      if dice.chance(0.2) { lines.append("    active: low") }
      var pulses: [String] = []
      for level in ["strong", "weak"] where dice.chance(0.4) {
        let isBeat = output == .pendulum && dice.chance(0.3)
        pulses.append("\(level): \(isBeat ? "beat" : dice.pick(["0", "0.5", "5", "20.25", "100", "1000"]))")
      }
      if !pulses.isEmpty { lines.append("    pulse_ms: {\(pulses.joined(separator: ", "))}") }
      if dice.chance(0.4) { lines.append("    latency_us: \(dice.pick([0, 150, 9_999, 40_000, 200_000, 500_000]))") }
      if dice.chance(0.2) { lines.append("    gaps: \(dice.pick(["true", "false"]))") }
      if lines.last == "  \(BoxNames.standard[output]):" { lines.removeLast() }
    }
    return lines.isEmpty ? [] : ["outputs:"] + lines
  }

  /// The outputs, and perhaps others. With a copy of the dice, like the RGB light.
  private func withAdded(_ outputs: [String], _ copy: Dice) -> [String] {
    var dice = copy
    _ = dice.roll(0...99)
    guard dice.chance(0.2) else { return outputs }
    var lines = outputs.isEmpty ? ["outputs:"] : outputs
    for number in 1...dice.roll(1...4) {
      lines += ["  added_\(number):", "    line: ADDED\(number)"]
      lines.append("    shows: \(dice.pick(["every", "first", "last", "left", "right"]))")
      if dice.chance(0.3) { lines.append("    heard: true") }
      if dice.chance(0.3) { lines.append("    latency_us: \(dice.pick([0, 150, 9_999, 40_000]))") }
      if dice.chance(0.3) { lines.append("    pulse_ms: {strong: 20.25, medium: 0, weak: 5}") }
    }
    return lines
  }

  /// The other lines of an RGB light, unless it may lack its red one. With a copy of the dice, so that lives without such a light
  /// stay as they are.
  private func rgb(beside lines: [String], _ copy: Dice) -> [String] {
    var dice = copy
    guard dice.chance(0.3), !lines.prefix(while: { $0 != "buttons:" }).contains("    line: none") else { return [] }
    var rgb = ["rgb:", "  green: RGB1", "  blue: RGB2"]
    for level in ["strong", "medium", "weak", "ghost"] where dice.chance(0.5) {
      rgb.append("  \(level): \(dice.pick(LightColor.allCases).rawValue)")
    }
    return rgb
  }

  /// A display, or none. With a copy of the dice, like the RGB light.
  private func display(_ copy: Dice) -> [String] {
    var dice = copy
    _ = dice.chance(0.5)
    guard dice.chance(0.5) else { return [] }
    return ["display:", "  clock: DISPLAY1", "  data: DISPLAY2", "  brightness: \(dice.roll(1...8))"]
  }

  private mutating func wiredButtons(_ dice: inout Dice) -> [String] {
    var lines: [String] = []
    for (number, button) in Button.standard.enumerated() {
      var keys: [String] = []
      if !buttons.contains(button) {
        keys.append("line: none")
      } else if Wiring.standard.buttons[button] == nil {
        keys.append("line: EXTRA\(number)")
      }
      if buttons.contains(button), dice.chance(0.3) {
        keys += meanings(&dice)
        favourites.append(button)
      }
      if !keys.isEmpty { lines += ["  \(button):"] + keys.map { "    " + $0 } }
    }
    return lines.isEmpty ? [] : ["buttons:"] + lines
  }

  private func meanings(_ dice: inout Dice) -> [String] {
    let short = "short: \(command(&dice))"
    switch dice.roll(0...2) {
    case 0: return [short, "long: \(command(&dice))", "repeat: none"]
    case 1: return [short, "long: none", "repeat: \(command(&dice))"]
    default: return [short]
    }
  }

  private func command(_ dice: inout Dice) -> String {
    switch dice.roll(0...5) {
    case 0: return "\(dice.pick(["faster", "slower"])) \(dice.pick(["0.001", "1", "7.5", "998"]))"
    case 1: return "tempo \(Tempo(clampingMilliBPM: dice.roll(1_000...999_000)).number)"
    case 2: return "\(dice.pick(["recall", "store"])) \(dice.roll(1...8))"
    case 3 where swarm.hasScores || dice.chance(0.3):
      return dice.pick([
        "next_section", "next_section", "previous_section", "restart_section", "next_song", "previous_song", "next_gap",
        "next_gap", "drop", "ramp", "timer", "gap \(dice.roll(1...4))/\(dice.roll(1...4))", "gap none",
        "drop \(dice.roll(1...100))", "drop none", "ramp \(ramp(&dice))", "ramp none", "timer \(dice.roll(1...60))s",
        "timer never",
      ])
    default:
      return dice.pick([
        "play", "start", "stop", "tap", "silent", "reset_tempo", "next_numerator", "previous_numerator",
        "next_denominator", "previous_denominator", "next_preset", "previous_preset", "tell_tempo", "tell_signature",
        "volume_up", "volume_down", "next_subdivision", "previous_subdivision", "next_accents", "none",
      ])
    }
  }

  private func chords(_ dice: inout Dice) -> [String] {
    guard dice.chance(0.4) else { return [] }
    var pairs: [ButtonPair] = []
    for _ in 0..<dice.roll(1...3) {
      guard let pair = ButtonPair(dice.pick(buttons), dice.pick(buttons)), !pairs.contains(pair) else { continue }
      pairs.append(pair)
    }
    let lines = pairs.map { "  \($0.first)+\($0.second): \(command(&dice))" }
    return lines.isEmpty ? [] : ["chords:"] + lines
  }

  private mutating func inputs(_ dice: inout Dice) -> [String] {
    for _ in 0..<dice.roll(1...2) {
      let keys = Button.standard.filter { _ in dice.chance(0.2) }
      devices.append(Device(keys: keys.isEmpty ? [.play] : keys, dials: Dial.allCases.filter { _ in dice.chance(0.5) }))
    }
    return inputsAgain
  }

  private var inputsAgain: [String] {
    guard !devices.isEmpty else { return [] }
    var lines = ["inputs:"]
    for (number, device) in devices.enumerated() {
      let keys = device.keys.enumerated().map { "KEY_F\($0.offset + 1): \($0.element)" }
      lines += ["  - device: pedal \(number + 1)", "    keys: {\(keys.joined(separator: ", "))}"]
      let axes = ["REL_X", "REL_Y", "REL_Z", "REL_RX"]
      let dials = zip(axes, device.dials).map { "\($0): \($1.rawValue)" }
      if !dials.isEmpty { lines.append("    relative: {\(dials.joined(separator: ", "))}") }
    }
    return lines
  }

  private func midi(_ dice: inout Dice) -> [String] {
    var lines: [String] = []
    if swarm.midiOutputs > 0 { lines.append("  out:") }
    for port in 0..<swarm.midiOutputs {
      lines.append("    - device: Port\(port + 1)")
      if dice.chance(0.4) {
        lines.append("      latency_us: \(dice.pick([-20_000, -1_500, 1, 500, 2_000, 20_000]))")
      }
    }
    if swarm.midiOutputs > 0, dice.chance(0.4) {
      lines.append("  clock_when_stopped: \(dice.pick(["false", "false", "true"]))")
    }
    if swarm.hasSource {
      lines.append("  in: Source")
      if dice.chance(0.5) { lines.append("  transport: \(dice.pick(["follow", "local"]))") }
      if dice.chance(0.3) { lines.append("  in_latency_us: \(dice.pick([-20_000, -1, 500, 5_000, 20_000]))") }
    }
    return lines.isEmpty ? [] : ["midi:"] + lines
  }

  private var silence: [String] { ["audio:", "  device: none"] }

  private func audio(_ dice: inout Dice) -> [String] {
    guard swarm.hasAudio, !dice.chance(0.05) else { return silence }
    let rate = dice.pick(swarm.rates)
    var period = dice.pick([16, 64, 256, 441, 1_024, 2_048, 4_096])
    let seconds = max(1, swarm.length.count / 1_000_000_000)
    while period < 8_192, Int64(rate / period) * seconds > swarm.maxPeriods { period = min(8_192, period * 2) }
    var periods = dice.pick([2, 3, 4, 8, 32])
    while period * periods > rate, periods > 2 { periods -= 1 }
    while period * periods > rate { period /= 2 }
    var lines = ["audio:", "  rate: \(rate)", "  period: \(period)", "  periods: \(periods)"]
    if dice.chance(0.2) { lines.append("  latency_us: \(dice.pick([1, 20_000, 500_000]))") }
    if dice.chance(0.2) { lines.append("  volume: \(dice.pick(["0", "0.5", "1"]))") }
    return lines
  }
}
