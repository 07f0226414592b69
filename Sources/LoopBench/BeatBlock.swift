import HardwareAbstraction
import LinuxBoard
import MetronomeCore
import MetronomeEngine

/// The beat loop as it is, on its thread as it is, with a chip that only notes when it was called.
enum BeatBlock {
  /// From the start of the thread to the first beat.
  private static let lead = Nanoseconds.milliseconds(5)

  /// What it did for a while.
  static func run(_ music: BenchMusic, spins: Bool, for length: Nanoseconds) throws(SystemError) -> WaitRecorder {
    let clock = LinuxClock()
    let recorder = WaitRecorder(capacity: Int(length.count / music.wait.count) + 1)
    let publication = TimelinePublication()
    let loop = BeatLoop(
      lines: recorder, patterns: Publication(music.pattern), publication: publication,
      plan: OutputPlan(OutputPlan.Settings(latencies: music.latencies)), observer: SilentObserver())
    let start = clock.now + lead
    publication.publish(Timeline(session: 1, firstBeat: start, tempo: music.tempo, signature: music.signature))
    let thread = try LoopThread(
      name: "beats", priority: RealTimeThread.beatPriority, isExact: { loop.isExact },
      step: { recorder.step(at: $0, loop.step) })
    thread.setSpinning(spins)
    Doorbell().wait(until: start + length)
    thread.stop()
    return recorder
  }
}
