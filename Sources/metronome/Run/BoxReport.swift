#if LINUX_BOARD
  import CLibrary
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeCore
  import MetronomeEngine

  /// Logs what the loops of the box did and how its parts are, each kind of line at a limited rate. Control thread.
  ///
  /// A box with a broken wire that is left on for a year says so a few times on the first day and then once an hour. A card
  /// with a loose contact comes and goes a thousand times a night: after a few dozen lines only the newest is told, at
  /// intervals.
  final class BoxReport {
    typealias Change = (priority: Log.Priority, text: String)

    /// What is counted, and told with the number since the last line.
    private enum Incident: CaseIterable { case skipped, missed, underrun, lines, edges }

    private let log: Log
    private let observer: BoxObserver
    private var incidentLimits = [RateLimit](
      repeating: RateLimit(burst: 1, interval: .seconds(60), longest: .seconds(3_600)), count: Incident.allCases.count)
    private var told = [UInt64](repeating: 0, count: Incident.allCases.count)
    private var soundChanges = Changes()
    private var linesChanges = Changes()
    /// As it was told last.
    private var linesState: LinesState?

    init(_ log: Log, _ observer: BoxObserver) {
      self.log = log
      self.observer = observer
    }

    /// Logs what is new of the metronome, of saving and of the sound.
    ///
    /// - Parameters:
    ///   - states: whether the metronome's states are told.
    ///   - isDeaf: whether nobody can ask about presets.
    ///   - listen: lets them ask again; called before it is told that saving works.
    func tellNews(states: Bool, isDeaf: @autoclosure () -> Bool, listen: () -> Void) {
      for news in observer.takeNews() {
        switch news {
        case .state(let state):
          guard states else { continue }
          let playing = state.isPlaying ? "playing" : "stopped"
          log(.info, "\(state.tempo), \(state.signature), \(playing)\(state.isSilent ? ", silent" : "")")
        case .sound(let state): soundChanges.waiting.append(state.change)
        case .notSaved(let error):
          log(
            .warning,
            "the state cannot be saved (\(reason(error.errno)))"
              + (isDeaf() ? ", and \"metronome presets\" cannot ask this metronome" : "")
              + "; playing goes on, and it is tried again")
        case .savedAgain:
          listen()
          log(.info, "the state can be saved again")
        }
      }
    }

    /// Logs incidents, and changes of the lines and the sound, as far as it is time.
    ///
    /// - Returns: when to call again because something is left to be told.
    func step(lines: LinesState, at now: Instant) -> Instant? {
      if let change = lines.change(from: linesState) {
        // How they are at the beginning does not count.
        if linesState == nil { log(change.priority, change.text) } else { linesChanges.waiting.append(change) }
      }
      linesState = lines
      return [tellIncidents(at: now), linesChanges.tell(log, at: now), soundChanges.tell(log, at: now)]
        .compactMap(\.self).min()
    }

    /// Logs incidents as far as it is time.
    ///
    /// - Returns: when to call again because something is left to be told.
    @discardableResult
    func tellIncidents(at now: Instant) -> Instant? {
      var next: Instant?
      for (index, incident) in Incident.allCases.enumerated() {
        let count = count(of: incident)
        guard count > told[index] else { continue }
        if incidentLimits[index].admits(at: now) {
          log(.warning, text(for: incident, number: count - told[index]))
          told[index] = count
        } else if let due = incidentLimits[index].growth {
          next = min(next ?? due, due)
        }
      }
      return next
    }

    private func count(of incident: Incident) -> UInt64 {
      switch incident {
      case .skipped: observer.figures.skippedBeats
      case .missed: observer.figures.missedClicks
      case .underrun: observer.figures.underruns
      case .lines: observer.setLinesRefusals.count
      case .edges: observer.readEdgesRefusalsAndError.count
      }
    }

    private func text(for incident: Incident, number: UInt64) -> String {
      switch incident {
      case .skipped: "came too late for \(number) beats and left them out; the phase is kept"
      case .missed: "came too late for \(number) clicks and left them out"
      case .underrun: "the sound card ran dry \(number) times; if it goes on, raise period or periods under audio:"
      case .lines:
        "the GPIO chip refused \(number) times to set the lines: \(reason(observer.setLinesRefusals.errno)); it is tried again"
      case .edges:
        "the buttons cannot be read: \(reason(observer.readEdgesRefusalsAndError.errno)); the beat goes on, and it is tried "
          + "again every second"
      }
    }

    /// Logs what the loops have done, for programs to read.
    func tell(_ figures: Figures, uptime: Nanoseconds) { log(.info, "figures \(figures.json(uptime: uptime))") }

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

  /// How many lines of a kind may be logged.
  private struct RateLimit {
    /// So many at once.
    let burst: Int
    /// Until one more may be, each time twice as long up to ``longest``.
    var interval: Nanoseconds
    let longest: Nanoseconds
    private var left: Int
    /// When ``left`` grows next.
    private(set) var growth: Instant?

    init(burst: Int, interval: Nanoseconds, longest: Nanoseconds) {
      (self.burst, self.interval, self.longest) = (burst, interval, longest)
      left = burst
    }

    /// Whether a line may be logged now; it counts as logged then.
    mutating func admits(at now: Instant) -> Bool {
      while let due = growth, due <= now {
        left += 1
        growth = left < burst ? due + interval : nil
      }
      guard left > 0 else { return false }
      left -= 1
      if growth == nil {
        growth = now + interval
        interval = min(interval * 2, longest)
      }
      return true
    }
  }

  /// The changes of one part. While they may not be logged only the newest waits.
  private struct Changes {
    var waiting: [BoxReport.Change] = []
    private var limit = RateLimit(burst: 32, interval: .seconds(60), longest: .seconds(60))

    /// - Returns: when to call again because something is left to be told.
    mutating func tell(_ log: Log, at now: Instant) -> Instant? {
      while let change = waiting.first {
        if limit.admits(at: now) {
          log(change.priority, change.text)
          waiting.removeFirst()
        } else {
          waiting.removeFirst(waiting.count - 1)
          return limit.growth
        }
      }
      return nil
    }
  }

  extension AudioState {
    /// For the log.
    fileprivate var change: BoxReport.Change {
      if case .waiting = self { (.warning, text) } else { (.info, text) }
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
    func change(from former: LinesState?) -> BoxReport.Change? {
      guard self != former else { return nil }
      switch self {
      case .waiting(let error):
        return (.warning, "waits for the GPIO lines: \(Failure.text(error))")
      case .held(let chip):
        guard former != nil, let chip else { return nil }
        return (.info, "the GPIO lines are there, on \(chip)")
      }
    }
  }
#endif
