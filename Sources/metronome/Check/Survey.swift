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

/// Inspects all parts of a box. Button lines are requested as inputs for a moment, and the sound card plays silence.
struct Survey {
  /// nil: the default path if it exists.
  var configurationPath: String?
  var statePath: String?
  /// How long the sound card's clock is measured.
  var length: Nanoseconds
  var files = FileTree()

  func facts() -> (BoardFacts, Configuration?) {
    let (configuration, read) = configuration()
    var facts = BoardFacts(files, configuration, state, isClockSynchronised: Survey.isSynchronised)
    #if LINUX_BOARD
      if let read {
        facts.gpio = GPIOInspection.look(read.wiring)
        facts.audio = AudioInspection.look(read.audio, measuring: length)
        if read.secondAudio.device != .none {
          facts.secondCard = SecondCardFacts(
            read.secondAudio, AudioInspection.look(read.secondAudio, measuring: length))
        }
      }
    #endif
    return (facts, read)
  }

  private func configuration() -> (ConfigurationFacts, Configuration?) {
    let path = configurationPath ?? (files.exists(Paths.configuration) ? Paths.configuration : nil)
    do throws(ConfigurationError) {
      var read = Configuration.standard
      if let path { read = try Configuration.read(named: path) }
      _ = try read.readSounds()
      return (ConfigurationFacts(path: path, outcome: .good(read.wiring, read.audio, volume: read.volume)), read)
    } catch {
      let rest = error.further.isEmpty ? "" : "; other problems: see \"metronome config --check FILE\""
      let remedy = error.remedy + rest
      return (ConfigurationFacts(path: path, outcome: .bad(problem: error.fault, remedy: remedy)), nil)
    }
  }

  private var state: StateFacts {
    var facts = StateFacts(
      files, path: statePath ?? Paths.state, origin: statePath == nil ? .standard : .named)
    if facts.isFolder { facts.contents = Survey.contents(of: facts.path) }
    return facts
  }

  private static func contents(of path: String) -> StateFacts.Contents {
    let folder: FileFolder
    do throws(HardwareError) { folder = try FileFolder(path) } catch { return .unread(errno: error.errno) }
    let found = StateArchive(folder).load()
    guard let presets = found.savedState?.presets.presets.count else {
      return .read(unusable: found.unusable, rest: .nothing)
    }
    return .read(unusable: found.unusable, rest: found.isWhole ? .newest(presets: presets) : .older(presets: presets))
  }

  private static var isSynchronised: Bool? {
    #if LINUX_BOARD
      LinuxClock.isSynchronised
    #else
      nil
    #endif
  }
}
