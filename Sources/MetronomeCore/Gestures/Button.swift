/// The buttons of the box, by what they are for. A box has those that it wants.
public enum Button: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  case play
  case slower
  case faster
  case numerator
  case denominator
  case tap
  case presetNext = "preset_next"
  case presetPrevious = "preset_previous"
  case preset1 = "preset_1"
  case preset2 = "preset_2"
  case preset3 = "preset_3"
  case preset4 = "preset_4"
}

extension Button {
  /// Its place among all of them: what a table that is looked into for every edge goes by.
  package var index: Int {
    switch self {
    case .play: 0
    case .slower: 1
    case .faster: 2
    case .numerator: 3
    case .denominator: 4
    case .tap: 5
    case .presetNext: 6
    case .presetPrevious: 7
    case .preset1: 8
    case .preset2: 9
    case .preset3: 10
    case .preset4: 11
    }
  }
}
