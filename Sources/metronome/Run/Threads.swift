#if LINUX_BOARD
  import CLibrary
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeCore
  import MetronomeEngine
  import StateFiles
  import Synchronization

  /// Requests the threads of the box to end.
  final class EndFlag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .acquiring) }
    func raise() { value.store(true, ordering: .releasing) }
  }

  /// The audio threads of a real card: a real-time thread that plays, and an ordinary thread that opens and closes the card.
  final class AudioThreads {
    /// How long stopping waits for a card that cannot be closed.
    private static let stopTimeout = Nanoseconds.seconds(1)
    /// How long the start waits for the first attempt to open the card.
    private static let firstOpenTimeout = Nanoseconds.milliseconds(500)

    private let audio: Audio<ALSAPort, LinuxClock, BoxObserver>
    private let loopThread: RealTimeThread
    private let cardThread: BlockingThread
    private let waker: Waker
    private let end = EndFlag()

    /// Starts the threads for the two `loops` of a card. With `waits`, a card that is present and responds plays when this returns.
    init(
      _ audio: Audio<ALSAPort, LinuxClock, BoxObserver>, as loops: (play: Loop, open: Loop) = (.audio, .cards),
      _ figures: LiveFigures, _ bells: Bells, _ waker: Waker, waits: Bool = true
    ) throws(SystemError) {
      let (audioBell, cardsBell) = (bells.descriptor(of: loops.play), bells.doorbell(of: loops.open))
      let (hasStepped, end) = (Doorbell(), end)
      let loopThread = try RealTimeThread(name: loops.play.name, priority: RealTimeThread.audioPriority) {
        AudioThreads.play(audio.loop, figures, CardWait(audioBell), until: end)
      }
      do throws(SystemError) {
        cardThread = try BlockingThread(name: loops.open.name) {
          let clock = LinuxClock()
          while !end.isRaised {
            let deadline = audio.cards.step(at: clock.now)
            hasStepped.ring()
            _ = cardsBell.wait(until: deadline)
          }
        }
      } catch {
        end.raise()
        waker.wakeAll()
        loopThread.join()
        throw error
      }
      // The first beat needs the card's lead. This wait is bounded if the card hangs.
      if waits { hasStepped.wait(until: LinuxClock().now + AudioThreads.firstOpenTimeout) }
      (self.audio, self.loopThread, self.waker) = (audio, loopThread, waker)
    }

    /// The body of the audio thread. Its machine code is inspected for allocations and reference counting.
    @inline(never)
    private static func play(
      _ loop: AudioLoop<ALSAOutput, LinuxClock, BoxObserver>, _ figures: LiveFigures, _ wait: CardWait,
      until end: EndFlag
    ) {
      let clock = LinuxClock()
      while !end.isRaised {
        let deadline = loop.step(at: clock.now)
        figures.stepped(.audio)
        sleep(wait, loop, until: deadline)
      }
    }

    /// After a write, the card's interrupt wakes the thread, because the position is most exact then. The clock wakes it if
    /// half of the queue has played without an interrupt, or if the card accepted nothing.
    private static func sleep(
      _ wait: CardWait, _ loop: AudioLoop<ALSAOutput, LinuxClock, BoxObserver>, until deadline: Instant?
    ) {
      if loop.hasWritten, let card = loop.output, let deadline {
        card._withUnsafeGuaranteedRef { card in
          let format = card.format
          wait.wait(
            for: card, until: deadline + format.duration(ofFrames: format.bufferFrames - format.periodFrames) / 2)
        }
      } else {
        wait.wait(for: nil, until: deadline)
      }
    }

    /// Stops the threads and closes the card, unless a thread does not end in time. Call it once.
    func stop() {
      end.raise()
      waker.wakeAll()
      let deadline = LinuxClock().now + AudioThreads.stopTimeout
      let hasEnded = [loopThread.join(until: deadline), cardThread.join(until: deadline)]
      if hasEnded == [true, true] { audio.cards.end() }
    }
  }

  /// A loop on a thread without priority, because a disk or a display may block it: sending a text on an I²C bus takes 0.1 s.
  final class BlockingLoop {
    private let thread: BlockingThread
    private let bell: Doorbell
    private let end = EndFlag()

    /// Starts the thread. It calls `stepped` after each step, and `ending` and `stepped` at the end.
    init(
      _ loop: Loop, of engine: Engine<LinuxBoard, BoxObserver>, _ bells: Bells,
      stepped: @escaping @Sendable (Instant) -> Void = { _ in },
      ending: @escaping @Sendable (Instant) -> Void = { _ in }
    ) throws(SystemError) {
      let (bell, end) = (bells.doorbell(of: loop), end)
      self.bell = bell
      thread = try BlockingThread(name: loop.name) {
        let clock = LinuxClock()
        while !end.isRaised {
          let deadline = engine.step(loop, at: clock.now)
          stepped(clock.now)
          _ = bell.wait(until: deadline)
        }
        ending(clock.now)
        stepped(clock.now)
      }
    }

    /// Stops the thread, unless its device does not respond in time. Call it once.
    func stop(within timeout: Nanoseconds) {
      end.raise()
      bell.ring()
      _ = thread.join(until: LinuxClock().now + timeout)
    }
  }

  /// The saved state of the box: the thread that saves it, and the practice log.
  final class BoxState {
    /// How long stopping waits for the disk.
    private static let stopTimeout = Nanoseconds.seconds(5)

    /// The path of the state folder.
    let path: String
    private let saver: StateSaver<BoxObserver>
    private let loop: BlockingLoop
    private let bells: Bells
    private let records = Mailbox<PracticeRecord>()

    /// Starts the thread. This process must have locked `folder`.
    init(
      _ saver: StateSaver<BoxObserver>, _ engine: Engine<LinuxBoard, BoxObserver>, _ bells: Bells,
      in folder: FileFolder
    ) throws(SystemError) {
      (self.saver, self.bells, path) = (saver, bells, folder.path)
      let (log, records) = (PracticeLog(folder), records)
      loop = try BlockingLoop(
        .state, of: engine, bells, stepped: { log.append(records.drain(), at: $0) },
        ending: { engine.saver?.flush(at: $0) })
    }

    /// Adds a record to the practice log. Never waits for the disk.
    func keep(_ record: PracticeRecord) {
      records.post(record)
      bells.ring(.state)
    }

    /// Ignores later changes, so that the stop at exit is not saved.
    func seal() { saver.seal() }

    /// Saves pending changes and stops the thread, unless the disk does not respond in time. Call it once.
    func stop() { loop.stop(within: BoxState.stopTimeout) }
  }

  /// Wakes the thread of each loop: by a descriptor if the thread also polls others, otherwise by a semaphore. Any thread may
  /// ring; ringing neither allocates nor counts a reference.
  final class Bells: Sendable {
    private enum Bell {
      case doorbell(Unmanaged<Doorbell>)
      case descriptor(Unmanaged<EventDescriptor>)
    }

    /// Indexed by `Loop.rawValue`. Pointers, because real-time threads also ring and must not count references. Safe, because
    /// the bells are retained here, and nothing changes between `init` and `deinit`.
    private nonisolated(unsafe) let bells: UnsafeMutablePointer<Bell>

    init() throws(SystemError) {
      let made = try Loop.allCases.map { loop throws(SystemError) -> Bell in
        switch loop.thread {
        case .main, .card: .descriptor(.passRetained(try EventDescriptor()))
        case .exact, .blocking: .doorbell(.passRetained(Doorbell()))
        }
      }
      bells = .allocate(capacity: made.count)
      bells.initialize(from: made, count: made.count)
    }

    deinit {
      for loop in Loop.allCases {
        switch bells[loop.rawValue] {
        case .doorbell(let bell): bell.release()
        case .descriptor(let bell): bell.release()
        }
      }
      bells.deallocate()
    }

    func ring(_ loop: Loop) {
      switch bells[loop.rawValue] {
      case .doorbell(let bell): bell._withUnsafeGuaranteedRef { $0.ring() }
      case .descriptor(let bell): bell._withUnsafeGuaranteedRef { $0.ring() }
      }
    }

    /// The bell of a loop whose thread does not poll.
    func doorbell(of loop: Loop) -> Doorbell {
      guard case .doorbell(let bell) = bells[loop.rawValue] else { preconditionFailure("the \(loop.name) loop polls") }
      return bell.takeUnretainedValue()
    }

    /// The bell of a loop whose thread polls.
    func descriptor(of loop: Loop) -> EventDescriptor {
      guard case .descriptor(let bell) = bells[loop.rawValue] else {
        preconditionFailure("the \(loop.name) loop polls nothing")
      }
      return bell.takeUnretainedValue()
    }
  }

  /// Starts the threads of loops.
  extension Box {
    /// Starts the loops of each card that the board has and that do not run yet. A loop counts its steps in figures of its own.
    func startAudio(waits: Bool = true) throws(SystemError) {
      if audio == nil, board.audio != nil {
        audio = try AudioThreads(engine.audio, observer.figures, bells, engine.waker, waits: waits)
      }
      if secondAudio == nil, board.secondAudio != nil {
        secondAudio = try AudioThreads(
          engine.secondAudio, as: (.audio2, .cards2), observer.ofSecondCard.figures, bells, engine.waker, waits: waits)
      }
    }

    /// Starts the beat loop on its thread. The thread gets the loop itself, because access through the engine might count
    /// references.
    func startBeats(spins: Bool) throws(SystemError) -> LoopThread {
      let (loop, lines, figures) = (engine.beats, board.lines, observer.figures)
      let thread = try LoopThread(
        name: "beats", priority: RealTimeThread.beatPriority, bell: bells.doorbell(of: .beats), lag: { lines.lag },
        isExact: { loop.isExact }, rehearse: loop.rehearse, wokeUp: { figures.stepped(.beats) },
        step: { loop.step(at: $0) })
      thread.setSpinning(spins)
      return thread
    }

    /// Starts the MIDI loop on its thread if there are MIDI outputs and it does not run yet.
    func startMIDI(spins: Bool) throws(SystemError) {
      guard midi == nil, let ports = board.midi, ports.list.count > 0 else { return }
      let (loop, bells) = (engine.midi, bells)
      let thread = try LoopThread(
        name: "midi", priority: RealTimeThread.midiPriority, bell: bells.doorbell(of: .midi),
        isExact: { loop.isExact }, finish: loop.end, step: { loop.step(at: $0) })
      thread.setSpinning(spins)
      ports.opened = { bells.ring(.midi) }
      midi = thread
    }

    /// Starts the display loop on its thread if there is a display and it does not run yet. The metronome also plays without a display.
    func startDisplay() {
      guard display == nil, board.display?.isConfigured == true else { return }
      do throws(SystemError) { display = try BlockingLoop(.display, of: engine, bells) } catch {
        log(.error, "the display shows nothing until the next reload: \(error.call): \(reason(error.errno))")
      }
    }
  }
#endif
