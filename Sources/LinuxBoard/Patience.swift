import Glibc
import HardwareAbstraction

/// For what a board waits that is not to be had when it is opened.
public enum Patience: Hashable, Sendable {
  /// For nothing but a sound card that is in use.
  case none
  /// For a chip and a sound card that are not there.
  case forWhatIsMissing
  /// Also for lines that others hold, and for rights that are missing: at boot they come a moment after the device.
  case forAll

  /// Whether this is waited for.
  func covers(_ error: HardwareError) -> Bool {
    switch error.obstacle {
    case .missing: self != .none
    case .passing: self == .forAll
    case .lasting: false
    }
  }
}

/// What it takes that hardware is to be had after all.
enum Obstacle {
  /// It is not there. It may come.
  case missing
  /// It is there, but somebody has it, or it is not for us. That may change.
  case passing
  /// It is not what was asked for: a person has to change the wiring, or the configuration.
  case lasting
}

extension HardwareError {
  var obstacle: Obstacle {
    switch (operation, errno) {
    case (.openChip, ENOENT), (.openChip, ENODEV), (.openChip, ENXIO), (.requestLines, ENODEV): .missing
    case (.openChip, EACCES), (.openChip, EPERM), (.requestLines, EACCES), (.requestLines, EPERM): .passing
    case (.requestLines, EBUSY): .passing
    case (.openAudio, ENOENT), (.openAudio, ENODEV), (.openAudio, ENXIO): .missing
    // A card that cannot play what is asked for will not learn it; whatever else is the matter with it may pass.
    case (.openAudio, EINVAL): .lasting
    case (.openAudio, _): .passing
    default: .lasting
    }
  }
}
