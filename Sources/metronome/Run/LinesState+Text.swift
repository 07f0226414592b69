#if LINUX_BOARD
  import Foundation
  import HardwareAbstraction
  import LinuxBoard

  extension LinesState {
    /// Why they are waited for, for a status; nil: they are not.
    var brevity: String? {
      guard case .waiting(let error) = self else { return nil }
      switch error.errno {
      case EBUSY: return "in use"
      case EACCES, EPERM: return "no rights"
      default: return "no chip"
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
