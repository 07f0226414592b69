import HardwareAbstraction
import MetronomeCore

extension ConformanceSuite {
  private typealias Output = Rig.RiggedBoard.Sound.Output

  static var audioCases: [Case] {
    [
      audioCase("a sound card says what it granted") { _, audio in
        let format = audio.format
        try require((1...768_000).contains(format.rate) && format.channels >= 1, "\(format)")
        try require(format.periodFrames >= 1 && format.bufferFrames >= 2 * format.periodFrames, "\(format)")
      },
      audioCase("delay and room fill the buffer") { rig, audio in
        for _ in 0..<5 {
          rig.wait(.milliseconds(1))
          let status = try audio.status()
          try require(
            status.available >= 0 && Int(status.delay) + status.available <= audio.format.bufferFrames
              && status.delay >= 0, "\(status) of \(audio.format.bufferFrames)")
        }
      },
      audioCase("frames sound at their rate") { rig, audio in
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
      audioCase("a write moves the next frame on by what was taken") { rig, audio in
        rig.wait(audio.format.periodDuration + .milliseconds(2))
        let before = try audio.status()
        let taken = try write(audio, frames: audio.format.periodFrames)
        let after = try audio.status()
        try require(taken == audio.format.periodFrames, "took \(taken) of \(audio.format.periodFrames)")
        try require(after.frame == before.frame + Int64(taken), "from \(before.frame) by \(taken) to \(after.frame)")
      },
      audioCase("a full buffer takes no more than it has room for") { _, audio in
        var taken = 0
        for _ in 0..<8 { taken += try write(audio, frames: audio.format.bufferFrames) }
        try require(taken <= 2 * audio.format.bufferFrames, "took \(taken) frames at once")
      },
      audioCase("a card that runs dry goes on, and its frames with time") { rig, audio in
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
      Case(name: "a card that was given back can be had again") { rig, board in
        let port = try port(board)
        for _ in 0..<3 {
          let audio = try port.open()
          defer { port.close(audio) }
          rig.wait(.milliseconds(5))
          let taken = try write(audio, frames: audio.format.periodFrames)
          try require(taken >= 0, "took \(taken)")
        }
      },
    ]
  }

  /// A case with a card that is open.
  private static func audioCase(_ name: String, check: @escaping (Rig, Output) throws -> Void) -> Case {
    Case(name: name) { rig, board in
      let port = try port(board)
      let audio = try port.open()
      defer { port.close(audio) }
      try check(rig, audio)
    }
  }

  private static func port(_ board: Rig.RiggedBoard) throws -> Rig.RiggedBoard.Sound {
    guard let port = board.sound else { throw ConformanceFailure(description: "the board has no sound") }
    return port
  }

  /// Writes silence until there is no room for a period, and says where the stream stood then.
  private static func fill(_ audio: Output) throws -> AudioStatus {
    for _ in 0..<64 {
      let status = try audio.status()
      if status.available < audio.format.periodFrames { return status }
      _ = try write(audio, frames: audio.format.periodFrames)
    }
    throw ConformanceFailure(description: "the buffer does not get full")
  }

  private static func write(_ audio: Output, frames: Int) throws -> Int {
    let silence = [UInt8](repeating: 0, count: frames * audio.format.bytesPerFrame)
    return try silence.withUnsafeBytes { try audio.write($0) }
  }
}
