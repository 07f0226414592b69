extension Metronome {
  /// Takes over what another configuration says, while it plays or not.
  ///
  /// The rules hold from now on: bars are counted in before the next start, and a run of taps goes on. Tempo and signature
  /// change as commands change them; where the limit does not allow the signature any more it comes down to it. Presets
  /// stay as they are, and are limited when they are recalled.
  ///
  /// - Parameters:
  ///   - rules: take the place of those in force.
  ///   - limit: how far the numerator may go.
  ///   - tempo: nil: it stays.
  ///   - signature: nil: it stays.
  ///   - effective: as in ``apply(_:pressed:effective:now:)``.
  ///   - now: the present, not after `effective`.
  public mutating func reconfigure(
    rules: Rules, limit: NumeratorLimit, tempo: Tempo? = nil, signature: Signature? = nil, effective: Instant,
    now: Instant
  ) {
    self.rules = rules
    let old = settings
    settings.limit = limit
    settings.tempo = tempo ?? settings.tempo
    settings.signature = (signature ?? settings.signature).limited(by: limit)
    guard settings != old else { return }
    // What a press did before is not taken back any more: it would bring back the old limit.
    before = nil
    guard settings.tempo != old.tempo || settings.signature != old.signature else { return }
    taps.reset()
    catchUp(effective: effective, now: now)
  }
}
