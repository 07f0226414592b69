extension Nanoseconds {
  public init?(text: some StringProtocol) {
    let units: [(String, Int64)] = [
      ("ms", 1_000_000), ("us", 1_000), ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
    ]
    var t = String(text); var unit: Int64 = 1_000_000_000
    for (name, u) in units where t.hasSuffix(name) { t.removeLast(name.count); unit = u; break }
    guard let v = thousandths(ofDecimal: t) else { return nil }
    self.init(Int64(v) * unit / 1000)
  }
}
