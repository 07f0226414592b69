#if LINUX_BOARD
  import CLibrary
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeConfiguration
  import MetronomeCore
  import StateFiles

  /// Applies a new configuration while playing. Control thread.
  extension Box {
    /// Applies the configuration that the reload thread has read, if it is done.
    func finishReload() {
      guard let reloading else { return }
      do {
        switch try reloading.consumeOutcome() {
        case nil: return
        case .refused(let text):
          isConfigurationRefused = true
          log(.error, text)
        case .read(let change):
          try apply(change, inPlaceOf: reloading.current)
          reloading.accept(change)
          isConfigurationRefused = false
          saveWiring(change.loaded.configuration)
          for line in change.loaded.warnings { log(.warning, line) }
          log(.info, change.news)
        }
        service.endReload()
      } catch let error as HardwareError {
        refuseReload(Failure.text(error))
      } catch {
        refuseReload("\(error)")
      }
    }

    /// Begins to reread the configuration.
    func beginReload() {
      guard let reloading else { return }
      service.beginReload(at: board.clock.now)
      do { try reloading.begin() } catch { refuseReload("\(error)", isWrong: false) }
    }

    /// `isWrong`: whether the reason is in the configuration.
    func refuseReload(_ reason: String, isWrong: Bool = true) {
      if isWrong { isConfigurationRefused = true }
      log(.error, LoadedConfiguration.refusal(reason))
      service.endReload()
    }

    /// Writes the file that `metronome off` reads after this process was killed.
    func saveWiring(_ configuration: Configuration) {
      do throws(HardwareError) {
        try ConfigurationInForce()?.write(configuration)
      } catch {
        log(.warning, "the list of outputs for \"metronome off\" cannot be saved: \(Failure.text(error))")
      }
    }

    /// - Throws: `HardwareError` if the lines do not exist. Nothing is changed then.
    private func apply(_ change: Reloading.Change, inPlaceOf old: LoadedConfiguration) throws {
      let (configuration, changes) = (change.loaded.configuration, change.boardChanges)
      let now = board.clock.now
      beats?.setSpinning(configuration.spins)
      midi?.setSpinning(configuration.spins)
      // Read the presses so far, which belong to the old lines.
      _ = engine.control.step(at: now)
      try board.rewire(configuration.wiring)
      let log = log
      engine.reconfigure(
        change.loaded.options, from: old.options, board: board, at: now, hasOtherSounds: change.hasOtherSounds
      ) {
        if changes.inputs {
          learning?.interrupt()
          board.replaceInputs(configuration.wiring) { log(.warning, $0) }
        }
        if changes.midi { board.midi?.replace(configuration.wiring.midi) }
        if changes.audio { board.replaceAudio(configuration.audio) { log(.warning, $0) } }
        if changes.secondAudio { board.replaceSecondAudio(configuration.secondAudio) { log(.warning, $0) } }
        return changes
      }
      startDisplay()
      do throws(SystemError) {
        try startMIDI(spins: configuration.spins)
      } catch {
        log(.error, "no MIDI clock until the program is restarted: \(error.call): \(reason(error.errno))")
      }
      do throws(SystemError) {
        if cards == nil, board.audio != nil { cards = try CardWatch() }
        try startAudio(waits: false)
      } catch {
        log(.error, "no sound until the program is restarted: \(error.call): \(reason(error.errno))")
      }
    }
  }

  /// The wiring of a running metronome, saved for `metronome off`, because the configuration file may change meanwhile. systemd
  /// removes the folder when the service ends.
  struct ConfigurationInForce {
    private static let name = "in-force.yaml"

    private let folder: String

    init?() {
      guard let folder = Paths.service("RUNTIME_DIRECTORY") else { return nil }
      self.folder = folder
    }

    /// Replaces the file atomically.
    func write(_ configuration: Configuration) throws(HardwareError) {
      let files = try FileFolder(folder)
      var outputs = Configuration.standard
      outputs.wiring = configuration.wiring
      outputs.wiring.inputs = []
      try files.write(ConfigurationInForce.name + ".new", Array(outputs.yaml.utf8))
      _ = try files.rename(ConfigurationInForce.name + ".new", to: ConfigurationInForce.name)
    }

    func read() -> Configuration? { try? Configuration.readIfPresent(path: "\(folder)/\(ConfigurationInForce.name)") }
  }
#endif
