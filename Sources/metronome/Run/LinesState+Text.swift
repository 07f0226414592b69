#if LINUX_BOARD
  import HardwareAbstraction
  import LinuxBoard

  extension LinesState {
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
