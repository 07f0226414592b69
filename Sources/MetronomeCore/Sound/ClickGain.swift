import RealModule

/// How loud clicks are, between what a person sets and what samples are multiplied by.
public enum ClickGain {
  /// The factor for samples.
  ///
  /// The volume is cubed, so that half the volume sounds about half as loud (18 dB less): the scale of PulseAudio
  /// (`pulse/volume.c`) and of the mixers that follow it.
  ///
  /// - Parameters:
  ///   - volume: 0, silence, to 1; what lies outside counts as the nearer of the two.
  ///   - gainDB: decibels on top, -60 to 20; what lies outside counts as the nearer of the two.
  public static func factor(volume: Double, gainDB: Double = 0) -> Double {
    let volume = min(1, max(0, volume))
    return volume * volume * volume * Double.exp10(min(20, max(-60, gainDB)) / 20)
  }
}
