import RealModule

/// The window that J. F. Kaiser found near the best for cutting a sinc to a finite length (1974).
struct KaiserWindow: Sendable {
  private let beta: Double
  private let scale: Double

  /// - Parameter beta: the higher, the quieter the side lobes and the wider the transition band.
  init(beta: Double) {
    self.beta = beta
    scale = 1 / KaiserWindow.bessel(beta)
  }

  /// Its value at a place from -1, one end, over 0, the middle, to 1, the other end; 0 outside.
  func value(at place: Double) -> Double {
    let rest = 1 - place * place
    return rest < 0 ? 0 : KaiserWindow.bessel(beta * rest.squareRoot()) * scale
  }

  /// The modified Bessel function of the first kind, order 0, by its power series. Allocates nothing.
  private static func bessel(_ x: Double) -> Double {
    let quarter = x * x / 4
    var sum = 1.0
    var term = 1.0
    var n = 1.0
    while term > sum * 1e-17 {
      term *= quarter / (n * n)
      sum += term
      n += 1
    }
    return sum
  }
}
