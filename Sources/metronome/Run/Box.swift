#if LINUX_BOARD
  import CLibrary
  import Glibc
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeConfiguration
  import MetronomeCore
  import MetronomeEngine
  import MetronomeService
  import StateFiles

  /// The real box: the engine on the real board, each loop on its thread, the control loop on this one.
  final class Box {
    private let log: Log
    private let board: LinuxBoard
    private let engine: Engine<LinuxBoard, BoxObserver>
    private let observer: BoxObserver
    private let bells: Bells
    private let signals: SignalWatch
    private let report: BoxReport
    private var cards: CardWatch?
    /// nil before it plays.
    private var beats: LoopThread?
    /// nil while there has been no sound.
    private var sound: SoundThreads?
    /// What is to be done for SIGHUP; nil: the end.
    private var reloading: Reloading?
    private let terminal = StartTerminal()
    private let memory: BoxState?
    private let service: ServiceLink
    /// From here on the figures count.
    private let beginning = LinuxClock().now
    private var latency: WakeupLatencyRequest?
    /// After the start the disk is left to what the first beats need for so long.
    private static let firstBeats = Nanoseconds.seconds(5)
    /// When the rest of the code is to be brought into memory; nil: it was, or nothing is locked.
    private var fillsMemoryAt: Instant?
    private var filling: PatientThread?
    private var isOver = false

    /// Plays until a signal asks to stop. Every output is then inactive.
    ///
    /// - Parameters:
    ///   - again: reads the configuration again, on a thread of its own.
    ///   - state: the folder to remember in; nil: nothing is remembered.
    ///   - patience: for what hardware it waits.
    static func run(
      _ reading: Reading, again: @escaping @Sendable () throws -> Reading, state: String?, patience: WaitPolicy
    ) throws {
      let configuration = reading.configuration
      // Told only when there is a box: whoever cannot have one is told just that.
      var refusal: String?
      let folder = state.flatMap { StateAccess.take($0) { refusal = $0 } }
      try use(configuration, reading.sounds, folder: folder, patience: patience) { box in
        let bells = box.bells
        box.reloading = Reloading(
          reading, read: { _ in try again() },
          start: { _ = try PatientThread(name: "reload", body: $0).join(until: .zero) },
          finished: { bells.ring(.control) })
        box.leaveBehind(configuration)
        if let refusal { box.log(.warning, refusal) }
        if state == nil { box.log(.info, "nothing is remembered: --state or $STATE_DIRECTORY would say where") }
        let task = BoxTask()
        let played = box.engine.findings.savedState?.isPlaying ?? false
        try box.play(
          task, autoplay: configuration.autoplay.plays(remembered: played), spins: configuration.spins)
      }
    }

    /// Lets the outputs be calibrated until somebody is done or a signal asks to stop.
    ///
    /// - Returns: the lines for the configuration.
    static func calibrate(_ configuration: Configuration, sounds: ClickSounds) throws -> String {
      try use(configuration.forCalibration, sounds, reserving: .most) { box in
        let calibration = try configuration.calibration(hasSound: box.board.sound != nil)
        let calibrator = box.engine.control.calibrate(calibration)
        try Terminal.withKeys {
          let desk = CalibrationDesk(calibrator, hasKeys: Terminal.hasKeys) { box.log(.info, $0) }
          desk.begin()
          let task = BoxTask(
            descriptor: desk.descriptor, read: desk.readKeys, tell: desk.tell, isOver: { desk.isOver })
          try box.play(task, autoplay: true, spins: configuration.spins)
        }
        return CalibrationDesk.yaml(calibrator.calibration, for: configuration)
      }
    }

    /// - Parameters:
    ///   - latencies: what the outputs may be set to while they play; nil: they stay as configured.
    ///   - folder: to remember in.
    ///   - patience: for what hardware it waits.
    private static func use<Result>(
      _ configuration: Configuration, _ sounds: ClickSounds, reserving latencies: OutputLatencies? = nil,
      folder: FileFolder? = nil, patience: WaitPolicy = .none, _ work: (Box) throws -> Result
    ) throws -> Result {
      var options = configuration.engineOptions(sounds)
      options.reservedLatencies = latencies
      let log = Log()
      do {
        keepMemorySmall()
        // Before any thread is made: all of them inherit that these signals wait to be read.
        let signals = try SignalWatch()
        let box = try Box(configuration, options, folder: folder, patience: patience, signals: signals, log: log)
        defer {
          box.board.release()
          box.memory?.stop()
          box.tellNews(nil)
        }
        return try work(box)
      } catch let error as HardwareError {
        throw Failure.noHardware(error)
      } catch let error as SystemError {
        throw Failure.noHardware("\(error.call): \(reason(error.errno))")
      }
    }

    private init(
      _ configuration: Configuration, _ options: EngineOptions, folder: FileFolder?, patience: WaitPolicy,
      signals: SignalWatch, log: Log
    ) throws {
      self.signals = signals
      self.log = log
      service = ServiceLink(at: beginning)
      let bells = try Bells()
      self.bells = bells
      let observer = BoxObserver { bells.ring(.control) }
      self.observer = observer
      board = try LinuxBoard.open(
        wiring: configuration.wiring, audio: configuration.audio, store: folder, patience: patience,
        notice: { log(.warning, $0) })
      cards = board.sound == nil ? nil : try CardWatch()
      report = BoxReport(log, observer)
      _ = report.step(lines: board.linesState, at: board.clock.now)
      let engine = Engine(board: board, options: options, observer: observer) { bells.ring($0) }
      self.engine = engine
      if let notice = engine.findings.notice(reason: reason) { log(.warning, notice) }
      memory = try folder.flatMap { folder in
        try engine.keeper.map { try BoxState($0, engine, bells.state, in: folder) { log(.warning, $0) } }
      }
    }

    private func play(_ task: BoxTask, autoplay: Bool, spins: Bool) throws {
      // The real-time threads are given their loops themselves: the way through the engine might count references.
      let (loop, lines, figures) = (engine.beats, board.lines, observer.figures)
      let beats = try LoopThread(
        name: "beats", priority: RealTimeThread.beatPriority, bell: bells.beats, lag: { lines.lag },
        isExact: { loop.isExact }, rehearse: loop.rehearse, wokeUp: figures.wokeForBeats, step: loop.step)
      defer { beats.stop() }
      beats.setSpinning(spins)
      self.beats = beats
      if board.sound != nil { sound = try SoundThreads(engine.sound, figures, bells) }
      defer { sound?.stop() }
      let memoryLock = lockMemory()
      report.tellOfRights(beats.scheduling, memoryLock)
      fillsMemoryAt = memoryLock == .granted ? board.clock.now + Box.firstBeats : nil
      defer { _ = filling?.join(until: .zero) }
      if autoplay { engine.control.perform(.start, at: board.clock.now) }
      try control(task)
      service.stop()
      memory?.seal()
      engine.control.perform(.stop, at: board.clock.now)
      tellNews(task)
      if sound != nil { try letSoundDieAway() }
    }

    /// The control loop, until a signal comes or the task is done.
    private func control(_ task: BoxTask) throws {
      var polled = descriptors(of: task)
      var wait = DescriptorWait(polled)
      while !isOver {
        let now = board.clock.now
        let tending = try board.tend(at: now)
        let serving = memory?.serve(at: now)
        finishReload()
        let step = engine.step(.control, at: now)
        tellNews(task)
        holdLatency()
        let telling = [
          report.step(lines: board.linesState, at: now),
          service.step(status, observer.figures, ring: engine.requestBeatStep, at: now),
        ]
        if descriptors(of: task) != polled {
          polled = descriptors(of: task)
          wait = DescriptorWait(polled)
        }
        if task.isOver() { return }
        if let instant = fillsMemoryAt, now >= instant {
          fillsMemoryAt = nil
          filling = try? PatientThread(name: "memory-fill", body: fillMemory)
        }
        _ = try wait.wait(until: ([tending, step, serving, fillsMemoryAt] + telling).compactMap(\.self).min())
        if wait.isReady(bells.control.descriptor) { bells.control.clear() }
        if let cards, wait.isReady(cards.descriptor) {
          cards.clear()
          engine.sound.keeper.noteThatCardsHaveChanged()
        }
        if wait.isReady(task.descriptor) { task.read() }
        if let signal = signals.next() { try obey(signal) }
      }
    }

    private func obey(_ signal: Int32) throws {
      if signal == SIGUSR1 {
        report.tell(observer.figures.now, uptime: board.clock.now - beginning)
        return
      }
      guard signal == SIGHUP, let reloading, !terminal.hasGone else {
        isOver = true
        return
      }
      service.beginReload(at: board.clock.now)
      do { try reloading.begin() } catch { refuseReload("\(error)") }
    }

    /// Takes over what was read on the reload's thread, if it is there.
    private func finishReload() {
      guard let reloading else { return }
      do {
        switch try reloading.takeOutcome() {
        case nil: return
        case .refused(let text): log(.error, text)
        case .read(let change):
          try take(change, inPlaceOf: reloading.current)
          reloading.accept(change)
          leaveBehind(change.reading.configuration)
          log(.info, change.news)
        }
        service.endReload()
      } catch let error as HardwareError {
        refuseReload(Failure.text(error))
      } catch {
        refuseReload("\(error)")
      }
    }

    private func refuseReload(_ reason: String) {
      log(.error, Reading.refusal(reason))
      service.endReload()
    }

    /// For `metronome off`, if this is killed.
    private func leaveBehind(_ configuration: Configuration) {
      do throws(HardwareError) {
        try ConfigurationInForce()?.write(configuration)
      } catch {
        log(.warning, "what is to be switched off if this is killed cannot be written down: \(Failure.text(error))")
      }
    }

    /// Takes over another configuration while it plays.
    ///
    /// - Throws: `HardwareError` when there are no such lines. All is then as it was.
    private func take(_ change: Reloading.Change, inPlaceOf old: Reading) throws {
      let (configuration, changes) = (change.reading.configuration, change.boardChanges)
      let now = board.clock.now
      beats?.setSpinning(configuration.spins)
      // What was pressed by now was pressed on the lines that it was pressed on.
      _ = engine.control.step(at: now)
      try board.rewire(configuration.wiring)
      let log = log
      engine.reconfigure(
        change.reading.options, from: old.options, board: board, at: now, hasOtherSounds: change.hasOtherSounds
      ) {
        if changes.inputs { board.takeInputs(configuration.wiring.inputs) { log(.warning, $0) } }
        if changes.sound { board.takeSound(configuration.audio) { log(.warning, $0) } }
        return changes
      }
      if sound == nil, board.sound != nil {
        do throws(SystemError) {
          cards = try CardWatch()
          sound = try SoundThreads(engine.sound, observer.figures, bells, waits: false)
        } catch {
          log(.error, "no sound before the next start: \(error.call): \(reason(error.errno))")
        }
      }
    }

    /// What the control thread waits for. The descriptor of a broken chip would be ready without end.
    private func descriptors(of task: BoxTask) -> [Int32] {
      [signals.descriptor, bells.control.descriptor, task.descriptor, board.descriptor]
        + [cards?.descriptor, board.inputs?.descriptor].compactMap(\.self) + (memory?.descriptors ?? [])
        + (engine.control.canReadButtons ? board.fileDescriptors : [])
    }

    private var status: ServiceStatus {
      ServiceStatus(
        state: engine.control.state, outputs: board.workingOutputs, missingLines: board.linesState.brevity,
        audio: observer.soundState)
    }

    private func tellNews(_ task: BoxTask?) {
      task?.tell?()
      report.tellNews(states: task?.tell == nil, isDeaf: memory?.isDeaf ?? false) { memory?.listen() }
    }

    /// Lets the last click fade as on every stop instead of breaking off: for as long as what is queued plays.
    private func letSoundDieAway() throws {
      let end = board.clock.now + engine.lead.current.duration
      var wait = DescriptorWait([])
      while try wait.wait(until: end) {}
    }

    /// Keeps the processor awake while there are beats to be on time for.
    private func holdLatency() {
      let isPlaying = engine.control.state.isPlaying
      if isPlaying, latency == nil { latency = WakeupLatencyRequest() }
      if !isPlaying { latency = nil }
    }
  }

  /// What the box is for while its loops run: to play, or to be calibrated. All of it is done by the control thread.
  struct BoxTask {
    /// What it waits for besides buttons, signals and the loops; -1: nothing.
    var descriptor: Int32 = -1
    /// Reads what has come there.
    var read: () -> Void = {}
    /// Tells what is new after a step, in place of the metronome's states; nil: those are told.
    var tell: (() -> Void)?
    /// Whether it is done before a signal comes.
    var isOver: () -> Bool = { false }
  }

  /// The wiring that a running metronome plays by, as a configuration, where whoever switches off after it finds it: the
  /// file it was read from may say something else by now, or nothing that can be read.
  ///
  /// It lies in the folder that systemd makes for the service in memory, and goes with it.
  struct ConfigurationInForce {
    private static let name = "in-force.yaml"

    private let folder: String

    /// In `$RUNTIME_DIRECTORY`; nil without it.
    init?(environment: [String: String] = Environment.all) {
      guard let folder = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first else { return nil }
      self.folder = String(folder)
    }

    /// Puts it in place of the one before, as a whole.
    func write(_ configuration: Configuration) throws(HardwareError) {
      let files = try FileFolder(folder)
      var outputs = Configuration.standard
      outputs.wiring = configuration.wiring
      outputs.wiring.inputs = []
      try files.write(ConfigurationInForce.name + ".new", Array(outputs.yaml.utf8))
      _ = try files.rename(ConfigurationInForce.name + ".new", to: ConfigurationInForce.name)
    }

    /// nil when there is none, or none that can be read.
    func read() -> Configuration? {
      do throws(ConfigurationError) {
        return try Configuration.readIfPresent(path: "\(folder)/\(ConfigurationInForce.name)")
      } catch {
        return nil
      }
    }
  }
#endif
