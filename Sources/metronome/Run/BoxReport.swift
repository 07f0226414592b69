#if LINUX_BOARD
  import CLibrary
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeCore
  import MetronomeEngine

  /// Tells in the log what the loops of the box did and how it stands with its parts. Control thread.
  final class BoxReport {
    private let log: Log
    private let incidents: Incidents
    private let observer: BoxObserver
    private var incidentReport: IncidentReport
    private var soundReport: ChangeReport
    private var linesReport: ChangeReport
    /// As it was told last.
    private var linesState: LinesState

    /// - Parameter lines: how it stands with them at the beginning, which is told at once.
    init(_ log: Log, _ incidents: Incidents, _ observer: BoxObserver, lines: LinesState) {
      self.log = log
      self.incidents = incidents
      self.observer = observer
      incidentReport = IncidentReport(log: log)
      soundReport = ChangeReport(log: log)
      linesReport = ChangeReport(log: log)
      linesState = lines
      if let change = lines.change(from: nil) { log(change.priority, change.text) }
    }

    /// Tells of incidents, and of what stands otherwise with the lines and the sound.
    ///
    /// - Returns: when to call again because something is left to be told.
    func tell(lines: LinesState, at now: Instant) -> [Instant?] {
      let changes = [lines.change(from: linesState)].compactMap(\.self)
      linesState = lines
      return [
        incidentReport.tell(incidents.counts, at: now), linesReport.tell(changes, at: now),
        soundReport.tell(observer.takeSoundStates().map(\.change), at: now),
      ]
    }

    /// Tells what the loops have done, for programs to read.
    func tell(_ figures: Figures, uptime: Nanoseconds) { log(.info, "figures \(figures.json(uptime: uptime))") }

    /// Tells what the metronome was set to.
    func tellStates() {
      for state in observer.takeStates() {
        let playing = state.isPlaying ? "playing" : "stopped"
        log(.info, "\(state.tempo), \(state.signature), \(playing)\(state.isSilent ? ", silent" : "")")
      }
    }

    /// Tells what became of saving the state.
    ///
    /// - Parameters:
    ///   - isDeaf: whether nobody can ask about presets.
    ///   - listen: lets them ask again; called before it is told that saving works.
    func tellOfSaving(isDeaf: @autoclosure () -> Bool, listen: () -> Void) {
      for news in observer.takeStateNews() {
        if news.isGood { listen() }
        log(news.isGood ? .info : .warning, news.text(isDeaf: isDeaf()))
      }
    }

    /// Tells which rights are missing that keep the beat on time.
    func tellOfRights(_ scheduling: Grant, _ memory: Grant) {
      var missing: [String] = []
      if case .refused(let errno) = scheduling { missing.append("real-time priority (\(reason(errno)))") }
      if case .refused(let errno) = memory { missing.append("locked memory (\(reason(errno)))") }
      guard !missing.isEmpty else { return }
      log(
        .warning,
        "without \(missing.joined(separator: " and ")) beats may be late when the machine is busy; "
          + "run as root, or allow it: LimitRTPRIO=80 and LimitMEMLOCK=infinity in systemd, rtprio and memlock in limits.conf"
      )
    }
  }

  extension LinesState {
    /// Why they are waited for, for a status; nil: they are not.
    var brevity: String? {
      guard case .waiting(let error) = self else { return nil }
      switch (error.operation, error.kind) {
      case (_, .busy): return "in use"
      case (_, .denied): return "no rights"
      case (_, .ambiguous): return "several chips"
      case (.requestLines, .gone), (.openChip, _): return "no chip"
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
