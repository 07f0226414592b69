import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import TestSupport
import Testing

@Suite struct RoundTripTests {
  @Test func standardConfigurationIsReadBack() throws {
    #expect(try configuration(Configuration.standard.yaml) == .standard)
  }

  @Test(arguments: [(Double.nan, 0.0), (-.infinity, 0), (.infinity, 1), (0.8004, 0.8)])
  func unwritableVolumeIsRoundedToTheNearest(volume: Double, written: Double) throws {
    #expect(try configuration(Configuration(\.volume, volume).yaml).volume == written)
  }

  @Test(arguments: [
    (Double.infinity, 20.0), (-Double.infinity, -60.0), (-0.0004, 0.0), (Double.nan, -60.0), (-3.0006, -3.001),
  ])
  func unwritableGainIsRoundedToTheNearest(gain: Double, written: Double) throws {
    #expect(try configuration(Configuration(\.gainDB, gain).yaml).gainDB == written)
  }

  @Test(arguments: Seeds.few(80, of: Array(0..<500)))
  func writtenConfigurationIsReadBackEqual(seed: Int) throws {
    var dice = Dice(seed: UInt64(seed))
    let original = Configuration.random(&dice)
    let yaml = original.yaml
    let read = try configuration(yaml)
    #expect(read == original)
    #expect(read.yaml == yaml)
  }
}

extension Configuration {
  /// A random configuration that a file can express.
  fileprivate static func random(_ dice: inout Dice) -> Configuration {
    let limit = dice.pick(NumeratorLimit.allCases)
    let denominator = dice.pick(limit.denominators)
    let numerator = Int.random(in: 1...limit.highestNumerator(over: denominator), using: &dice)
    var names = Names()
    let wiring = Wiring.random(&dice, &names)
    var made = Configuration(\.wiring, wiring)
    made.tempo = Tempo(milliBPM: .random(in: 1_000...999_000, using: &dice))!
    made.signature = Signature(numerator, over: denominator, limit: limit)!
    made.numeratorLimit = limit
    made.autoplay = dice.pick(Autoplay.allCases)
    made.restores = .random(using: &dice)
    made.countIn = .random(in: 0...4, using: &dice)
    made.autoStop = .random(&dice)
    made.lockOut = .milliseconds(.random(in: 1...100, using: &dice))
    made.tapRounds = .random(using: &dice)
    made.tapStarts = .random(using: &dice)
    made.gestures = .random(&dice, wiring)
    made.pattern = OutputPattern([
      .light: .random(&dice, beat: false), .pendulum: .random(&dice, beat: true), .buzzer: .random(&dice, beat: false),
    ])
    for output in OutputSet.standard {
      made.hits[output].levels = PerLevel { $0 == .rest ? false : .random(using: &dice) }
    }
    made.strongColor = dice.pick(LightColor.allCases)
    made.mediumColor = dice.pick(LightColor.allCases)
    made.weakColor = dice.pick(LightColor.allCases)
    made.ghostColor = dice.pick(LightColor.allCases)
    made.beat = BeatUnit(dice.pick([1, 3]), over: dice.pick([2, 4, 8, 16]))!
    let rhythms = ["", "sub=3", "& 3:4", "sub=2 & clave=son32 & 5:7 sound=click"]
    made.rhythm = try! Rhythm(text: dice.pick(rhythms), for: Metre(made.signature))
    made.audio = AudioRequest(
      device: dice.pick([.auto, .none, .named(names.next(&dice))]), rate: .random(in: 8_000...192_000, using: &dice),
      period: .random(in: 16...2_000, using: &dice), periods: .random(in: 2...4, using: &dice))
    if case .named = made.audio.device, Bool.random(using: &dice) {
      made.secondAudio = AudioRequest(
        device: .named("Second"), rate: .random(in: 8_000...192_000, using: &dice),
        period: .random(in: 16...2_000, using: &dice), periods: .random(in: 2...4, using: &dice))
      made.latencies.secondAudio = .microseconds(.random(in: 0...500_000, using: &dice))
      made.secondCard.gainDB = Double(Int.random(in: -60_000...20_000, using: &dice)) / 1_000
    }
    made.volume = Double(Int.random(in: 0...1_000, using: &dice)) / 1_000
    made.gainDB = Double(Int.random(in: -60_000...20_000, using: &dice)) / 1_000
    made.clickFiles = ClickFiles { $0 == .rest ? nil : .random(&dice, &names) }
    if Bool.random(using: &dice) {
      made.numberFiles = [:]
      for place in 1...37 where Int.random(in: 0..<6, using: &dice) == 0 {
        let onset: Nanoseconds? =
          Bool.random(using: &dice) ? nil : .microseconds(.random(in: 0...300_000, using: &dice))
        made.numberFiles?[place] = NumberFile(ConfiguredFile(names.next(&dice)), onset: onset)
      }
    }
    made.say = made.numberFiles?.isEmpty == true ? .none : dice.pick(Speech.allCases)
    made.sayWhen = dice.pick(SpokenBars.allCases)
    made.latencies = .random(&dice)
    made.spins = .random(using: &dice)
    return made
  }
}

