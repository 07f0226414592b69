/// What of a board is another than before, when it takes over another configuration.
public struct BoardChanges: Hashable, Sendable {
  /// Its outputs are on other lines, or active at another voltage.
  public var outputs: Bool
  /// Its buttons are on other lines, or wired otherwise.
  public var buttons: Bool
  /// It has other devices beside it.
  public var inputs: Bool
  /// It has its sound from elsewhere, or otherwise, or none any more.
  public var sound: Bool

  public init(outputs: Bool = false, buttons: Bool = false, inputs: Bool = false, sound: Bool = false) {
    self.outputs = outputs
    self.buttons = buttons
    self.inputs = inputs
    self.sound = sound
  }

  /// From what was asked for to what is.
  public init(from old: Wiring, _ oldAudio: AudioRequest, to new: Wiring, _ newAudio: AudioRequest) {
    let isOtherChip = old.chip != new.chip
    outputs = isOtherChip || old.outputs != new.outputs
    buttons = isOtherChip || old.buttons != new.buttons
    inputs = old.inputs != new.inputs
    let isSilent = oldAudio.device == .none && newAudio.device == .none
    sound = oldAudio != newAudio && !isSilent
  }
}
