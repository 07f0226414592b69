import BoardSimulation
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeSimulation

/// The run of one random scenario (a life), and the promises that it broke.
public struct Trial {
  /// Why a life cannot run: its script or configuration is invalid, or the script uses something that is absent.
  public struct Unlivable: Error, CustomStringConvertible {
    public var description: String
  }

  /// The broken promises, in order of time. The run ends soon after the first breach.
  public private(set) var breaches: [Breach] = []
  /// The simulated time that was run.
  public private(set) var lived = Nanoseconds.zero
  public private(set) var events = 0
  public private(set) var beats: Int64 = 0
  public private(set) var skipped: Int64 = 0
  public private(set) var clicks = 0
  public private(set) var steps: Int64 = 0
  /// The number of starts of the metronome.
  public private(set) var boots = 0
  /// The digest of the whole trace, if requested.
  public private(set) var digest: UInt64?

  /// Longer lives play a tick of a few frames instead of each click, and are not recorded.
  private static let longestWithVoices = Nanoseconds.seconds(20)
  /// A run ends after this many steps, to limit the time of the search.
  private static let maxSteps = 1_500_000
  /// The limit for clicks, which cost more than steps.
  private static let maxClicks = 50_000
  /// The highest growth of the process's memory in one life, in bytes.
  private static let maxGrowth = 24 << 20

  /// Runs a life to its end, or until a promise is broken.
  ///
  /// - Parameters:
  ///   - isDigested: whether to compute the digest of the trace's bytes, which takes time.
  ///   - isAlone: whether the process does nothing else meanwhile. Only then is its memory judged, because the
  ///     memory of a test runner also grows through tests that run at the same time.
  ///   - forgery: a false event that is reported at `time`, which ends the run; nil: none.
  public init(
    _ life: Life, isDigested: Bool = false, isAlone: Bool = false, forging forgery: Forgery? = nil,
    at time: Nanoseconds = .zero
  ) throws(Unlivable) {
    let wanted = try Trial.plan(of: life)
    // Mixing clicks is most of the cost of a long life with sound.
    let plan = life.length > Trial.longestWithVoices ? wanted.ticking : wanted
    let court = Court()
    let digest = isDigested ? Digest() : nil
    let tape = life.length <= Trial.longestWithVoices && plan.isAudible ? Tape() : nil
    var options = BoxLife.Options()
    options.recording = tape
    let box = BoxLife(plan, options, sinks: [court] + [digest?.trace].compactMap(\.self))
    court.attend(box.simulation, plan.configuration.wiring, Trial.facts(of: plan), tape: tape)
    if let programs = box.programs { court.attend(programs) }
    box.reloaded = { new, _ in court.follow(new.configuration.wiring) }
    let end = Instant.zero + (forgery == nil ? life.length : time)
    let slice = max(.seconds(1), life.length / 128)
    var memory: Int?
    while box.simulation.board.clock.now < end, court.breaches.isEmpty, court.pace?.all ?? 0 < Trial.maxSteps,
      court.clicks?.count ?? 0 < Trial.maxClicks
    {
      box.simulation.run(until: min(end, box.simulation.board.clock.now + slice))
      let size = isAlone ? ResidentMemory.bytes : nil
      if let size, let before = memory, size > before + Trial.maxGrowth {
        breaches.append(
          Breach(
            .boundedMemory, at: box.simulation.board.clock.now.nanoseconds, "the memory grew by \(size - before) bytes")
        )
        break
      }
      memory = memory ?? size
    }
    if let forgery { court.receive(forgery) }
    lived = box.simulation.board.clock.now - .zero
    box.simulation.finish()
    breaches += court.breaches
    events = court.events
    beats = court.beats?.shown ?? 0
    skipped = court.beats?.allSkipped ?? 0
    clicks = court.clicks?.count ?? 0
    steps = court.pace?.all ?? 0
    boots = court.boots
    self.digest = digest?.value
    court.dismiss()
    box.reloaded = { _, _ in }
  }

  private static func plan(of life: Life) throws(Unlivable) -> SimulationPlan {
    let script: Script
    do throws(ScriptError) {
      // A life without script lines has an empty script.
      script = life.lines.isEmpty ? Script() : try Script(text: Array(life.script.utf8), file: "script")
    } catch {
      throw Unlivable(description: "\(error)")
    }
    var files: [String: String] = [:]
    for file in life.reloads + life.scores { files[file.name] = file.text }
    let plan: SimulationPlan
    do throws(ConfigurationError) {
      plan = try SimulationPlan(
        configuration: life.configuration.text, script: script, files: files, seed: life.seed)
    } catch {
      throw Unlivable(description: "\(error)")
    }
    if let absence = plan.absence { throw Unlivable(description: absence) }
    return plan
  }

  private static func facts(of plan: SimulationPlan) -> Court.Facts {
    let mishaps = plan.script.mishaps.filter(\.isOfSound)
    let isEven = mishaps.allSatisfy { if case .cardDrifts = $0.what { $0.time == .zero } else { false } }
    let configurations = [plan.configuration] + plan.reloads.compactMap { try? $0.result.get().configuration }
    let lockOuts = configurations.map(\.lockOut)
    let range = (lockOuts.min() ?? .zero)...(lockOuts.max() ?? .zero)
    let drifts = mishaps.compactMap { if case .cardDrifts(let ppb) = $0.what { abs(ppb) } else { nil } }
    return Court.Facts(
      script: plan.script, lockOuts: range, isEven: isEven && plan.reloads.isEmpty, driftPPB: drifts.max() ?? 0,
      troubles: (mishaps.map(\.time) + plan.script.reloads.map(\.time)).map { .zero + $0 })
  }
}

extension SimulationPlan {
  /// Whether the clicks of every configuration are audible in 16 bits.
  fileprivate var isAudible: Bool {
    let configurations = [configuration] + reloads.compactMap { try? $0.result.get().configuration }
    return configurations.allSatisfy { ClickGain.factor(volume: $0.volume, gainDB: $0.gainDB) > 0.01 }
  }
}

extension Script.TimedMishap {
  /// Whether the mishap affects the sound: the card, the audio loops, or the clock.
  fileprivate var isOfSound: Bool {
    switch what {
    case .cardStops, .cardSleeps, .cardFails, .cardFreezes, .cardRefuses, .cardUnplugged, .cardPlugged, .cardDrifts,
      .clockSlews:
      true
    case .late(let loop, _): loop == .audio || loop == .cards
    case .onSecondCard, .diskFull, .diskFree, .diskFails, .displayUnplugged, .displayPlugged, .midiUnplugged,
      .midiPlugged, .midiFull,
      .powerCut, .powerOn, .restart:
      false
    }
  }
}

/// A hash of all bytes of a trace, the same on every machine and in every process (FNV-1a).
final class Digest {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The trace sink that feeds the hash.
  private(set) lazy var trace: any TraceSink = JSONLinesTrace { [unowned self] in add($0) }

  private func add(_ bytes: UnsafeRawBufferPointer) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }
}
