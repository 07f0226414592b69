#if LINUX_BOARD
  import Foundation
  import HardwareAbstraction
  import LinuxBoard

  extension LinesState {
    /// Why they are waited for, for a status; nil: they are not.
    var brevity: String? {
      guard case .waiting(let error) = self else { return nil }
      switch (error.operation, error.errno) {
      case (_, EBUSY): return "in use"
      case (_, EACCES), (_, EPERM): return "no rights"
      case (_, ENOTUNIQ): return "several chips"
      case (.requestLines, ENODEV), (.openChip, _): return "no chip"
      default: return "not on this chip"
      }
    }

    /// For the log, what is new in comparison with a former state, or with the beginning; nil: nothing.
    func change(from former: LinesState?) -> Change? {
      guard self != former else { return nil }
      switch self {
      case .waiting(let error):
        return Change(priority: .warning, text: "waits for the GPIO lines: \(Failure.text(error))")
      case .held(let chip):
        guard former != nil, let chip else { return nil }
        return Change(priority: .info, text: "the GPIO lines are there, on \(chip)")
      }
    }
  }
#endif
