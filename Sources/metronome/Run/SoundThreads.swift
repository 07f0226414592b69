#if LINUX_BOARD
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeCore
  import MetronomeEngine

  /// The sound of a metronome on a real card: a real-time thread that plays, and a patient one that sees to the card.
  final class SoundThreads {
    /// How long the end waits for a card that does not let itself be closed.
    private static let patience = Nanoseconds.seconds(1)
    /// How long the start waits for the first look at the card.
    private static let firstPatience = Nanoseconds.milliseconds(500)

    private let keeper: SoundKeeper<ALSAPort, LinuxClock, BoxObserver>
    private let loopThread: RealTimeThread
    private let loopBell: EventDescriptor
    private let keeperThread: PatientThread
    private let keeperBell: Doorbell
    private let end = EndFlag()

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - figures: count the steps of the loop.
    ///   - waits: whether a card that is there, and answers, plays when this returns.
    init(
      _ sound: Sound<ALSAPort, LinuxClock, BoxObserver>, _ figures: LiveFigures, waits: Bool = true
    ) throws(SystemError) {
      let (loopBell, keeperBell, hasLooked, end) = (try EventDescriptor(), Doorbell(), Doorbell(), end)
      // Unsafe to the compiler, which cannot see the handover: from here on each is stepped by its thread alone, and what
      // others ask of the keeper before that has ended is an atomic.
      nonisolated(unsafe) let (loop, keeper) = (sound.loop, sound.keeper)
      let loopThread = try RealTimeThread(name: "sound", priority: RealTimeThread.audioPriority) {
        SoundThreads.play(loop, figures, CardWait(loopBell), keeperBell, until: end)
      }
      do throws(SystemError) {
        keeperThread = try PatientThread(name: "sound-keeper") {
          let clock = LinuxClock()
          while !end.isRaised {
            let calls = keeper.calls
            let deadline = keeper.step(at: clock.now)
            if keeper.calls != calls { loopBell.ring() }
            hasLooked.ring()
            _ = keeperBell.wait(until: deadline)
          }
        }
      } catch {
        end.raise()
        loopBell.ring()
        loopThread.join()
        throw error
      }
      // The first beat is to have its lead. A card that hangs has been waited for already.
      if waits { hasLooked.wait(until: LinuxClock().now + SoundThreads.firstPatience) }
      self.keeper = keeper
      self.loopThread = loopThread
      self.loopBell = loopBell
      self.keeperBell = keeperBell
    }

    /// What the audio thread does until the end: nothing that allocates or counts references, as the machine code of it is
    /// inspected for.
    @inline(never)
    private static func play(
      _ loop: AudioLoop<ALSAOutput, LinuxClock, BoxObserver>, _ figures: LiveFigures, _ wait: CardWait,
      _ keeperBell: Doorbell, until end: EndFlag
    ) {
      let clock = LinuxClock()
      while !end.isRaised {
        let deadline = loop.step(at: clock.now)
        figures.wokeForSound()
        if loop.needsKeeper { keeperBell.ring() }
        sleep(wait, loop, until: deadline)
      }
    }

    /// A card that was filled wakes the thread by its interrupt, when its position is fresh. One that sends none until half
    /// of what is queued has been played, or took nothing, is looked at by the clock.
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

    /// Tells that cards may have come.
    func noteThatCardsHaveChanged() {
      keeper.noteThatCardsHaveChanged()
      keeperBell.ring()
    }

    /// Lets the keeper do what is asked of it.
    func ringKeeper() { keeperBell.ring() }

    /// Ends the threads and gives the card back. A card that is stuck is left to the system. Once.
    func stop() {
      end.raise()
      loopBell.ring()
      keeperBell.ring()
      let deadline = LinuxClock().now + SoundThreads.patience
      let hasEnded = [loopThread.join(until: deadline), keeperThread.join(until: deadline)]
      if hasEnded == [true, true] { keeper.end() }
    }
  }
#endif
