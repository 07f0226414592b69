extension Life {
  /// The kinds of events in the life, one or two words each, for the counts of a campaign.
  public var kinds: Set<String> {
    var kinds: Set<String> = []
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      guard words.count > 1 else { continue }
      switch words[1] {
      case "card", "disk", "late", "power", "clock": kinds.insert(words[1...].prefix(2).joined(separator: " "))
      case "link": kinds.insert("link \(words[2])")
      case "midi": kinds.insert(words[2] == "out" ? "midi out \(words[4])" : "midi \(words[2])")
      case "unplug", "plug": kinds.insert(words.last == "chip" ? "\(words[1]) chip" : "\(words[1]) device")
      default: kinds.insert(words[1])
      }
    }
    if !scores.isEmpty { kinds.insert("score") }
    if ([configuration] + reloads).contains(where: { $0.lines.contains("trainer:") }) { kinds.insert("trainer") }
    return kinds
  }
}
