#if LINUX_BOARD
  import CLibrary
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeEngine

  /// Starts the threads of loops.
  extension Box {
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
      do throws(SystemError) { display = try DisplayThread(engine, bells) } catch {
        log(.error, "the display shows nothing until the next reload: \(error.call): \(reason(error.errno))")
      }
    }
  }
#endif
