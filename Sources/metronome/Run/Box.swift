#if LINUX_BOARD
  import BoardCheck
  import CLibrary
  import ControlSocket
  import Glibc
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeConfiguration
  import MetronomeCore
  import MetronomeEngine
  import MetronomeService
  import StateFiles

  /// The real box: the engine on the real board, each loop on its own thread, the control loop on the main thread.
  final class Box {
    let log: Log
    let board: LinuxBoard
    let engine: Engine<LinuxBoard, BoxObserver>
    let observer: BoxObserver
    let bells: Bells
    /// Wakes the control thread.
    private let bell: EventDescriptor
    private let signals: SignalWatch
    private let report: BoxReport
    var cards: CardWatch?
    var beats: LoopThread?
    /// Runs only with MIDI outputs.
    var midi: LoopThread?
    var audio: AudioThreads?
    var secondAudio: AudioThreads?
    /// Started with the first display, and runs until the end.
    var display: BlockingLoop?
    /// Whether the newest configuration has an error.
    var isConfigurationRefused = false
    /// Reloads the configuration on SIGHUP; nil: SIGHUP ends the box.
    var reloading: Reloading?
    private let terminal = StartTerminal()
    private let savedState: BoxState?
    /// nil: there is neither a runtime folder nor a state folder, or it cannot be opened.
    private var controlHost: ControlHost<LinuxBoard, BoxObserver>?
    /// nil: there is no state folder.
    private(set) var learning: InputLearning?
    let service: ServiceLink
    /// When the figures started to count.
    private let beginning = LinuxClock().now
    private var latency: WakeupLatencyRequest?
    /// The delay of the warm-up after the start, so that the first beats do not compete with it for the disk.
    private static let firstBeats = Nanoseconds.seconds(5)
    private var warmingUp: BlockingThread?
    private var isOver = false

    /// Plays until a stop signal, and then makes every output inactive.
    ///
    /// `again` rereads the configuration, on its own thread. `state` is the folder of the saved state; nil: nothing is
    /// saved. `patience` selects the missing hardware to wait for.
    static func run(
      _ loaded: LoadedConfiguration, again: @escaping @Sendable () throws -> LoadedConfiguration, state: String?,
      patience: WaitPolicy
    ) throws {
      let configuration = loaded.configuration
      // Logged only after the box was opened. If opening fails, only that error is reported.
      var refusal: String?
      let folder = state.flatMap { FileFolder.locked($0) { refusal = $0 } }
      try use(configuration, loaded.options, folder: folder, patience: patience) { box in
        box.reloading = Reloading(
          loaded, read: again,
          start: { _ = try BlockingThread(name: "reload", body: $0).join(until: .zero) },
          finished: box.engine.waker.hostHasWork)
        box.saveWiring(configuration)
        for line in loaded.warnings + [refusal].compactMap(\.self) { box.log(.warning, line) }
        if state == nil {
          box.log(.info, "the state is not saved: neither --state nor $STATE_DIRECTORY names a folder")
        }
        let played = box.engine.findings.savedState?.isPlaying ?? false
        try box.play(BoxTask(), autoplay: configuration.autoplay.plays(remembered: played), spins: configuration.spins)
      }
    }

    /// Calibrates the outputs until the user is done or a stop signal arrives. Returns latencies for the configuration file.
    static func calibrate(_ configuration: Configuration, sounds: ClickSounds) throws -> String {
      let calibrated = configuration.forCalibration
      return try use(calibrated, calibrated.engineOptions(sounds), reserving: .most) { box in
        let calibration = try configuration.calibration(
          cards: OutputSet(
            [Output.audio, .secondAudio].filter { ($0 == .audio ? box.board.audio : box.board.secondAudio) != nil }))
        let calibrator = box.engine.control.calibrate(calibration)
        try Terminal.withKeys {
          let prompt = CalibrationPrompt(
            calibrator, hasKeys: Terminal.hasKeys, names: configuration.wiring.names, printLine: { box.log(.info, $0) })
          prompt.begin()
          let task = BoxTask(
            descriptor: prompt.descriptor, read: prompt.readKeys, print: prompt.printChanges, isOver: { prompt.isOver })
          try box.play(task, autoplay: true, spins: configuration.spins)
        }
        return CalibrationPrompt.yaml(calibrator.calibration, for: configuration)
      }
    }

    /// Opens the box for `work`. `latencies` are the highest latencies that may be set while playing; nil: the configured ones.
    private static func use<Result>(
      _ configuration: Configuration, _ options: EngineOptions, reserving latencies: OutputLatencies? = nil,
      folder: FileFolder? = nil, patience: WaitPolicy = .none, _ work: (Box) throws -> Result
    ) throws -> Result {
      var options = options
      options.reservedLatencies = latencies
      let log = Log()
      keepMemorySmall()
      // Must come before any thread is created: all threads inherit the signal mask that blocks these signals.
      let signals = try SignalWatch()
      let box = try Box(configuration, options, folder: folder, patience: patience, signals: signals, log: log)
      defer {
        box.board.release()
        box.savedState?.stop()
        box.controlHost = nil
        box.logEvents(nil)
      }
      return try work(box)
    }

    private init(
      _ configuration: Configuration, _ options: EngineOptions, folder: FileFolder?, patience: WaitPolicy,
      signals: SignalWatch, log: Log
    ) throws {
      (self.signals, self.log) = (signals, log)
      service = ServiceLink(at: beginning)
      let bells = try Bells()
      self.bells = bells
      bell = bells.descriptor(of: .control)
      let waker = Waker { bells.ring($0) }
      observer = BoxObserver(waker)
      board = try LinuxBoard.open(
        wiring: configuration.wiring, audio: configuration.audio, secondAudio: configuration.secondAudio,
        stateFolder: folder, patience: patience,
        notice: { log(.warning, $0) })
      cards = board.audio == nil ? nil : try CardWatch()
      report = BoxReport(log, observer)
      _ = report.step(lines: board.linesState, at: board.clock.now)
      let engine = Engine(board: board, options: options, observer: observer, waker: waker)
      self.engine = engine
      if let notice = engine.findings.notice(reason: reason) { log(.warning, notice) }
      savedState = try folder.flatMap { folder in
        try engine.saver.map { try BoxState($0, engine, bells, in: folder) }
      }
      let wake = engine.waker.hostHasWork
      learning = folder.map { InputLearning(board, in: $0.path, wake: wake) { [weak self] in self?.beginReload() } }
      openControlSocket(state: folder?.path)
    }

    /// Opens the control socket. If that fails, ``logEvents(_:)`` retries when saving the state works again.
    private func openControlSocket(state: String?) {
      guard let folder = ControlHost<LinuxBoard, BoxObserver>.folder(state: state) else { return }
      let (board, observer, clock) = (board, observer, LinuxClock())
      do throws(SocketError) {
        controlHost = try ControlHost(
          engine, in: folder, state: state, clocks: { clock.pair },
          health: {
            let figures = observer.sum
            return BoxHealth(
              lateness: figures.lateness.quantile(0.99), skippedBeats: figures.skippedBeats,
              underruns: figures.underruns, audio: observer.audioState?.text ?? "",
              secondAudio: observer.ofSecondCard.audioState?.text ?? "",
              hasLines: board.linesState.briefReason == nil)
          },
          onThread: { _ = try BlockingThread(name: "scores", body: $0).join(until: .zero) },
          wake: engine.waker.hostHasWork,
          learn: learning.map { $0.answer },
          learned: { [learning] now in learning?.takeAnswers(at: now) ?? (answers: [], deadline: nil) })
      } catch {
        // The first save reports a folder that cannot be written to.
        let isReportedElsewhere = [EROFS, EACCES, EPERM, ENOSPC].contains(error.errno) && folder == state
        if !isReportedElsewhere {
          log(
            .warning,
            "\"metronome send\" and \"metronome presets\" cannot reach this metronome: "
              + "\(error.detail) (\(reason(error.errno)))")
        }
      }
    }

    private func play(_ task: BoxTask, autoplay: Bool, spins: Bool) throws {
      let beats = try startBeats(spins: spins)
      defer { beats.stop() }
      self.beats = beats
      try startMIDI(spins: spins)
      defer { midi?.stop() }
      startDisplay()
      defer { display?.stop(within: .seconds(1)) }
      defer {
        audio?.stop()
        secondAudio?.stop()
      }
      try startAudio()
      let memoryLock = lockMemory()
      report.logRights(beats.scheduling, memoryLock)
      defer { _ = warmingUp?.join(until: .zero) }
      prefaultStack()
      // With autoplay the first beats must not wait for the disk.
      if autoplay { engine.control.perform(.start, at: board.clock.now) } else { engine.rehearse() }
      try control(task) { [engine] in
        if memoryLock == .granted { fillMemory() }
        if autoplay { engine.rehearse() }
      }
      service.stop()
      savedState?.seal()
      engine.control.perform(.stop, at: board.clock.now)
      logEvents(task)
      if audio != nil { try playQueuedFrames() }
    }

    /// Runs the control loop until a signal arrives or the task is done. `warmUp` runs after the first beats.
    private func control(_ task: BoxTask, warmUp: @escaping @Sendable () -> Void) throws {
      var warmsUpAt: Instant? = board.clock.now + Box.firstBeats
      var polled = descriptors(of: task)
      var wait = DescriptorWait(polled)
      while !isOver {
        let now = board.clock.now
        let boardDeadline = try board.tend(at: now)
        let requestDeadline = controlHost?.serve(at: now)
        finishReload()
        let step = engine.control.step(at: now)
        try adaptToPlaying(at: now)
        logEvents(task)
        engine.display?.report(
          audio: AudioState.shown(observer.audioState, observer.ofSecondCard.audioState), saving: engine.saver?.saving,
          isConfigurationRefused: isConfigurationRefused)
        let reportDeadlines = [
          report.step(lines: board.linesState, at: now),
          service.step(status, observer.figures, ring: engine.waker.probe, at: now),
        ]
        if descriptors(of: task) != polled {
          polled = descriptors(of: task)
          wait = DescriptorWait(polled)
        }
        if task.isOver() { return }
        if let instant = warmsUpAt, now >= instant {
          warmsUpAt = nil
          warmingUp = try? BlockingThread(name: "warm-up", body: warmUp)
        }
        let deadlines = [boardDeadline, step, requestDeadline, warmsUpAt] + reportDeadlines
        _ = try wait.wait(until: deadlines.compactMap(\.self).min())
        if wait.isReady(bell.descriptor) { bell.clear() }
        if let cards, wait.isReady(cards.descriptor) {
          cards.clear()
          engine.audio.cards.cardsChanged()
          engine.secondAudio.cards.cardsChanged()
        }
        if wait.isReady(task.descriptor) { task.read() }
        if wait.isReady(signals.descriptor), let signal = signals.next() { try handle(signal) }
      }
    }

    private func handle(_ signal: Int32) throws {
      if signal == SIGUSR1 {
        let report = FiguresReport(observer.sum, uptime: board.clock.now - beginning)
        log(.info, "figures \(try BoardCheck.json(report))")
      } else if signal == SIGHUP, reloading != nil, !terminal.hasGone {
        beginReload()
      } else {
        isOver = true
      }
    }

    /// The descriptors that the control thread polls. A broken chip is excluded: its descriptor would always be ready.
    private func descriptors(of task: BoxTask) -> [Int32] {
      [signals.descriptor, bell.descriptor, task.descriptor, board.descriptor]
        + [cards?.descriptor, board.inputsDescriptor, midi == nil ? nil : board.midi?.descriptor].compactMap(\.self)
        + (controlHost?.descriptors(at: board.clock.now) ?? [])
        + (engine.control.canReadButtons ? board.fileDescriptors : [])
    }

    private var status: ServiceStatus {
      ServiceStatus(
        state: engine.control.state, outputs: board.workingOutputs, names: board.outputNames,
        missingLines: board.linesState.briefReason, audio: observer.audioState,
        secondAudio: observer.ofSecondCard.audioState)
    }

    private func logEvents(_ task: BoxTask?) {
      task?.print?()
      report.logEvents(states: task?.print == nil, isSocketClosed: savedState != nil && controlHost == nil) {
        if controlHost == nil { openControlSocket(state: savedState?.path) }
      } keep: {
        savedState?.keep($0)
      }
    }

    /// Waits until the queued frames have played, so that the last click fades out instead of being cut off.
    private func playQueuedFrames() throws {
      let end = board.clock.now + engine.lead.current.duration
      var wait = DescriptorWait([])
      while try wait.wait(until: end) {}
    }

    /// Keeps the processor out of deep idle states while playing. After a start, it also waits for a first beat that is near.
    private func adaptToPlaying(at now: Instant) throws {
      if !engine.control.isPlaying { latency = nil } else if latency == nil { latency = WakeupLatencyRequest() }
      guard let end = engine.control.pause(at: now) else { return }
      // Meanwhile the kernel queues edges with their timestamps, and the messages of other programs.
      var wait = DescriptorWait([])
      _ = try wait.wait(until: end)
    }
  }

  /// Additional work of the control thread: none while playing; keys and printed lines during calibration.
  struct BoxTask {
    /// An additional descriptor to poll; -1: none.
    var descriptor: Int32 = -1
    var read: () -> Void = {}
    /// Prints changes after a step; nil: the metronome's states are logged instead.
    var print: (() -> Void)?
    var isOver: () -> Bool = { false }
  }
#endif
