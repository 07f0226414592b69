import ArgumentParser

#if LINUX_BOARD
  import LinuxBoard
#endif

struct OffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "off",
    abstract: "Switch every output of the real board off, after a metronome that was killed.",
    discussion: """
      A metronome that ends, or crashes, does it itself; one that is killed cannot, and on some kernels a line then stays as \
      it was, and a buzzer sounds on. Takes each output that is configured, inactive, and gives it back. Without --config \
      these are the outputs of the metronome that was killed, if it left word in $RUNTIME_DIRECTORY, as the service does; \
      else those of \(RunCommand.defaultPath) if that exists.

      Ends with 0 also where there is no chip, and where a metronome that runs has the lines, which is left alone.
      """)

  @OptionGroup var configuration: ConfigurationOption

  /// Tells of a failure in the log, as what it follows does.
  func run() throws {
    let log = Log()
    do {
      try darken(log)
    } catch let failure as Failure {
      log(.error, failure.message)
      throw ExitCode(failure.code)
    }
  }

  private func darken(_ log: Log) throws {
    #if LINUX_BOARD
      let left = self.configuration.path == nil ? ConfigurationInForce()?.read() : nil
      let configuration = try left ?? self.configuration.read(fallback: RunCommand.defaultPath)
      do {
        switch try Darkening.darken(configuration.wiring) {
        case .done: break
        case .noChip(let error): log(.info, "nothing to switch off: \(Failure.text(error))")
        case .held(let error): log(.info, "left alone: \(Failure.text(error))")
        }
      } catch {
        throw Failure.noHardware(error)
      }
    #else
      _ = try configuration.read(fallback: RunCommand.defaultPath)
      throw Failure.noHardware("this build has no real board, and so no outputs")
    #endif
  }
}
