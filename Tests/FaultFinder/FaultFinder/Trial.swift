import BoardSimulation
import HardwareAbstraction
import MetronomeConfiguration
import MetronomeCore
import MetronomeSimulation

/// A life as it was lived, and what became of the promises.
public struct Trial {
  /// Why a life cannot be lived: one of its texts is wrong.
  public struct Unlivable: Error, CustomStringConvertible {
    public var description: String
  }

  /// In the order in which they were broken; the life ends soon after the first.
  public private(set) var breaches: [Breach] = []
  /// How much of it was lived.
  public private(set) var lived = Nanoseconds.zero
  public private(set) var events = 0
  public private(set) var beats: Int64 = 0
  public private(set) var skipped: Int64 = 0
  public private(set) var clicks = 0
  public private(set) var steps: Int64 = 0
  /// Beginnings of the metronome.
  public private(set) var boots = 0
  /// Of all that was traced, if that was asked for.
  public private(set) var digest: UInt64?

  /// In longer lives clicks are ticks, and nobody listens.
  private static let longestWithVoices = Nanoseconds.seconds(20)
  /// A life in which more happens ends here: others wait.
  private static let mostSteps = 1_500_000
  /// More than this the process does not grow in one life.
  private static let mostGrowth = 24 << 20

  /// Lives a life, all of it or until a promise is broken.
  ///
  /// - Parameters:
  ///   - isDigested: whether the digest of the trace's bytes is wanted. It costs time.
  ///   - forgery: is told at a time, and the life ends; nil: nothing but what happens.
  public init(_ life: Life, isDigested: Bool = false, forging forgery: Forgery? = nil, at time: Nanoseconds = .zero)
    throws(Unlivable)
  {
    let wanted = try Trial.plan(of: life)
    // Most of what a long life with sound costs is the mixing of clicks.
    let plan = life.length > Trial.longestWithVoices ? wanted.ticking : wanted
    let court = Court()
    let digest = isDigested ? Digest() : nil
    let tape = life.length <= Trial.longestWithVoices && plan.isAudible ? Tape() : nil
    var options = BoxLife.Options()
    options.recording = tape
    let box = BoxLife(plan, options, sinks: [court] + [digest?.trace].compactMap(\.self))
    court.attend(box.simulation, plan.configuration.wiring, Trial.facts(of: plan), tape: tape)
    box.reloads.follow = { new, _ in court.follow(new.configuration.wiring) }
    let end = Instant.zero + (forgery == nil ? life.length : time)
    let slice = max(.seconds(1), life.length / 128)
    var memory: Int?
    while box.simulation.board.clock.now < end, court.breaches.isEmpty, court.pace?.all ?? 0 < Trial.mostSteps {
      box.simulation.run(until: min(end, box.simulation.board.clock.now + slice))
      let size = ResidentMemory.bytes
      if let size, let before = memory, size > before + Trial.mostGrowth {
        breaches.append(
          Breach(.boundedMemory, at: box.simulation.board.clock.now.nanoseconds, "\(size - before) bytes more"))
        break
      }
      memory = memory ?? size
    }
    if let forgery { court.take(forgery) }
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
    box.reloads.follow = { _, _ in }
  }

  private static func plan(of life: Life) throws(Unlivable) -> SimulationPlan {
    let script: Script
    do throws(ScriptError) {
      // A script that says nothing is none.
      script = life.lines.isEmpty ? Script() : try Script(text: Array(life.script.utf8), file: "script")
    } catch {
      throw Unlivable(description: "\(error)")
    }
    var files: [String: String] = [:]
    for file in life.reloads { files[file.name] = file.text }
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
  /// Whether clicks are loud enough for 16 bits, with every configuration.
  fileprivate var isAudible: Bool {
    let configurations = [configuration] + reloads.compactMap { try? $0.result.get().configuration }
    return configurations.allSatisfy { ClickGain.factor(volume: $0.volume, gainDB: $0.gainDB) > 0.01 }
  }
}

extension Script.TimedMishap {
  /// Whether it befalls the sound: the card, the loops that play on it, or the clock.
  fileprivate var isOfSound: Bool {
    switch what {
    case .cardStops, .cardSleeps, .cardFails, .cardFreezes, .cardRefuses, .cardUnplugged, .cardPlugged, .cardDrifts,
      .clockSlews:
      true
    case .late(let loop, _): loop == .audio || loop == .cards
    case .diskFull, .diskFree, .diskFails, .powerCut, .powerOn, .restart: false
    }
  }
}

/// A number that stands for all the bytes of a trace, the same on every machine and in every process (FNV-1a).
final class Digest {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// What is to be told of all that happens.
  private(set) lazy var trace: any TraceSink = JSONLinesTrace { [unowned self] in add($0) }

  private func add(_ bytes: UnsafeRawBufferPointer) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }
}
