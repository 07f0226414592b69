#if LINUX_BOARD
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeCore
  import MetronomeEngine

  /// What wakes the thread of each loop. Any thread rings.
  final class Bells: Sendable {
    let control: EventDescriptor
    let beats = Doorbell()
    let audio: EventDescriptor
    let cards = Doorbell()
    let state = Doorbell()

    init() throws(SystemError) {
      control = try EventDescriptor()
      audio = try EventDescriptor()
    }

    func ring(_ loop: Loop) {
      switch loop {
      case .control: control.ring()
      case .beats: beats.ring()
      case .audio: audio.ring()
      case .cards: cards.ring()
      case .state: state.ring()
      }
    }
  }

  /// The sound of a metronome on a real card: a real-time thread that plays, and a patient one that sees to the card.
  final class SoundThreads {
    /// How long the end waits for a card that does not let itself be closed.
    private static let patience = Nanoseconds.seconds(1)
    /// How long the start waits for the first look at the card.
    private static let firstPatience = Nanoseconds.milliseconds(500)

    private let sound: Sound<ALSAPort, LinuxClock, BoxObserver>
    private let loopThread: RealTimeThread
    private let keeperThread: PatientThread
    private let bells: Bells
    private let end = EndFlag()

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - figures: count the steps of the loop.
    ///   - bells: those that the sound rings.
    ///   - waits: whether a card that is there, and answers, plays when this returns.
    init(
      _ sound: Sound<ALSAPort, LinuxClock, BoxObserver>, _ figures: LiveFigures, _ bells: Bells, waits: Bool = true
    ) throws(SystemError) {
      let (hasLooked, end) = (Doorbell(), end)
      let loopThread = try RealTimeThread(name: "sound", priority: RealTimeThread.audioPriority) {
        SoundThreads.play(sound.loop, figures, CardWait(bells.audio), until: end)
      }
      do throws(SystemError) {
        keeperThread = try PatientThread(name: "sound-keeper") {
          let clock = LinuxClock()
          while !end.isRaised {
            let deadline = sound.keeper.step(at: clock.now)
            hasLooked.ring()
            _ = bells.cards.wait(until: deadline)
          }
        }
      } catch {
        end.raise()
        bells.ring(.audio)
        loopThread.join()
        throw error
      }
      // The first beat is to have its lead. A card that hangs has been waited for already.
      if waits { hasLooked.wait(until: LinuxClock().now + SoundThreads.firstPatience) }
      self.sound = sound
      self.loopThread = loopThread
      self.bells = bells
    }

    /// What the audio thread does until the end: nothing that allocates or counts references, as the machine code of it is
    /// inspected for.
    @inline(never)
    private static func play(
      _ loop: AudioLoop<ALSAOutput, LinuxClock, BoxObserver>, _ figures: LiveFigures, _ wait: CardWait,
      until end: EndFlag
    ) {
      let clock = LinuxClock()
      while !end.isRaised {
        let deadline = loop.step(at: clock.now)
        figures.wokeForSound()
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

    /// Ends the threads and gives the card back. A card that is stuck is left to the system. Once.
    func stop() {
      end.raise()
      bells.ring(.audio)
      bells.ring(.cards)
      let deadline = LinuxClock().now + SoundThreads.patience
      let hasEnded = [loopThread.join(until: deadline), keeperThread.join(until: deadline)]
      if hasEnded == [true, true] { sound.keeper.end() }
    }
  }
#endif
