import MetronomeCore

/// Writes random scores, for the property tests and for the fault finder.
public struct RandomScore: Sendable {
  /// Whether the songs have pauses.
  var hasPauses: Bool
  /// Whether the songs have steps and limits in seconds.
  var hasTimes: Bool
  var mostSongs: Int

  public init(hasPauses: Bool = true, hasTimes: Bool = true, mostSongs: Int = 3) {
    (self.hasPauses, self.hasTimes, self.mostSongs) = (hasPauses, hasTimes, mostSongs)
  }

  private static let signatures = ["", "3/4", "6/8", "2+2+3/8", "1/4", "5/16", "7/8", "1/1", "4/4"]
  private static let extremeSignatures = ["32/32", "32/8", "31/16", "1/32"]

  public func text(_ random: inout Lehmer) -> String {
    let isExtreme = random.below(4) == 0
    var lines: [String] = []
    for number in 0...random.below(mostSongs) {
      var head = "song \"\(number)\""
      if random.below(3) == 0 { head += " count=\(random.below(3))" }
      if random.below(2) == 0 { head += " scale=\(isExtreme ? [1, 400][random.below(2)] : 50 + random.below(151))%" }
      lines.append(head)
      if hasPauses, random.below(8) == 0 { lines.append(pause(&random, 0)) }
      lines += [entry(&random, isExtreme)] + parts(&random, depth: 0, isExtreme)
    }
    return lines.joined(separator: "\n")
  }

  private func parts(_ random: inout Lehmer, depth: Int, _ isExtreme: Bool) -> [String] {
    var lines: [String] = []
    for _ in 0...random.below(4) {
      switch random.below(7) {
      case 0 where depth < 3:
        let count = random.below(5) == 0 ? "" : "\(1 + random.below(3))"
        lines += ["{" + count] + parts(&random, depth: depth + 1, isExtreme) + ["}"]
      case 1 where hasPauses: lines.append(pause(&random, depth))
      default: lines.append(entry(&random, isExtreme))
      }
    }
    return lines
  }

  /// A pause of a few milliseconds only outside blocks, which may have no end.
  private func pause(_ random: inout Lehmer, _ depth: Int) -> String {
    switch random.below(4) {
    case 0: "pause wait"
    case 1: "pause \(1 + random.below(9))beat"
    case 2 where depth == 0: "pause \(random.below(3)).00\(1 + random.below(9))00000\(random.below(10))s"
    default: "pause \(random.below(3)).\(1 + random.below(999))s"
    }
  }

  private func tempo(_ random: inout Lehmer, _ isExtreme: Bool) -> String {
    if isExtreme { return ["1", "999", "1.000001", "998.999999", "998"][random.below(5)] }
    return ["\(30 + random.below(300))", "\(40 + random.below(400)).\(random.below(1_000_000))", "120"][random.below(3)]
  }

  private func entry(_ random: inout Lehmer, _ isExtreme: Bool) -> String {
    let signatures = RandomScore.signatures + (isExtreme ? RandomScore.extremeSignatures : [])
    let name = signatures[random.below(signatures.count)]
    let signature = name.isEmpty ? Signature.initial : Signature(text: name)!
    var bars = 1 + random.below(4)
    var isEndless = random.below(12) == 0
    var tempo = tempo(&random, isExtreme)
    switch random.below(9) {
    case 0, 1:
      tempo += ["-", ">", "~"][random.below(3)] + self.tempo(&random, isExtreme)
      isEndless = false
    case 2:
      bars = 1
      isEndless = false
      let beats = Metre(signature).beatsInBar
      tempo = (0..<beats).map { _ in self.tempo(&random, isExtreme) }.joined(separator: ",")
    case 3:
      let first = 60 + random.below(100)
      let (step, size) = (5 + random.below(30), 10 + random.below(90))
      let units = hasTimes ? ["bar", "beat", "s"] : ["bar", "beat"]
      tempo = random.below(2) == 0 ? "\(first)+\(step)" : "\(first + size)-\(step)"
      tempo +=
        "/\(1 + random.below(3))\(units[random.below(units.count)])..\(tempo.contains("+") ? first + size : first)"
      tempo += ["", "!stay", "!stop", "!again", "!reverse"][random.below(5)]
    case 4: tempo = "\(100_000 + random.below(900_000))us"
    default: break
    }
    // A jig. Tempi with more than three decimals, and lists for each eighth, count quarters.
    let isPlain = !tempo.replacing("..", with: "").contains { $0 == "." || $0 == "," }
    if name == "6/8", isPlain, !isExtreme, bars % 2 == 0 { tempo = "3/8=" + tempo }
    var words = [isEndless ? "*" : "\(bars)", name, tempo] + options(&random, signature)
    if hasTimes, random.below(8) == 0 { words.append("limit=\(1 + random.below(5))s") }
    if random.below(8) == 0 { words.append("count=\(1 + random.below(2))") }
    let voice = random.below(10) == 0 ? "\n& \(1 + random.below(4)):\(1 + random.below(5))" : ""
    return words.filter { !$0.isEmpty }.joined(separator: " ") + voice
  }

  private func options(_ random: inout Lehmer, _ signature: Signature) -> [String] {
    var words: [String] = []
    if random.below(5) == 0 {
      let levels = ["X", "Y", "x", "o", "."]
      words.append((0..<signature.numerator).map { _ in levels[random.below(5)] }.joined())
    }
    if random.below(5) == 0 { words.append("0.\(1 + random.below(9))") }
    if random.below(5) == 0 { words.append("sub=\(1 + random.below(5))") }
    if random.below(5) == 0 {
      words.append("mute=\(random.below(3))/\(1 + random.below(3))\(["bar", "beat"][random.below(2)])")
    }
    if random.below(5) == 0 {
      words.append("drop=\(random.below(101))%" + (random.below(2) == 0 ? ":\(random.below(5))bar" : ""))
      words.append("seed=\(random.below(1_000))")
    }
    return words
  }
}
