import MetronomeCore

/// Reduces a life that breaks a promise: fewer lines in the script and the scores, fewer keys in the configurations, shorter
/// times, with the same promise still broken.
///
/// Delta debugging (Zeller, Hildebrandt: "Simplifying and isolating failure-inducing input", 2002) over the lines; lines
/// indented below a line belong to it.
public struct Reducer {
  /// Whether a life breaks the promise; false also for an invalid life.
  public typealias Trial = (Life) -> Bool

  private let breaks: Trial
  /// How many more lives may be tried.
  private var budget: Int
  public private(set) var life: Life

  /// - Parameters:
  ///   - life: breaks the promise.
  ///   - budget: the highest number of lives to try.
  public init(_ life: Life, budget: Int = 2_000, breaks: @escaping Trial) {
    self.life = life
    self.budget = budget
    self.breaks = breaks
  }

  /// Reduces until nothing more can be removed.
  ///
  /// - Parameter end: when the promise was broken; later events do not matter.
  public mutating func reduce(end: Nanoseconds) {
    adopt { $0.length = min($0.length, end + .milliseconds(1)) }
    adopt { $0.length = min($0.length, end + .seconds(1)) }
    var size = Int.max
    while budget > 0, size > life.size {
      size = life.size
      dropLines(\.lines)
      dropUnusedFiles()
      dropLines(\.configuration.lines)
      for index in life.reloads.indices { dropLines(\.reloads[index].lines) }
      for index in life.scores.indices { dropLines(\.scores[index].lines) }
      shortenTimes()
    }
  }

  /// Replaces the shortest life so far if the changed one breaks the promise too.
  @discardableResult
  private mutating func adopt(_ change: (inout Life) -> Void) -> Bool {
    var candidate = life
    change(&candidate)
    guard candidate != life, budget > 0 else { return false }
    budget -= 1
    guard breaks(candidate) else { return false }
    life = candidate
    return true
  }

  /// Removes lines: first half of them at a time, then a quarter, finally one by one.
  private mutating func dropLines(_ lines: WritableKeyPath<Life, [String]>) {
    if !life[keyPath: lines].isEmpty, adopt({ $0[keyPath: lines] = [] }) { return }
    var chunk = max(1, life[keyPath: lines].count / 2)
    while true {
      var start = 0
      while start < life[keyPath: lines].count {
        let end = Reducer.end(ofChunk: start..<min(start + chunk, life[keyPath: lines].count), in: life[keyPath: lines])
        if !adopt({ $0[keyPath: lines].removeSubrange(start..<end) }) { start += chunk }
      }
      guard chunk > 1, budget > 0 else { return }
      chunk /= 2
    }
  }

  /// The end of a chunk, including the lines indented below its last line.
  private static func end(ofChunk chunk: Range<Int>, in lines: [String]) -> Int {
    var end = chunk.upperBound
    let indentation = lines[end - 1].prefix { $0 == " " }.count
    while end < lines.count, lines[end].prefix(while: { $0 == " " }).count > indentation { end += 1 }
    return end
  }

  private mutating func dropUnusedFiles() {
    for file in life.reloads where !life.lines.contains(where: { $0.hasSuffix(" reload \(file.name)") }) {
      adopt { $0.reloads.removeAll { $0.name == file.name } }
    }
    let keys = ([life.configuration] + life.reloads).flatMap(\.lines)
    for file in life.scores where !keys.contains("score: \(file.name)") {
      adopt { $0.scores.removeAll { $0.name == file.name } }
    }
  }

  /// Rounds times to fewer digits, and shortens the life.
  private mutating func shortenTimes() {
    while adopt({ $0.length = $0.length / 2 }) {}
    while adopt({ $0.length = $0.length / 10 * 9 }) {}
    for unit in [Nanoseconds.seconds(1), .milliseconds(100), .milliseconds(1)] {
      for index in life.lines.indices {
        adopt { $0.lines[index] = Reducer.rounded($0.lines[index], to: unit) }
      }
      adopt { $0.length = Nanoseconds($0.length.count / unit.count * unit.count) }
    }
  }

  /// A line of the script with its time rounded down.
  static func rounded(_ line: String, to unit: Nanoseconds) -> String {
    var words = line.split(separator: " ").map(String.init)
    guard let first = words.first, let time = Nanoseconds(text: first) else { return line }
    words[0] = Nanoseconds(time.count / unit.count * unit.count).text
    return words.joined(separator: " ")
  }
}

extension Life {
  /// The amount of text.
  var size: Int {
    let words = lines.map(\.count).reduce(0, +)
    let keys = ([configuration] + reloads + scores).flatMap(\.lines).map(\.count).reduce(0, +)
    return words + keys + Int(length.count / 1_000_000_000)
  }
}
