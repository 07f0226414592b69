import BoardSimulation
import MetronomeCore

/// Writes scripts of a MIDI source as the public record has them: songs that change their tempo, programs that stall, loops, and
/// transports in any order.
///
/// Clocks are on one grid while the source runs: a line of clocks begins where the one before ends, or whole clocks later.
struct SourceMaker {
  private(set) var lines: [String] = []
  /// When the next clock is due.
  private var next: Nanoseconds
  /// In thousandths of a quarter per minute.
  private var tempo: Int
  private let jitter: Nanoseconds

  init(_ dice: inout Dice) {
    next = dice.time(.milliseconds(200), .seconds(2))
    tempo = SourceMaker.tempo(40...240, &dice)
    jitter = dice.chance(0.6) ? .zero : dice.time(.microseconds(10), Nanoseconds(2_500_000_000_000 / Int64(tempo)) / 16)
    if dice.chance(0.5) {
      run(dice.roll(2...150), &dice)
      between(&dice) { $0.send("start", &$1) }
    } else {
      send("start", before: dice.time(.microseconds(300), .milliseconds(dice.pick([1, 5, 300]))))
    }
  }

  /// How long the script lasts.
  var length: Nanoseconds { next }

  /// Adds what a source does next.
  mutating func add(_ dice: inout Dice) {
    run(dice.roll(dice.chance(0.3) ? 1...30 : 30...200), &dice)
    switch dice.roll(0...9) {
    case 0, 1: jump(&dice)
    case 2: ramp(&dice)
    case 3: stall(&dice)
    case 4: flaw(&dice)
    case 5, 6: loop(&dice)
    case 7: stop(&dice)
    case 8: anyMessages(&dice)
    default: unplug(&dice)
    }
  }

  /// Ends the song on whole beats of a known tempo.
  mutating func end(_ dice: inout Dice) { run(dice.roll(100...200), &dice) }

  private static func tempo(_ range: ClosedRange<Int>, _ dice: inout Dice) -> Int {
    dice.roll(range) * 1_000 + (dice.chance(0.5) ? 0 : dice.roll(0...999))
  }

  private var clock: Nanoseconds { Nanoseconds(2_500_000_000_000 / Int64(tempo)) }

  private var late: String { jitter == .zero ? "" : " jitter \(jitter.text)" }

  private mutating func note(_ time: Nanoseconds, _ text: String) { lines.append("\(time.text) midi \(text)") }

  private mutating func run(_ count: Int, flaws: String = "", _ dice: inout Dice) {
    // Half a clock more, so that rounding leaves none out.
    let length = Nanoseconds((Int64(count) * 2 - 1) * 1_250_000_000_000 / Int64(tempo))
    note(next, "clock \(Tempo(milliBPM: tempo)!.number) for \(length.text)\(late)\(flaws)")
    next = next + Nanoseconds(Int64(count) * 2_500_000_000_000 / Int64(tempo))
  }

  /// Messages between the last clock and the next one.
  private mutating func between(_ dice: inout Dice, _ body: (inout SourceMaker, inout Dice) -> Void) {
    lastMessage = next - clock + jitter
    body(&self, &dice)
  }

  private var lastMessage = Nanoseconds.zero

  private mutating func send(_ message: String, _ dice: inout Dice) {
    let left = max(Nanoseconds(2), next - lastMessage)
    lastMessage = lastMessage + Nanoseconds(left.count * Int64(dice.roll(1...40)) / 100)
    note(lastMessage, message)
  }

  private mutating func send(_ message: String, before time: Nanoseconds) {
    note(next, message)
    next = next + time
  }

  private mutating func jump(_ dice: inout Dice) {
    let factors = [500, 2_000, 333, 3_000, 667, 1_500, dice.roll(300...1_000), dice.roll(1_000...3_000)]
    let other = tempo * dice.pick(factors) / 1_000
    guard (25_000...400_000).contains(other) else { return }
    tempo = other
    if dice.chance(0.3) {
      run(dice.roll(1...4), &dice)
      stall(&dice)
    }
    run(dice.roll(60...200), &dice)
  }

  private mutating func ramp(_ dice: inout Dice) {
    let other = min(max(tempo * dice.roll(600...1_600) / 1_000, 40_000), 300_000)
    let length = dice.time(.seconds(3), .seconds(20))
    let text = "clock \(Tempo(milliBPM: tempo)!.number)-\(Tempo(milliBPM: other)!.number) for \(length.text)"
    guard let script = try? Script(text: Array("0s midi \(text)\n".utf8), file: ""),
      let last = script.inputs(from: .zero).last
    else { return }
    note(next, text + late)
    tempo = other
    next = next + (last.instant - .zero) + clock
    run(dice.roll(60...200), &dice)
  }