extension Nanoseconds? {
  fileprivate static func random(_ dice: inout Dice) -> Nanoseconds? {
    let units: [Int64] = [1, 1_000, 1_000_000, 1_000_000_000, 60_000_000_000, 3_600_000_000_000]
    let unit = dice.pick(units)
    let least = max(1, 1_000_000_000 / unit)
    let spans = Nanoseconds(unit * Int64.random(in: least...(86_400_000_000_000 / unit), using: &dice))
    return dice.pick([nil, spans])
  }
}

extension GestureTable {
  /// A random table. Only chords of present buttons have a command.
  fileprivate static func random(_ dice: inout Dice, _ wiring: Wiring) -> GestureTable {
    var table = GestureTable.standard
    for button in Button.standard where Bool.random(using: &dice) {
      let isLong = Bool.random(using: &dice)
      table.bind(.short(button), to: .random(&dice))
      table.bind(isLong ? .repeated(button) : .long(button), to: nil)
      table.bind(isLong ? .long(button) : .repeated(button), to: .random(&dice))
    }
    let present = Configuration(\.wiring, wiring).presentButtons
    for one in Button.standard {
      for other in Button.standard {
        guard let pair = ButtonPair(one, other), Int.random(in: 0..<9, using: &dice) == 0 else { continue }
        let isPressable = present.contains(one) && present.contains(other)
        table.bind(.chord(pair), to: isPressable ? .random(&dice) : nil, isHeld: Bool.random(using: &dice))
      }
    }
    return table
  }
}

extension Command? {
  fileprivate static func random(_ dice: inout Dice) -> Command? {
    let step = Int.random(in: 1...998_000, using: &dice)
    let commands: [Command?] = [
      nil, .togglePlaying, .start, .stop, .setTempo(Tempo(milliBPM: .random(in: 1_000...999_000, using: &dice))!),
      .stepTempo(byMilliBPM: step), .stepTempo(byMilliBPM: -step), .stepTempo(byMilliBPM: 1_000), .resetTempo, .tap,
      .nextNumerator, .previousNumerator, .nextDenominator, .previousDenominator, .toggleSilence, .tellTempo,
      .tellSignature, .nextPreset, .previousPreset, .recallPreset(.random(in: 1...128, using: &dice)),
      .storePreset(.random(in: 1...128, using: &dice)), .volumeUp, .volumeDown, .nextClickSet, .setClickSet(.rim),
      .nextSubdivision,
      .previousSubdivision, .nextAccents,
    ]
    return dice.pick(commands)
  }
}

extension InputRequest {
  fileprivate static func random(_ dice: inout Dice, _ names: inout Names) -> InputRequest {
    let name = names.next(&dice)
    var request = InputRequest(name.hasPrefix("/") ? .path(name) : .named(name), isGrabbed: .random(using: &dice))
    for _ in 0..<Int.random(in: 0...3, using: &dice) {
      request.keys[KeyCode(name: dice.pick(KeyCode.names))!] = dice.pick(Button.standard)
    }
    for _ in 0..<Int.random(in: request.keys.isEmpty ? 1...2 : 0...2, using: &dice) {
      request.relative[AxisCode(name: dice.pick(AxisCode.names))!] = dice.pick(Dial.allCases)
    }
    return request
  }
}

