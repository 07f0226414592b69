import HardwareAbstraction
import MetronomeCore

extension ConformanceSuite {
  private typealias Output = Rig.RiggedBoard.Audio.Output

  static var audioCases: [Case] {
    [
      audioCase("an open sound card reports its format") { _, audio in
        let format = audio.format
        try require((1...768_000).contains(format.rate) && format.channels >= 1, "\(format)")
        try require(format.periodFrames >= 1 && format.bufferFrames >= 2 * format.periodFrames, "\(format)")
      },
      audioCase("delay and available frames fit in the buffer") { rig, audio in
        for _ in 0..<5 {
          rig.wait(.milliseconds(1))
          let status = try audio.status()
          try require(
            status.available >= 0 && Int(status.delay) + status.available <= audio.format.bufferFrames
              && status.delay >= 0, "\(status) of \(audio.format.bufferFrames)")
        }
      },
      audioCase("frames play at the sample rate") { rig, audio in
        let start = try fill(audio)
        for _ in 0..<40 {
          rig.wait(.milliseconds(5))
          _ = try fill(audio)
        }
        let end = try audio.status()
        let frames = (end.frame - end.delay) - (start.frame - start.delay)
        let expected = (end.instant - start.instant).count * Int64(audio.format.rate) / 1_000_000_000
        // A card may report its position in steps of a few milliseconds.
        try require(
          abs(frames - expected) <= Int64(audio.format.rate) / 200, "\(frames) frames played, expected \(expected)")
      },
      audioCase("a write advances the next frame by the frames written") { rig, audio in
        rig.wait(audio.format.periodDuration + .milliseconds(2))
        let before = try audio.status()
        let accepted = try write(audio, frames: audio.format.periodFrames)
        let after = try audio.status()
        try require(accepted == audio.format.periodFrames, "accepted \(accepted), not \(audio.format.periodFrames)")
        try require(
          after.frame == before.frame + Int64(accepted), "from \(before.frame) by \(accepted) to \(after.frame)")
      },
      audioCase("a full buffer accepts no more frames than fit") { _, audio in
        var accepted: [Int] = []
        let before = try audio.status()
        for _ in 0..<8 { accepted.append(try write(audio, frames: audio.format.bufferFrames)) }
        let time = try audio.status().instant - before.instant
        let sum = accepted.reduce(0, +)
        let played = time.count * Int64(audio.format.rate) / 1_000_000_000
        // A card may report its position in steps of a few milliseconds.
        try require(
          Int64(sum) <= Int64(before.available) + played + Int64(audio.format.rate) / 200,
          "accepted \(accepted) frames in \(time.count) ns; \(before.available) were available")
      },
      audioCase("a card keeps running in real time after an underrun") { rig, audio in
        let before = try fill(audio)
        rig.wait(audio.format.bufferDuration * 3)
        let after = try fill(audio)
        let frames = (after.frame - after.delay) - (before.frame - before.delay)
        let expected = (after.instant - before.instant).count * Int64(audio.format.rate) / 1_000_000_000
        try require(
          abs(frames - expected) <= Int64(audio.format.rate) / 200,
          "\(frames) frames played, expected \(expected)")
        let accepted = try write(audio, frames: 0)
        try require(accepted == 0, "an empty write returned \(accepted) frames")
      },
      audioCase("a stopped card reports an underrun until it is resumed") { rig, audio, port in
        let before = try fill(audio)
        rig.stopCard()
        // If a reading restarted the card, the next one would differ.
        for _ in 0..<3 {
          try require("reading a stopped card", fails: .readAudioPosition, as: .underrun) { _ = try audio.status() }
          let accepted = try write(audio, frames: audio.format.periodFrames)
          try require(accepted == 0, "a stopped card accepted \(accepted) frames")
          rig.wait(.milliseconds(1))
        }
        try port.resume(audio)
        let after = try audio.status()
        try require(after.frame >= before.frame, "from frame \(before.frame) back to \(after.frame)")
      },
      Case(name: "an unplugged card is reported as gone, and can be reopened when it is back") { rig, board in
        let port = try port(board)
        defer { rig.plugCard() }
        do {
          let audio = try port.open()
          defer { port.close(audio) }
          rig.pullCard()
          try require("reading a removed card", fails: .readAudioPosition, as: .gone) { _ = try audio.status() }
          try require("writing to it", fails: .writeAudio, as: .gone) {
            _ = try write(audio, frames: audio.format.periodFrames)
          }
        }
        try require("opening it", fails: .openAudio, as: .gone) { port.close(try port.open()) }
        rig.plugCard()
        let audio = try port.open()
        defer { port.close(audio) }
        _ = try fill(audio)
      },
      Case(name: "a closed card can be reopened") { rig, board in
        let port = try port(board)
        for _ in 0..<3 {
          let audio = try port.open()
          defer { port.close(audio) }
          rig.wait(.milliseconds(5))
          let accepted = try write(audio, frames: audio.format.periodFrames)
          try require(accepted >= 0, "a write returned \(accepted) frames")
        }
      },
    ]
  }

  /// A case with an open card.
  private static func audioCase(_ name: String, check: @escaping (Rig, Output) throws -> Void) -> Case {
    audioCase(name) { rig, audio, _ in try check(rig, audio) }
  }

  private static func audioCase(
    _ name: String, check: @escaping (Rig, Output, Rig.RiggedBoard.Audio) throws -> Void
  ) -> Case {
    Case(name: name) { rig, board in
      let port = try port(board)
      let audio = try port.open()
      defer { port.close(audio) }
      try check(rig, audio, port)
    }
  }

  private static func port(_ board: Rig.RiggedBoard) throws -> Rig.RiggedBoard.Audio {
    guard let port = board.audio else { throw ConformanceFailure(description: "the board has no sound") }
    return port
  }

  /// Writes silence until no period fits, and returns the status then.
  private static func fill(_ audio: Output) throws -> AudioStatus {
    for _ in 0..<64 {
      let status = try audio.status()
      if status.available < audio.format.periodFrames { return status }
      _ = try write(audio, frames: audio.format.periodFrames)
    }
    throw ConformanceFailure(description: "the buffer never becomes full")
  }

  private static func write(_ audio: Output, frames: Int) throws -> Int {
    let silence = [UInt8](repeating: 0, count: frames * audio.format.bytesPerFrame)
    return try silence.withUnsafeBytes { try audio.write($0) }
  }
}
