import BoardCheck
import CLibrary
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeEngine
import StateFiles

#if LINUX_BOARD
  import LinuxBoard
#endif

/// Looks at all that a box is made of. Nothing is changed for good: buttons are asked for as inputs for a moment, and a sound
/// card plays silence.
struct Survey {
  /// The file that was asked for; nil: where it is looked for by itself.
  var configurationPath: String?
  var statePath: String?
  /// For how long the sound card's clock is measured.
  var length: Nanoseconds
  var files = FileTree()

  /// What was seen, and the configuration if there is a good one.
  func facts() -> (BoardFacts, Configuration?) {
    let (configuration, read) = configuration()
    let processes = ProcessFacts(files, own: Int(getpid()))
    var facts = BoardFacts(
      configuration: configuration,
      computer: ComputerFacts(files) { OtherProgram.output(of: "vcgencmd", "get_throttled") },
      caller: CallerFacts(files), devices: DeviceFacts(files), processes: processes,
      clock: ClockFacts(files, processes, isSynchronised: Survey.isSynchronised),
      state: state, inputs: (read?.wiring.inputs ?? []).map { InputFacts(files, $0) }, service: service)
    #if LINUX_BOARD
      if let read {
        facts.gpio = GPIOInspection.look(read.wiring)
        facts.sound = SoundInspection.look(read.audio, measuring: length)
      }
    #endif
    return (facts, read)
  }

  private func configuration() -> (ConfigurationFacts, Configuration?) {
    let path = configurationPath ?? (files.exists(RunCommand.defaultPath) ? RunCommand.defaultPath : nil)
    do throws(ConfigurationError) {
      var read = Configuration.standard
      if let path { read = try Configuration.read(path: path) }
      _ = try read.readSounds()
      return (ConfigurationFacts(path: path, outcome: .good(read.wiring, read.audio, volume: read.volume)), read)
    } catch {
      return (ConfigurationFacts(path: path, outcome: .bad(problem: error.fault, remedy: error.remedy)), nil)
    }
  }

  private var state: StateFacts {
    var facts = StateFacts(
      files, path: statePath ?? PresetsCommand.defaultPath, origin: statePath == nil ? .standard : .named)
    if facts.isFolder { facts.contents = Survey.contents(of: facts.path) }
    return facts
  }

  private static func contents(of path: String) -> StateFacts.Contents {
    let folder: FileFolder
    do throws(HardwareError) { folder = try FileFolder(path) } catch { return .unread(errno: error.errno) }
    let found = StateArchive(folder).load()
    let losses = found.losses.map { loss in
      StateFacts.Loss(name: loss.name, trouble: trouble(loss.trouble), newName: loss.newName)
    }
    guard let presets = found.savedState?.presets.presets.count else { return .read(losses: losses, rest: .nothing) }
    return .read(losses: losses, rest: found.isWhole ? .newest(presets: presets) : .older(presets: presets))
  }

  private static func trouble(_ trouble: StateFindings.Trouble) -> StateFacts.Loss.Trouble {
    switch trouble {
    case .content(let error): .content(error)
    case .refused(let errno): .refused(errno: errno)
    }
  }

  private var service: ServiceFacts? {
    guard ServiceFacts.isManaged(files) else { return nil }
    let properties = ServiceFacts.properties.joined(separator: ",")
    let text = OtherProgram.output(of: "systemctl", "show", ServiceFacts.unit, "--property=\(properties)")
    return text.map { ServiceFacts($0, files) }
  }

  private static var isSynchronised: Bool? {
    #if LINUX_BOARD
      LinuxClock.isSynchronised
    #else
      nil
    #endif
  }
}
