import HardwareAbstraction
import MetronomeCore
import MetronomeEngine

#if LINUX_BOARD
  import LinuxBoard
#endif

/// The clicks of a live simulation, on this machine's sound card.
final class LiveSound {
  #if LINUX_BOARD
    private let output: ALSAOutput
    private var thread: LoopThread?

    /// What sounds, in a word.
    var name: String { output.name }

    /// What the sound card needs between a press and its effect.
    var lead: Lead { Lead(output.format) }

    private init(_ output: ALSAOutput) { self.output = output }

    /// - Throws: `Failure` when there is no sound card to be had.
    static func open(_ request: AudioRequest) throws -> LiveSound {
      do throws(HardwareError) {
        let log = Log()
        guard let output = try ALSAOutput.open(request, notice: { log(.warning, $0) }) else {
          throw HardwareError(.openAudio, errno: 0, detail: "there is no sound to be had; leave --sound out")
        }
        return LiveSound(output)
      } catch {
        throw Failure.noHardware(error)
      }
    }

    /// Plays the clicks of a published timeline until ``stop()``.
    func start(_ publication: TimelinePublication, volume: Double) throws {
      let incidents = Incidents {}
      let loop = AudioLoop(
        output: output, volume: volume, publication: publication,
        observer: BoxObserver(incidents: incidents))
      do throws(SystemError) {
        thread = try LoopThread(name: "sound", priority: RealTimeThread.audioPriority, step: loop.step)
      } catch {
        throw Failure.noHardware("\(error.call): \(reason(error.errno))")
      }
    }

    func stop() {
      thread?.stop()
      output.release()
    }
  #else
    let name = ""
    let lead = Lead(nil)

    static func open(_ request: AudioRequest) throws -> LiveSound {
      throw Failure.noHardware("this build has no sound; build it on Linux with ALSA, or leave --sound out")
    }

    func start(_ publication: TimelinePublication, volume: Double) throws {}

    func stop() {}
  #endif
}
