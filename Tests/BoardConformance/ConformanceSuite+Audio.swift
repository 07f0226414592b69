import HardwareAbstraction
import MetronomeCore

extension ConformanceSuite {
  static var audioCases: [Case] {
    [
      Case(name: "a sound card says what it granted") { _, board in
        let format = try audio(board).format
        try require((1...768_000).contains(format.rate) && format.channels >= 1, "\(format)")
        try require(format.periodFrames >= 1 && format.bufferFrames >= 2 * format.periodFrames, "\(format)")
      },
      Case(name: "delay and room fill the buffer") { rig, board in
        let audio = try audio(board)
        for _ in 0..<5 {
          rig.wait(.milliseconds(1))
          let status = try audio.status()
          try require(
            status.available >= 0 && Int(status.delay) + status.available <= audio.format.bufferFrames
              && status.delay >= 0, "\(status) of \(audio.format.bufferFrames)")
        }
      },
      Case(name: "frames sound at their rate") { rig, board in
        let audio = try audio(board)
        let start = try fill(audio)
        for _ in 0..<40 {
          rig.wait(.milliseconds(5))
          _ = try fill(audio)
        }
        let end = try audio.status()
        let frames = (end.frame - end.delay) - (start.frame - start.delay)
        let expected = (end.instant - start.instant).count * Int64(audio.format.rate) / 1_000_000_000
        // A card may tell its position in steps of a few milliseconds.
        try require(abs(frames - expected) <= Int64(audio.format.rate) / 200, "\(frames) frames for \(expected)")
      },
      Case(name: "a write moves the next frame on by what was taken") { rig, board in
        let audio = try audio(board)
        rig.wait(audio.format.periodDuration + .milliseconds(2))
        let before = try audio.status()
        let taken = try write(audio, frames: audio.format.periodFrames)
        let after = try audio.status()
        try require(taken == audio.format.periodFrames, "took \(taken) of \(audio.format.periodFrames)")
        try require(after.frame == before.frame + Int64(taken), "from \(before.frame) by \(taken) to \(after.frame)")
      },
      Case(name: "a full buffer takes no more than it has room for") { _, board in
        let audio = try audio(board)
        var taken = 0
        for _ in 0..<8 { taken += try write(audio, frames: audio.format.bufferFrames) }
        try require(taken <= 2 * audio.format.bufferFrames, "took \(taken) frames at once")
      },
      Case(name: "a card that runs dry goes on, and its frames with time") { rig, board in
        let audio = try audio(board)
        let before = try fill(audio)
        rig.wait(audio.format.bufferDuration * 3)
        let after = try fill(audio)
        let frames = (after.frame - after.delay) - (before.frame - before.delay)
        let expected = (after.instant - before.instant).count * Int64(audio.format.rate) / 1_000_000_000
        try require(
          abs(frames - expected) <= Int64(audio.format.rate) / 200,
          "\(frames) frames went by in the time of \(expected)")
        let taken = try write(audio, frames: 0)
        try require(taken == 0, "took \(taken) of nothing")
      },
    ]
  }

  private static func audio(_ board: Rig.RiggedBoard) throws -> Rig.RiggedBoard.Audio {
    guard let audio = board.audio else { throw ConformanceFailure(description: "the board has no sound") }
    return audio
  }

  /// Writes silence until there is no room for a period, and says where the stream stood then.
  private static func fill(_ audio: Rig.RiggedBoard.Audio) throws -> AudioStatus {
    for _ in 0..<64 {
      let status = try audio.status()
      if status.available < audio.format.periodFrames { return status }
      _ = try write(audio, frames: audio.format.periodFrames)
    }
    throw ConformanceFailure(description: "the buffer does not get full")
  }

  private static func write(_ audio: Rig.RiggedBoard.Audio, frames: Int) throws -> Int {
    let silence = [UInt8](repeating: 0, count: frames * audio.format.bytesPerFrame)
    return try silence.withUnsafeBytes { try audio.write($0) }
  }
}
