import HardwareAbstraction
import LinuxBoard
import MetronomeCore
import Synchronization

/// How well the map of a sound card's clock does, while the card plays silence.
public enum SoundTrial {
  /// - Returns: nil when no sound is wanted.
  public static func run(_ request: AudioRequest, for length: Nanoseconds) throws(HardwareError) -> BenchResult.Sound? {
    switch SoundInspection.look(request, measuring: length).outcome {
    case .notWanted: return nil
    case .refused(let error): throw error
    case .hangs: throw HardwareError(.openAudio, .timedOut, detail: "the sound card does not answer")
    case .opened(let card):
      return BenchResult.Sound(card: card.name, health: health(card.readings, rate: card.format.rate))
    }
  }

  /// Of a map that has seen these readings.
  static func health(_ readings: [SoundFacts.Reading], rate: Int) -> ClockMap.Health {
    var map = ClockMap(rate: rate)
    for reading in readings { map.observe(frame: reading.frame, at: reading.instant) }
    return map.health
  }
}

/// What it costs to set the lines of a box, all inactive, to what they are.
public enum LineTrial {
  private static let calls = 2_000
  /// For a chip that takes milliseconds.
  private static let longest = Nanoseconds.seconds(5)

  /// Takes the lines, on the main thread, and gives them back; nil when no output is wired.
  public static func run(_ wiring: Wiring) throws(HardwareError) -> BenchResult.SetCall? {
    guard !wiring.outputs.isEmpty else { return nil }
    var outputs = wiring
    outputs.buttons = [:]
    outputs.inputs = []
    let board = try LinuxBoard.open(wiring: outputs, audio: AudioRequest(device: .none), store: nil, notice: { _ in })
    defer { board.release() }
    guard case .held(let chip?) = board.linesState else { return nil }
    let costs = Mutex(HistogramSnapshot())
    // Unsafe: only the thread uses them until it has ended, which is waited for.
    nonisolated(unsafe) let lines = board.lines
    do throws(SystemError) {
      let thread = try RealTimeThread(name: "lines", priority: RealTimeThread.beatPriority) {
        let found = LineTrial.costs(lines)
        costs.withLock { $0 = found }
      }
      thread.join()
    } catch {
      throw HardwareError(.setLines, errno: error.errno, detail: error.call)
    }
    let cost = costs.withLock { $0 }
    return cost.count == 0 ? nil : BenchResult.SetCall(chip: chip, cost: cost)
  }

  private static func costs(_ lines: GPIOOutputs) -> HistogramSnapshot {
    let clock = LinuxClock()
    let end = clock.now + longest
    var costs = HistogramSnapshot()
    for _ in 0..<calls {
      let before = clock.now
      do throws(HardwareError) { try lines.set(.inactive) } catch { return costs }
      let after = clock.now
      costs.record(after - before)
      if after > end { break }
    }
    return costs
  }
}
