/// A few segments in place, oldest first: no heap, so that a timeline can be copied by a real-time thread.
struct SegmentList: Hashable, Sendable, BitwiseCopyable {
  /// What fits. A segment without a beat is never kept, so these are changes with a beat between each two of them, all
  /// within the time for which a segment must be remembered.
  static let capacity = 16

  private typealias Storage = (
    Segment, Segment, Segment, Segment, Segment, Segment, Segment, Segment,
    Segment, Segment, Segment, Segment, Segment, Segment, Segment, Segment
  )
  private var storage: Storage
  private(set) var count = 0

  init() {
    let none = Segment(
      start: .zero, anchor: .zero, firstIndex: 0, barBefore: 0, positionBefore: -1, tempo: .initial, signature: .initial
    )
    storage = (
      none, none, none, none, none, none, none, none, none, none, none, none, none, none, none, none
    )
  }

  var isFull: Bool { count == SegmentList.capacity }

  /// How many more fit.
  var room: Int { SegmentList.capacity - count }

  subscript(index: Int) -> Segment {
    precondition((0..<count).contains(index), "a segment that is not there")
    return withUnsafeBytes(of: storage) {
      $0.load(fromByteOffset: index * MemoryLayout<Segment>.stride, as: Segment.self)
    }
  }

  mutating func append(_ segment: Segment) {
    precondition(!isFull, "more segments than fit")
    store(segment, at: count)
    count += 1
  }

  mutating func replaceLast(with segment: Segment) {
    precondition(count > 0, "no segment to replace")
    store(segment, at: count - 1)
  }

  mutating func removeFirst(_ number: Int) {
    precondition(number <= count, "more segments than there are")
    let kept = (number..<count).map { self[$0] }
    count = 0
    for segment in kept { append(segment) }
  }

  /// Takes away those at the end that match.
  mutating func removeLast(where matches: (Segment) -> Bool) {
    while count > 0, matches(self[count - 1]) { count -= 1 }
  }

  func lastIndex(where matches: (Segment) -> Bool) -> Int? {
    var index = count - 1
    while index >= 0 {
      if matches(self[index]) { return index }
      index -= 1
    }
    return nil
  }

  func last(where matches: (Segment) -> Bool) -> Segment? { lastIndex(where: matches).map { self[$0] } }

  private mutating func store(_ segment: Segment, at index: Int) {
    withUnsafeMutableBytes(of: &storage) {
      $0.storeBytes(of: segment, toByteOffset: index * MemoryLayout<Segment>.stride, as: Segment.self)
    }
  }

  static func == (a: SegmentList, b: SegmentList) -> Bool {
    a.count == b.count && (0..<a.count).allSatisfy { a[$0] == b[$0] }
  }

  func hash(into hasher: inout Hasher) { for index in 0..<count { hasher.combine(self[index]) } }
}
