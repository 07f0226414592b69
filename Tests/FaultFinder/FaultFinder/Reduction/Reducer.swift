import MetronomeCore

/// Makes a life that breaks a promise as short as it goes: fewer lines of the script, fewer keys of the configurations,
/// shorter times, and the same promise is still broken.
///
/// Delta debugging (Zeller, Hildebrandt: "Simplifying and isolating failure-inducing input", 2002) over the lines; what is
/// indented below a line goes with it.
public struct Reducer {
  /// Whether a life breaks the promise; false as well for one that cannot be lived.
  public typealias Trial = (Life) -> Bool

  private let breaks: Trial
  /// How many lives may be tried yet.
  private var budget: Int
  public private(set) var life: Life

  /// - Parameters:
  ///   - life: breaks the promise.
  ///   - budget: how many lives are tried at the most.
  public init(_ life: Life, budget: Int = 2_000, breaks: @escaping Trial) {
    self.life = life
    self.budget = budget
    self.breaks = breaks
  }

  /// Goes on until nothing can be left out any more.
  ///
  /// - Parameter end: when the promise was broken: nothing after it counts.
  public mutating func reduce(end: Nanoseconds) {
    adopt { $0.length = min($0.length, end + .milliseconds(1)) }
    adopt { $0.length = min($0.length, end + .seconds(1)) }
    var size = Int.max
    while budget > 0, size > life.size {
      size = life.size
      dropLines(\.lines)
      dropReloads()
      dropLines(\.configuration.lines)
      for index in life.reloads.indices { dropLines(\.reloads[index].lines) }
      shortenTimes()
    }
  }

  /// Tries another life in place of the shortest so far.
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

  /// Leaves out lines: first half of them at a time, then a quarter, and in the end each.
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

  /// With what is indented below the last line.
  private static func end(ofChunk chunk: Range<Int>, in lines: [String]) -> Int {
    var end = chunk.upperBound
    let indentation = lines[end - 1].prefix { $0 == " " }.count
    while end < lines.count, lines[end].prefix(while: { $0 == " " }).count > indentation { end += 1 }
    return end
  }

  private mutating func dropReloads() {
    for file in life.reloads where !life.lines.contains(where: { $0.hasSuffix(" reload \(file.name)") }) {
      adopt { $0.reloads.removeAll { $0.name == file.name } }
    }
  }

  /// Writes times with fewer digits, and brings the end nearer.
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
  /// How much there is to read.
  var size: Int {
    let words = lines.map(\.count).reduce(0, +)
    let keys = ([configuration] + reloads).flatMap(\.lines).map(\.count).reduce(0, +)
    return words + keys + Int(length.count / 1_000_000_000)
  }
}
