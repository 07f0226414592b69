import HardwareAbstraction
import MetronomeCore

/// The tracks that the outputs follow, one for all those that are sent equally early. In place: no allocation but the
/// first.
struct OutputTracks: ~Copyable {
  /// One for each output at the most.
  private static let capacity = 3

  private let tracks: UnsafeMutableBufferPointer<OutputTrack>
  private(set) var count = 1

  /// All outputs on one track, at its start.
  init() {
    tracks = .allocate(capacity: OutputTracks.capacity)
    tracks.initialize(repeating: OutputTrack(outputs: [.light, .pendulum, .buzzer], latency: .zero))
  }

  deinit { tracks.deallocate() }

  subscript(index: Int) -> OutputTrack {
    get { tracks[index] }
    set { tracks[index] = newValue }
  }

  /// How early the output is sent that is sent first.
  var longestLatency: Nanoseconds {
    var longest = tracks[0].latency
    for index in 1..<count { longest = max(longest, tracks[index].latency) }
    return longest
  }

  /// Puts every track back to its start.
  mutating func rewind() {
    for index in 0..<count {
      tracks[index] = OutputTrack(outputs: tracks[index].outputs, latency: tracks[index].latency)
    }
  }

  /// Leaves some outputs dark until their next beat.
  mutating func extinguish(_ outputs: OutputLevels) {
    for index in 0..<count { tracks[index].lit.subtract(outputs) }
  }

  /// Sends each output as early as the plan says, from where it is. What was muted until now is off until its next beat.
  mutating func follow(_ plan: OutputPlan, unmuted: OutputLevels) {
    let light = track(of: .light, plan, unmuted)
    let pendulum = track(of: .pendulum, plan, unmuted)
    let buzzer = track(of: .buzzer, plan, unmuted)
    count = 0
    join(light)
    join(pendulum)
    join(buzzer)
  }

  private func track(of output: Output, _ plan: OutputPlan, _ unmuted: OutputLevels) -> OutputTrack {
    let level = OutputLevels(output)
    var index = 0
    while !tracks[index].outputs.contains(level) { index += 1 }
    var track = tracks[index]
    track.outputs = level
    track.lit.formIntersection(level.subtracting(unmuted))
    track.latency = plan.latency(of: output)
    return track
  }

  private mutating func join(_ track: OutputTrack) {
    for index in 0..<count where tracks[index].isInStep(with: track) {
      tracks[index].outputs.formUnion(track.outputs)
      tracks[index].lit.formUnion(track.lit)
      return
    }
    tracks[count] = track
    count += 1
  }
}
