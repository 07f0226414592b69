import MetronomeCore

/// A click's samples as the mixer reads them: where they are, without holding them. Good while their bank is.
///
/// So the audio thread can pass them on, and no reference is counted.
struct ReadableSamples: BitwiseCopyable {
  /// Without the silence on both sides.
  let count: Int
  let left: UnsafePointer<Float>
  let right: UnsafePointer<Float>

  /// The samples of the left (0) or right (1) channel, from the sound's first frame on.
  func plane(_ index: Int) -> UnsafePointer<Float> { index == 0 ? left : right }
}

/// Those of every accent.
struct ReadableBank: BitwiseCopyable {
  let first: ReadableSamples
  let regular: ReadableSamples

  subscript(accent: Accent) -> ReadableSamples {
    switch accent {
    case .first: first
    case .regular: regular
    }
  }
}
