#if LINUX_BOARD
  import Foundation
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
    private let news: EventDescriptor
    private let signals: SignalWatch
    private let report: BoxReport
    private var cards: CardWatch?
    /// nil before it plays.
    private var beats: LoopThread?
    /// nil while there has been no sound.
    private var sound: SoundThreads?
    /// What is to be done for SIGHUP; nil: the end.
    private var reloading: Reloading?
    private let memory: BoxState?
    private let service: ServiceLink
    /// From here on the figures count.
    private let beginning = LinuxClock().now
    private var latency: WakeupLatency?
    /// Whether the rest of the program is to be brought into memory once what can be had plays: neither the first beat nor
    /// whoever waits until the box is ready waits until all of it is read.
    private var fillsMemory = false
    private var filling: PatientThread?
    private var isOver = false

    /// Plays until a signal asks to stop. Every output is then inactive.
    ///
    /// - Parameters:
    ///   - again: reads the configuration again.
    ///   - state: the folder to remember in; nil: nothing is remembered.
    ///   - patience: for what hardware it waits.
    static func run(
      _ reading: Reading, again: @escaping () throws -> Reading, state: String?, patience: Patience
    ) throws {
      let configuration = reading.configuration
      // Told only when there is a box: whoever cannot have one is told just that.
      var refusal: String?
      let folder = state.flatMap { StateAccess.take($0) { refusal = $0 } }
      try use(configuration, reading.sounds, folder: folder, patience: patience) { box in
        box.reloading = Reloading(reading, read: again)
        box.leaveBehind(configuration)
        if let refusal { box.log(.warning, refusal) }
        if state == nil { box.log(.info, "nothing is remembered: --state or $STATE_DIRECTORY would say where") }
        let task = BoxTask(steering: box.engine.control, tell: box.report.tellStates)
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
        let calibrator = Calibrator(calibration, plan: box.engine.plan)
        try Terminal.withKeys {
          let desk = CalibrationDesk(calibrator, hasKeys: Terminal.hasKeys) { box.log(.info, $0) }
          desk.begin()
          let loop = CalibrationLoop(calibrator, board: box.board, observer: box.observer)
          let task = BoxTask(
            steering: loop, descriptor: desk.descriptor, read: desk.readKeys, tell: desk.tell, isOver: { desk.isOver })
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
      folder: FileFolder? = nil, patience: Patience = .none, _ work: (Box) throws -> Result
    ) throws -> Result {
      var options = configuration.engineOptions(sounds)
      options.reservedLatencies = latencies
      let log = Log()
      do {
        // Before any thread is made: all of them inherit that these signals wait to be read.
        let signals = try SignalWatch()
        let box = try Box(configuration, options, folder: folder, patience: patience, signals: signals, log: log)
        defer {
          box.board.release()
          box.memory?.stop()
          box.tellOfSaving()
        }
        return try work(box)
      } catch let error as HardwareError {
        throw Failure.noHardware(error)
      } catch let error as SystemError {
        throw Failure.noHardware("\(error.call): \(reason(error.errno))")
      }
    }

    private init(
      _ configuration: Configuration, _ options: EngineOptions, folder: FileFolder?, patience: Patience,
      signals: SignalWatch, log: Log
    ) throws {
      self.signals = signals
      self.log = log
      service = ServiceLink(at: beginning)
      let news = try EventDescriptor()
      self.news = news
      let incidents = Incidents { news.ring() }
      board = try LinuxBoard.open(
        wiring: configuration.wiring, audio: configuration.audio, store: folder, patience: patience,
        notice: { log(.warning, $0) })
      cards = board.sound == nil ? nil : try CardWatch()
      observer = BoxObserver(incidents: incidents) { news.ring() }
      report = BoxReport(log, incidents, observer, lines: board.linesState)
      let engine = Engine(board: board, options: options, observer: observer)
      self.engine = engine
      if let notice = engine.findings.notice(reason: reason) { log(.warning, notice) }
      memory = try folder.flatMap { folder in
        try engine.keeper.map { try BoxState($0, engine.control, in: folder) { log(.warning, $0) } }
      }
    }

    private func play(_ task: BoxTask, autoplay: Bool, spins: Bool) throws {
      let (loop, lines, figures) = (engine.beats, board.lines, observer.figures)
      let beats = try LoopThread(
        name: "beats", priority: RealTimeThread.beatPriority, lag: { lines.lag }, isExact: { loop.isExact },
        wokeUp: figures.wokeForBeats, step: loop.step)
      defer { beats.stop() }
      beats.setSpinning(spins)
      self.beats = beats
      if board.sound != nil { sound = try SoundThreads(engine.sound, figures) }
      defer { sound?.stop() }
      let memoryLock = lockMemory()
      report.tellOfRights(beats.scheduling, memoryLock)
      fillsMemory = memoryLock == .granted
      defer { _ = filling?.join(until: .zero) }
      if autoplay { engine.control.perform(.start, at: board.clock.now) }
      try control(task, beats)
      service.stop()
      memory?.seal()
      engine.control.perform(.stop, at: board.clock.now)
      beats.ring()
      task.tell()
      if sound != nil { try letSoundDieAway() }
    }

    /// The control loop, until a signal comes or the task is done.
    ///
    /// - Parameter beats: is rung for a timeline that is published anew. The audio loop sees it with its next period: what it
    ///   has committed until then it could not take back.
    private func control(_ task: BoxTask, _ beats: LoopThread) throws {
      var polled = descriptors(of: task)
      var wait = DescriptorWait(polled)
      var generation: UInt64 = 0
      while !isOver {
        let now = board.clock.now
        let tending = try board.tend(at: now)
        let serving = memory?.serve(at: now)
        let step = task.steering.step(at: now)
        if engine.generation != generation {
          generation = engine.generation
          beats.ring()
        }
        memory?.ringIfNeeded()
        task.tell()
        tellOfSaving()
        holdLatency()
        let telling =
          report.tell(lines: board.linesState, at: now)
          + [service.step(status, observer.figures, ring: beats.ring, at: now)]
        if descriptors(of: task) != polled {
          polled = descriptors(of: task)
          wait = DescriptorWait(polled)
        }
        if task.isOver() { return }
        if fillsMemory {
          fillsMemory = false
          filling = try? PatientThread(name: "memory-lock", body: fillMemory)
        }
        _ = try wait.wait(until: ([tending, step, serving] + telling).compactMap(\.self).min())
        if wait.isReady(news.descriptor) { news.clear() }
        if let cards, wait.isReady(cards.descriptor) {
          cards.clear()
          sound?.noteThatCardsHaveChanged()
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
      guard signal == SIGHUP, let reloading, reloading.isMeant else {
        isOver = true
        return
      }
      service.beginReload(at: board.clock.now)
      defer { service.endReload() }
      guard let (new, old) = reloading.read({ log(.error, $0) }) else { return }
      do {
        try take(new, inPlaceOf: old)
      } catch let error as HardwareError {
        log(.error, Reading.refusal(Failure.text(error)))
        return
      }
      reloading.current = new
      leaveBehind(new.configuration)
      log(.info, new.news(since: old))
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
    private func take(_ new: Reading, inPlaceOf old: Reading) throws {
      let (configuration, changes) = (new.configuration, new.boardChanges(from: old))
      let now = board.clock.now
      beats?.setSpinning(configuration.spins)
      // What was pressed by now was pressed on the lines that it was pressed on.
      _ = engine.control.step(at: now)
      try board.rewire(configuration.wiring)
      let log = log
      engine.reconfigure(new.options, from: old.options, board: board, at: now) {
        if changes.inputs { board.takeInputs(configuration.wiring.inputs) { log(.warning, $0) } }
        if changes.sound { board.takeSound(configuration.audio) { log(.warning, $0) } }
        return changes
      }
      if let sound {
        sound.ringKeeper()
      } else if board.sound != nil {
        do throws(SystemError) {
          cards = try CardWatch()
          sound = try SoundThreads(engine.sound, observer.figures, waits: false)
        } catch {
          log(.error, "no sound before the next start: \(error.call): \(reason(error.errno))")
        }
      }
    }

    /// What the control thread waits for. The descriptor of a broken chip would be ready without end.
    private func descriptors(of task: BoxTask) -> [Int32] {
      [signals.descriptor, news.descriptor, task.descriptor, board.descriptor]
        + [cards?.descriptor, board.inputs?.descriptor].compactMap(\.self) + (memory?.descriptors ?? [])
        + (task.steering.canReadButtons ? board.fileDescriptors : [])
    }

    private var status: ServiceStatus {
      ServiceStatus(
        state: engine.control.state, outputs: board.workingOutputs, missingLines: board.linesState.brevity,
        audio: observer.soundState)
    }

    private func tellOfSaving() {
      report.tellOfSaving(isDeaf: memory?.isDeaf ?? false) { memory?.listen() }
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
      if isPlaying, latency == nil { latency = WakeupLatency() }
      if !isPlaying { latency = nil }
    }
  }

  /// The wiring that a running metronome plays by, as a configuration, where whoever switches off after it finds it: the
  /// file it was read from may say something else by now, or nothing that can be read.
  ///
  /// It lies in the folder that systemd makes for the service in memory, and goes with it.
  struct ConfigurationInForce {
    private static let name = "in-force.yaml"

    private let folder: String

    /// In `$RUNTIME_DIRECTORY`; nil without it.
    init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
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
