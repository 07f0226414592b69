import MetronomeCore

/// The usual delay-locked loop: a fixed bandwidth, without rejection of outliers.
struct ReferenceLoop {
  private let bandwidth: Double
  private let damping: Double
  private var frame: Int64 = 0
  private var time = 0.0
  private var length = 1e9 / Double(Card.rate)
  private var isEmpty = true

  /// The formula of JACK's frame timer: 1/8 Hz, critical damping rounded to three digits.
  static let jack = ReferenceLoop(bandwidth: 0.125, damping: 1.41)
  /// The formula of zita-ajbridge and its relatives: 0.1 Hz, damped a little more.
  static let zita = ReferenceLoop(bandwidth: 0.1, damping: 1.6)

  private init(bandwidth: Double, damping: Double) {
    self.bandwidth = bandwidth
    self.damping = damping
  }

  mutating func observe(frame: Int64, at time: Double) {
    let frames = Double(frame - self.frame)
    if isEmpty {
      self.time = time
      isEmpty = false
    } else {
      guard frames > 0 else { return }
      let omega = 2 * .pi * bandwidth * frames / Double(Card.rate)
      let predicted = self.time + frames * length
      let error = time - predicted
      self.time = predicted + damping * omega * error
      length += omega * omega * error / frames
    }
    self.frame = frame
  }

  func time(ofFrame frame: Int64) -> Double { time + Double(frame - self.frame) * length }
}
