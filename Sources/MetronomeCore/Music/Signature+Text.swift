extension Signature {
  /// The signature that a person wrote, as `7/8`, of any that there are; nil for anything else.
  public init?(text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let numerator = Int(parts[0]), let denominator = Int(parts[1]) else { return nil }
    self.init(numerator, over: denominator, limit: .none)
  }
}
