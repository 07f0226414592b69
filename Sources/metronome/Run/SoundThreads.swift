#if LINUX_BOARD
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeCore
  import MetronomeEngine

  /// The sound of a metronome on a real card: a real-time thread that plays, and a patient one that sees to the card.
  final class SoundThreads {
    /// How long the end waits for a card that does not let itself be closed.
    private static let patience = Nanoseconds.seconds(1)

    private let keeper: SoundKeeper<ALSAPort, LinuxClock, BoxObserver>
    private let loop: LoopThread
    private let keeperThread: PatientThread
    private let keeperBell: Doorbell
    private let end = EndFlag()

    /// Starts the threads. A card that is there plays when this returns.
    init(_ sound: Sound<ALSAPort, LinuxClock, BoxObserver>) throws(SystemError) {
      let (loopBell, keeperBell, end) = (Doorbell(), Doorbell(), end)
      // Handed over: each of the two is used by its thread alone, until that has ended.
      nonisolated(unsafe) let sound = sound
      let keeper = sound.keeper
      _ = keeper.step(at: LinuxClock().now)
      let loop = try LoopThread(name: "sound", priority: RealTimeThread.audioPriority, bell: loopBell) { now in
        let deadline = sound.loop.step(at: now)
        if sound.loop.needsKeeper { keeperBell.ring() }
        return deadline
      }
      do throws(SystemError) {
        keeperThread = try PatientThread(name: "sound-keeper") {
          let clock = LinuxClock()
          while !end.isRaised {
            let hadStream = sound.hasStream
            let deadline = sound.keeper.step(at: clock.now)
            if !hadStream, sound.hasStream { loopBell.ring() }
            _ = keeperBell.wait(until: deadline)
          }
        }
      } catch {
        loop.stop()
        throw error
      }
      self.keeper = keeper
      self.loop = loop
      self.keeperBell = keeperBell
    }

    /// Tells that cards may have come.
    func noteThatCardsHaveChanged() {
      keeper.noteThatCardsHaveChanged()
      keeperBell.ring()
    }

    /// Ends the threads and gives the card back. A card that is stuck is left to the system. Once.
    func stop() {
      loop.stop()
      end.raise()
      keeperBell.ring()
      if keeperThread.join(until: LinuxClock().now + SoundThreads.patience) { keeper.end() }
    }
  }
#endif
