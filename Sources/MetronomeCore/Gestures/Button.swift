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
