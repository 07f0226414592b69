import Foundation
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
    private let incidents: Incidents
    private let news: EventDescriptor
    private var thread: LoopThread?

    /// What the sound card and the lines need between a press and its effect.
    func lead(_ latencies: OutputLatencies) -> Lead { Lead(output.format, latencies: latencies) }

    /// Readable when ``status`` may have changed; see ``clear()``.
    var descriptor: Int32 { news.descriptor }

    /// What sounds, or that nothing does any more, in a word or two.
    var status: String {
      let counts = incidents.counts
      if counts.readAudioPosition.count + counts.writeAudio.count > 0 { return "sound: failed" }
      return counts.underruns > 0 ? "\(output.name), ran dry \(counts.underruns) times" : output.name
    }

    private init(_ output: ALSAOutput) throws(SystemError) {
      self.output = output
      let news = try EventDescriptor()
      self.news = news
      incidents = Incidents { news.ring() }
    }

    /// - Throws: `Failure` when there is no sound card to be had.
    static func open(_ request: AudioRequest) throws -> LiveSound {
      let log = Log()
      do {
        return try LiveSound(ALSAOutput.open(request, notice: { log(.warning, $0) }))
      } catch let error as HardwareError {
        throw Failure.noHardware(error)
      } catch let error as SystemError {
        throw Failure.noHardware("\(error.call): \(reason(error.errno))")
      }
    }

    /// Plays the clicks of a published timeline until ``stop()``.
    func start(_ publication: TimelinePublication, sounds: ClickSounds) throws {
      let loop = AudioLoop(
        output: output, sounds: sounds, publication: publication,
        observer: BoxObserver(incidents: incidents))
      do throws(SystemError) {
        thread = try LoopThread(name: "sound", priority: RealTimeThread.audioPriority, step: loop.step)
      } catch {
        throw Failure.noHardware("\(error.call): \(reason(error.errno))")
      }
    }

    func clear() { news.clear() }

    func stop() {
      thread?.stop()
      output.release()
    }

    /// Tells in log lines what went wrong, once the terminal is a terminal again.
    func tellIncidents(at now: Instant) {
      var report = IncidentReport(log: Log())
      _ = report.tell(incidents.counts, at: now)
    }
  #else
    func lead(_ latencies: OutputLatencies) -> Lead { Lead(nil, latencies: latencies) }

    let descriptor: Int32 = -1
    let status = ""

    static func open(_ request: AudioRequest) throws -> LiveSound {
      throw Failure.noHardware("this build has no sound; build it on Linux with ALSA, or leave --sound out")
    }

    func start(_ publication: TimelinePublication, sounds: ClickSounds) throws {}

    func clear() {}

    func stop() {}

    func tellIncidents(at now: Instant) {}
  #endif
}
