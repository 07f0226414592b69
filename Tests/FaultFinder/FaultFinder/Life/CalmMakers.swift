import MetronomeCore

/// Lives with few kinds of events, so far apart that their effects show.
extension Life {
  /// Creates a life that only joins a Link session. Each change is followed by the time that the beats need to follow it.
  init(sessionOf seed: UInt64) {
    var dice = Dice(seed: seed)
    var time = dice.time(.zero, .seconds(3))
    var lines = ["\(time.text) link join \(ScriptMaker.sessionTempo(&dice))"]
    for _ in 0..<dice.roll(1...4) {
      time = time + dice.time(.seconds(8), .seconds(30))
      lines.append("\(time.text) \(ScriptMaker.change(&dice))")
    }
    self.init(
      seed: seed, length: time + .seconds(30),
      configuration: File(name: "box.yaml", lines: Life.alone(tempo: 20...300, &dice)), lines: lines)
  }

  /// Creates a life in which presses are held or become chords, and so undo what they did when the button went down.
  init(undoneOf seed: UInt64) {
    var dice = Dice(seed: seed)
    var configuration = Life.alone(tempo: 30...300, &dice) + ["buttons:"]
    let buttons = ["faster", "slower", "numerator"]
    for button in buttons {
      configuration += ["  \(button):", "    short: \(Life.tempo(&dice))", "    repeat: none"]
      configuration.append("    long: \(dice.pick([Life.tempo(&dice), "next_accents", "volume_up", "silent"]))")
    }
    var time = dice.time(.seconds(1), .seconds(5))
    var lines: [String] = []
    if dice.chance(0.3) {
      // A timer that a start begins.
      configuration.removeAll { $0 == "autoplay: true" }
      configuration += ["  denominator:", "    short: timer \(dice.roll(1...10))s", "    repeat: none"]
      lines += ["100ms press denominator 50ms", "500ms press play 50ms"]
    }
    for _ in 0..<dice.roll(1...6) {
      let length = dice.time(.milliseconds(30), .milliseconds(900))
      if dice.chance(0.3) {
        lines.append("\(time.text) press faster \(length.text)")
        let later = time + dice.time(.zero, .milliseconds(600))
        lines.append("\(later.text) press slower \(dice.time(.milliseconds(30), .milliseconds(900)).text)")
      } else {
        lines.append("\(time.text) press \(dice.pick(buttons)) \(length.text)")
      }
      time = time + dice.time(.seconds(2), .seconds(dice.pick([4, 20])))
    }
    configuration += ["chords:", "  faster+slower: \(dice.pick([Life.tempo(&dice), "next_subdivision"]))"]
    self.init(
      seed: seed, length: time + .seconds(4), configuration: File(name: "box.yaml", lines: configuration), lines: lines)
  }

  /// A configuration that plays from its start.
  private static func alone(tempo: ClosedRange<Int>, _ dice: inout Dice) -> [String] {
    var lines = ["tempo: \(dice.roll(tempo))", "signature: \(dice.pick(["2/4", "3/4", "4/4", "5/4", "7/8"]))"]
    lines.append("autoplay: true")
    return lines + (dice.chance(0.5) ? ["audio:", "  device: none"] : [])
  }

  private static func tempo(_ dice: inout Dice) -> String {
    dice.chance(0.8)
      ? "tempo \(dice.roll(30...600))" : "\(dice.pick(["faster", "slower"])) \(dice.pick(["1", "7.5", "100", "998"]))"
  }
}
