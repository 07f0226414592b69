import MetronomeCore

/// Invariants of the parser of rhythms. The first byte of an input selects the metre.
enum RhythmPromises {
  private static let metres: [Metre] = [
    Metre(.initial), Metre(Signature(text: "3/4")!), Metre(Signature(text: "2+2+3/8")!),
    Metre(Signature(text: "6/8")!, unit: BeatUnit(3, over: 8)!), Metre(Signature(text: "32/32")!),
    Metre(Signature(text: "1/2")!),
  ]

  static func check(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let metre = metres[Int(first) % metres.count]
    let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
    let rhythm: Rhythm
    do throws(NotationError) {
      rhythm = try Rhythm(text: text, for: metre)
    } catch {
      requireOneLine(error.text)
      let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      let isInside =
        (1...lines.count).contains(error.line) && (1...lines[error.line - 1].count + 1).contains(error.column)
      return require(isInside, "no such place: \(error)")
    }
    do throws(NotationError) {
      let again = try Rhythm(text: rhythm.text, for: metre)
      require(again == rhythm, "the printed text \(rhythm.text) is read back differently")
      require(again.text == rhythm.text, "the second printing differs: \(again.text)")
    } catch {
      require(false, "the printed text \(rhythm.text) is refused: \(error)")
    }
    for voice in 0..<rhythm.voiceCount { checkOrder(rhythm, voice, metre) }
  }

  /// The slots follow each other, the same number in each cycle.
  private static func checkOrder(_ rhythm: Rhythm, _ voice: Int, _ metre: Metre) {
    guard var slot = rhythm.firstSlot(of: voice, at: .zero, in: metre) else { return }
    for _ in 0..<200 {
      guard let next = rhythm.firstSlot(of: voice, at: slot.position, isAfter: true, in: metre) else {
        return require(false, "voice \(voice) ends after \(slot.position)")
      }
      require(next.position > slot.position, "\(next.position) follows \(slot.position)")
      require(next.level != .rest, "a rest sounds at \(next.position)")
      require(rhythm.firstSlot(of: voice, at: next.position, in: metre) == next, "\(next.position) is not found again")
      slot = next
    }
  }
}
