#if LINUX_BOARD
  import HardwareAbstraction
  import LinuxBoard
  import MetronomeCore
  import MetronomeEngine

  /// A bar of three clicks on a card.
  struct ClickTrial {
    private static let beats: [Accent] = [.first, .regular, .regular]
    private static let beat = Nanoseconds.milliseconds(500)

    private let card: ALSAOutput
    private let mixer: ClickMixer
    private let clock = LinuxClock()

    init(_ card: ALSAOutput, _ sounds: ClickSounds) {
      self.card = card
      mixer = ClickMixer(format: card.format, sounds: sounds)
    }

    /// - Parameter wait: waits until an instant; answers false when nothing more is to be heard.
    /// - Returns: whether it was ended so.
    func play(_ wait: (Instant) throws -> Bool) throws -> Bool {
      let format = card.format
      let perBeat = Int(ClickTrial.beat.count) * format.rate / 1_000_000_000
      let length = ClickTrial.beats.count * perBeat + format.bufferFrames
      var written = 0
      while written < length {
        if try card.status().available < format.periodFrames {
          guard try wait(clock.now + format.periodDuration / 2) else { return true }
          continue
        }
        for (index, accent) in ClickTrial.beats.enumerated() {
          let offset = index * perBeat - written
          if (0..<format.periodFrames).contains(offset) { mixer.start(accent, atFrame: offset, fraction: 0) }
        }
        try write(mixer.nextPeriod())
        written += format.periodFrames
      }
      return false
    }

    private func write(_ frames: UnsafeRawBufferPointer) throws {
      var rest = frames
      while !rest.isEmpty {
        let count = try card.write(rest)
        guard count > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest[(count * card.format.bytesPerFrame)...])
      }
    }
  }
#endif
