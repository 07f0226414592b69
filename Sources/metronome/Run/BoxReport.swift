#if LINUX_BOARD
  import CLibrary
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeCore
  import MetronomeEngine

  /// Logs incidents of the loops and state changes of the hardware, each kind at a limited rate. Control thread.
  ///
  /// Incidents of a kind are logged at intervals that double from a minute to an hour. A part that keeps changing gets 32
  /// lines, then one line a minute with its newest change.
  final class BoxReport {
    typealias Change = (priority: Log.Priority, text: String)

    /// Counted incidents, logged with the number since the last line.
    private enum Incident: CaseIterable { case skipped, clocks, missed, underrun, lines, edges }

    private let log: Log
    private let observer: BoxObserver
    private var incidentLimits = [RateLimit](
      repeating: RateLimit(every: .seconds(60), burst: 1, growingTo: .seconds(3_600)), count: Incident.allCases.count)
    private var logged = [UInt64](repeating: 0, count: Incident.allCases.count)
    private var audioChanges = Changes()
    private var secondAudioChanges = Changes()
    private var linesChanges = Changes()
    private var displayChanges = Changes()
    private var linesState: LinesState?

    init(_ log: Log, _ observer: BoxObserver) { (self.log, self.observer) = (log, observer) }

    /// Logs the observer's events.
    ///
    /// - Parameters:
    ///   - isSocketClosed: whether the control socket, through which `metronome presets` reaches this process, is closed.
    ///   - listen: reopens the control socket. It is called before the log says that saving works again.
    ///   - keep: writes a record of practice to its file.
    func logEvents(
      states: Bool, isSocketClosed: @autoclosure () -> Bool, listen: () -> Void, keep: (PracticeRecord) -> Void
    ) {
      for event in observer.drainEvents() {
        switch event {
        case .state(let state):
          guard states else { continue }
          log(.info, "\(state.tempoText), \(state.barText), \(state.mode)")
        case .audio(let state):
          audioChanges.waiting.append((state.priority, state.text))
        case .secondAudio(let state): secondAudioChanges.waiting.append((state.priority, "second " + state.text))
        case .notSaved(let error):
          log(
            .warning,
            "the state cannot be saved (\(error.reason(reason)))"
              + (isSocketClosed() ? ", and \"metronome presets\" cannot reach this metronome" : "")
              + "; playback continues, and saving is retried")
        case .practised(let record):
          keep(record)
          if states { log(.info, "practised \(record.text)") }
        case .displayFailed(let error):
          let detail = error.detail.isEmpty ? error.reason(reason) : error.detail
          displayChanges.waiting.append(
            (.warning, "the display cannot be used: \(detail); the metronome continues, and tries it again every 5 s"))
        case .displayRecovered: displayChanges.waiting.append((.info, "the display works again"))
        case .savingRecovered:
          listen()
          log(.info, "the state can be saved again")
        }
      }
    }

    /// Logs incidents, and changes of the lines and the sound. Returns when to call again for delayed log lines.
    func step(lines: LinesState, at now: Instant) -> Instant? {
      if let change = lines.change(from: linesState) {
        // The initial state does not count towards the limit.
        if linesState == nil { log(change.priority, change.text) } else { linesChanges.waiting.append(change) }
      }
      linesState = lines
      return [
        logIncidents(at: now), linesChanges.log(log, at: now), audioChanges.log(log, at: now),
        secondAudioChanges.log(log, at: now), displayChanges.log(log, at: now),
      ].compactMap(\.self).min()
    }

    /// Logs incidents only; see ``step(lines:at:)``.
    @discardableResult
    func logIncidents(at now: Instant) -> Instant? {
      var next: Instant?
      for (index, incident) in Incident.allCases.enumerated() {
        let count = count(of: incident)
        guard count > logged[index] else { continue }
        if incidentLimits[index].admit(at: now) {
          log(.warning, text(for: incident, number: count - logged[index]))
          logged[index] = count
        } else {
          next = min(next ?? incidentLimits[index].opensAt, incidentLimits[index].opensAt)
        }
      }
      return next
    }

    private func count(of incident: Incident) -> UInt64 {
      switch incident {
      case .skipped: observer.figures.skippedBeats
      case .missed: observer.missedClicks
      case .clocks: observer.figures.lostClocks
      case .underrun: observer.underruns
      case .lines: observer.setLinesRefusals.count
      case .edges: observer.readEdgesRefusalsAndError.count
      }
    }

    private func text(for incident: Incident, number: UInt64) -> String {
      switch incident {
      case .skipped:
        "the beat loop woke up too late and skipped \(counted(number, "beat")); the timing of later beats is unchanged"
      case .clocks:
        "the MIDI loop gave up \(counted(number, "clock")), because it woke up too late or a port was full; a start at the "
          + "next bar line brings the followers back"
      case .missed: "the audio loop woke up too late and skipped \(counted(number, "click"))"
      case .underrun:
        "underruns of the sound card: \(number); if this continues, increase audio.period or audio.periods"
      case .lines:
        "setting the GPIO lines failed \(counted(number, "time")): \(reason(observer.setLinesRefusals.errno)); retrying"
      case .edges:
        "the buttons cannot be read: \(reason(observer.readEdgesRefusalsAndError.errno)); the beat continues, and reading "
          + "is retried every second"
      }
    }

    /// Logs missing rights that timing depends on.
    func logRights(_ scheduling: Grant, _ memory: Grant) {
      var missing: [String] = []
      if case .refused(let errno) = scheduling { missing.append("real-time priority (\(reason(errno)))") }
      if case .refused(let errno) = memory { missing.append("locked memory (\(reason(errno)))") }
      guard !missing.isEmpty else { return }
      log(
        .warning,
        "without \(missing.joined(separator: " and ")) beats may be late when the machine is busy; "
          + "run as root, or set LimitRTPRIO=80 and LimitMEMLOCK=infinity in systemd, or rtprio and memlock in limits.conf"
      )
    }
  }

  /// The changes of one part. While the rate limit is reached, only the newest change is kept.
  private struct Changes {
    var waiting: [BoxReport.Change] = []
    private var limit = RateLimit(every: .seconds(60), burst: 32)

    /// Returns when to call again for the remaining change.
    mutating func log(_ log: Log, at now: Instant) -> Instant? {
      while let change = waiting.first {
        if limit.admit(at: now) {
          log(change.priority, change.text)
          waiting.removeFirst()
        } else {
          waiting.removeFirst(waiting.count - 1)
          return limit.opensAt
        }
      }
      return nil
    }
  }

  extension AudioState {
    fileprivate var priority: Log.Priority { if case .waiting = self { .warning } else { .info } }
  }

  extension LinesState {
    /// Why the lines are missing, for a status; nil if they are held.
    var briefReason: String? {
      guard case .waiting(let error) = self else { return nil }
      switch (error.operation, error.kind) {
      case (_, .busy): return "in use"
      case (_, .denied): return "no permission"
      case (_, .ambiguous): return "several chips"
      case (.requestLines, .gone), (.openChip, _): return "no chip"
      default: return "not on this chip"
      }
    }

    /// The change from the `former` state for the log; nil if there is nothing to log. `former` is nil at first.
    func change(from former: LinesState?) -> BoxReport.Change? {
      guard self != former else { return nil }
      switch self {
      case .waiting(let error): return (.warning, "waiting for the GPIO lines: \(Failure.text(error))")
      case .held(let chip):
        guard former != nil, let chip else { return nil }
        return (.info, "acquired the GPIO lines on \(chip)")
      }
    }
  }
#endif
