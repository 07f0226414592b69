import HardwareAbstraction

/// A period's sound while it is mixed, and its frames as the card takes them.
package struct MixedPeriod: ~Copyable {
  /// Up to here the sum of the clicks is stored as it is.
  package static let knee: Float = 0.8
  /// What no sum, however loud, exceeds.
  package static let ceiling: Float = 0.99

  let frames: UnsafeRawBufferPointer
  /// Whether left and right may differ, on a card that has both.
  var isStereo: Bool
  /// 2 where left and right differ.
  var planeCount: Int { isStereo && mostPlanes > 1 ? 2 : 1 }
  private let mostPlanes: Int
  private let format: AudioFormat
  private let bytes: UnsafeMutableRawBufferPointer
  private let planes: UnsafeMutablePointer<Float>

  /// - Parameter isStereo: whether left and right may differ, on a card that has both.
  init(format: AudioFormat, isStereo: Bool) {
    self.format = format
    self.isStereo = isStereo
    mostPlanes = min(2, format.channels)
    planes = .allocate(capacity: mostPlanes * format.periodFrames)
    planes.initialize(repeating: 0, count: mostPlanes * format.periodFrames)
    bytes = .allocate(byteCount: format.periodFrames * format.bytesPerFrame, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    frames = UnsafeRawBufferPointer(bytes)
  }

  deinit {
    planes.deallocate()
    bytes.deallocate()
  }

  /// What is mixed: the left (0) or right (1) channel, or both in one.
  func plane(_ index: Int) -> UnsafeMutablePointer<Float> { planes + index * format.periodFrames }

  /// Empties what is mixed.
  func clear() { planes.update(repeating: 0, count: planeCount * format.periodFrames) }

  /// Makes the frames silent.
  func eraseFrames() { bytes.initializeMemory(as: UInt8.self, repeating: 0) }

  /// Stores what is mixed in the frames, the left plane in the even channels and the right one in the odd.
  func store() {
    for index in 0..<planeCount * format.periodFrames { planes[index] = MixedPeriod.saturated(planes[index]) }
    switch format.sampleFormat {
    case .s16: store { Int16(($0 * 0x8000).rounded()).littleEndian }
    case .s32: store { Int32((Double($0) * 0x8000_0000).rounded()).littleEndian }
    case .s24: store { PackedSample(Int32(($0 * 0x80_0000).rounded())) }
    case .float: store { $0.bitPattern.littleEndian }
    }
  }

  /// A sample as it is up to the knee, and above bent towards the ceiling by `x / (1 + x)`, which goes on with the same
  /// slope and reaches its end only at infinity.
  private static func saturated(_ sample: Float) -> Float {
    let level = sample.magnitude
    guard level > knee else { return sample }
    let room = ceiling - knee
    let bent = knee + room * (1 - 1 / (1 + (level - knee) / room))
    return sample < 0 ? -bent : bent
  }

  @inline(__always)
  private func store<Sample: BitwiseCopyable>(_ converted: (Float) -> Sample) {
    let size = format.sampleFormat.byteCount
    var place = 0
    for frame in 0..<format.periodFrames {
      let left = converted(planes[frame])
      let right = planeCount > 1 ? converted(planes[format.periodFrames + frame]) : left
      for channel in 0..<format.channels {
        bytes.storeBytes(of: channel & 1 == 0 ? left : right, toByteOffset: place, as: Sample.self)
        place += size
      }
    }
  }
}

/// A sample of 24 bits in three bytes, the lowest first.
private struct PackedSample: BitwiseCopyable {
  private let bytes: (UInt8, UInt8, UInt8)

  init(_ sample: Int32) {
    bytes = (
      UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8), UInt8(truncatingIfNeeded: sample >> 16)
    )
  }
}