  /// The source is silent for some clocks, and then sends them at once, or not at all.
  private mutating func stall(_ dice: inout Dice) {
    let count = dice.roll(1...40)
    let begin = next
    next = next + Nanoseconds(Int64(count) * 2_500_000_000_000 / Int64(tempo))
    if dice.chance(0.6) {
      // The last one is due before the burst, which ends before the next one.
      let pause = min(dice.time(.microseconds(300), .milliseconds(1)), clock * 8 / 10 / Int64(count))
      for number in 0..<count {
        note(
          max(begin, next - clock) + clock / 20 + pause * Int64(number),
          "clock 999 for 1us")
      }
    }
    run(dice.roll(30...100), &dice)
  }

  private mutating func flaw(_ dice: inout Dice) {
    let share = dice.pick(["1", "5", "20"])
    run(dice.roll(100...400), flaws: " \(dice.pick(["loss", "doubling"])) \(share)%", &dice)
    run(dice.roll(60...100), &dice)
  }

  private mutating func loop(_ dice: inout Dice) {
    for _ in 0..<dice.roll(1...4) {
      between(&dice) { maker, dice in
        let form = dice.roll(0...4)
        if form < 4 { maker.send("stop", &dice) }
        if form < 3 { maker.send("position \(dice.roll(0...8) * dice.pick([1, 4, 16]))", &dice) }
        maker.send(form == 2 || form == 4 ? "start" : "continue", &dice)
        if dice.chance(0.1) { maker.send("continue", &dice) }
      }
      run(dice.chance(0.7) ? 24 * dice.roll(1...8) : dice.roll(1...150), &dice)
    }
  }

  /// A stop, with clocks that run on or not, and a start at any phase.
  private mutating func stop(_ dice: inout Dice) {
    between(&dice) { $0.send("stop", &$1) }
    let runsOn = dice.chance(0.6)
    if runsOn { run(dice.roll(1...100), &dice) } else { next = next + dice.time(.zero, .seconds(2)) }
    between(&dice) { maker, dice in
      if dice.chance(0.4) { maker.send("position \(dice.roll(0...64))", &dice) }
      maker.send(dice.pick(["start", "continue"]), &dice)
    }
    if !runsOn || dice.chance(0.5) {
      next = lastMessage + dice.time(.microseconds(500), clock)
    }
    run(dice.roll(60...120), &dice)
  }

  private mutating func anyMessages(_ dice: inout Dice) {
    for _ in 0..<dice.roll(1...6) {
      between(&dice) { maker, dice in
        for _ in 0..<dice.roll(1...3) {
          maker.send(dice.pick(["start", "continue", "stop", "position \(dice.roll(0...40))"]), &dice)
        }
      }
      run(dice.roll(1...60), &dice)
    }
    between(&dice) { $0.send($1.pick(["start", "continue"]), &$1) }
    run(dice.roll(60...120), &dice)
  }

  /// The source goes on while its cable is unplugged.
  private mutating func unplug(_ dice: inout Dice) {
    note(next + clock / 2, "unplug")
    let count = dice.roll(1...100)
    note(next + Nanoseconds((Int64(count) * 2 + 1) * 1_250_000_000_000 / Int64(tempo)), "plug")
    run(count + dice.roll(60...120), &dice)
  }
}

extension Life {
  /// A random life in which a box only follows a MIDI source.
  public init(sourceOf seed: UInt64) {
    var dice = Dice(seed: seed)
    var lines = ["signature: \(dice.pick(["4/4", "3/4", "5/4", "2/2", "6/8", "7/8"]))"]
    lines += ["midi:", "  in: Source", "  transport: follow"]
    if dice.chance(0.3) { lines.append("  in_latency_us: \(dice.pick([-2_000, 500, 5_000]))") }
    if dice.chance(0.5) { lines += ["audio:", "  device: none"] }
    var maker = SourceMaker(&dice)
    for _ in 0..<dice.roll(1...6) { maker.add(&dice) }
    maker.end(&dice)
    let timed = maker.lines.enumerated().map { (Nanoseconds(text: String($1.prefix { $0 != " " })) ?? .zero, $0, $1) }
    self.init(
      seed: seed, length: maker.length, configuration: File(name: "box.yaml", lines: lines),
      lines: timed.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2))
  }
}