extension ConfiguredFile? {
  fileprivate static func random(_ dice: inout Dice, _ names: inout Names) -> ConfiguredFile? {
    Bool.random(using: &dice) ? ConfiguredFile(names.next(&dice)) : nil
  }
}

/// Random names, all different.
private struct Names {
  private var count = 100

  mutating func next(_ dice: inout Dice) -> String {
    count += 1
    let pieces = [
      "GPIO", "hw:CARD=", "#", " #", ": ", "-", "- ", "\"", "\\", "'", "é", "節", "{", "}", "[", ",", "&", "*", "!", "|",
      "%", "@", "`", "~", "?", "/dev/", "null", "true", "no", "beat", "auto", ".5", "0x", "_", "\u{1F3B5}",
    ]
    let text = (0..<Int.random(in: 0...2, using: &dice)).map { _ in dice.pick(pieces) }.joined()
    return dice.pick([text + "\(count)", "\(count)" + text])
  }
}

extension Wiring {
  fileprivate static func random(_ dice: inout Dice, _ names: inout Names) -> Wiring {
    var wiring = Wiring(chip: dice.pick([.auto, .named(names.next(&dice))]), outputs: [:], buttons: [:])
    // The header has the offsets 0 to 27.
    var offsets = Array(0..<(wiring.chip == .auto ? 28 : 40)).shuffled(using: &dice)
    func line() -> LineID {
      switch Int.random(in: 0..<3, using: &dice) {
      case 0: .offset(offsets.removeLast())
      // A name such as GPI05 must be in quotes.
      case 1: .name("\(dice.pick(["GPIO", "GPI0"]))\(offsets.removeLast())")
      default: .name(names.next(&dice))
      }
    }
    for output in OutputSet.standard where Int.random(in: 0..<4, using: &dice) > 0 {
      wiring.outputs[OutputLine(output)] = OutputWiring(line: line(), active: dice.pick(Polarity.allCases))
    }
    if let light = wiring.outputs[.light], Bool.random(using: &dice) {
      for output in [OutputLine.green, .blue] {
        wiring.outputs[output] = OutputWiring(line: line(), active: light.active)
      }
    }
    wiring.display.address = dice.pick(DisplayWiring.Address.allCases)
    if Int.random(in: 0..<4, using: &dice) == 0 {
      wiring.display.bus = "/dev/i2c-\(Int.random(in: 0...20, using: &dice))"
      wiring.display.chip = dice.pick(DisplayWiring.Chip.allCases)
      wiring.display.size = dice.pick(DisplayWiring.Size.allCases)
      wiring.display.view = dice.pick(DisplayWiring.View.allCases)
    } else if Bool.random(using: &dice) {
      wiring.display = DisplayWiring(clock: line(), data: line(), brightness: Int.random(in: 0...8, using: &dice))
    }
    for button in Button.standard where Int.random(in: 0..<4, using: &dice) > 0 {
      wiring.buttons[button] = ButtonWiring(
        line: line(), active: dice.pick(Polarity.allCases), bias: dice.pick(Bias.allCases))
    }
    for _ in 0..<Int.random(in: 0..<3, using: &dice) { wiring.inputs.append(.random(&dice, &names)) }
    return wiring
  }
}

extension OutputLatencies {
  fileprivate static func random(_ dice: inout Dice) -> OutputLatencies {
    func latency() -> Nanoseconds { .microseconds(.random(in: 0...500_000, using: &dice)) }
    return OutputLatencies(light: latency(), pendulum: latency(), buzzer: latency(), audio: latency())
  }
}

extension PerLevel<Pulse> {
  fileprivate static func random(_ dice: inout Dice, beat: Bool) -> PerLevel<Pulse> {
    func pulse() -> Pulse {
      if beat, Bool.random(using: &dice) { return .wholeBeat }
      return .atMost(.microseconds(Int64.random(in: 0...1_000_000, using: &dice)))
    }
    return PerLevel { $0 == .rest ? (beat ? .wholeBeat : .atMost(.zero)) : pulse() }
  }
}
