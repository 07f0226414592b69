import Foundation
import MetronomeCore
import Testing

/// Which sound each level plays, depending on the recordings.
@Suite struct ClickSoundsTests {
  private typealias Source = (sound: ClickSound, gain: Float)

  private static let levels: [Level] = [.strong, .medium, .weak, .ghost]
  private static let ghost: Float = 0.316

  /// A recording of one sample.
  private func recording(_ sample: UInt8) throws -> WAVSound {
    let header: [UInt8] = [
      0x52, 0x49, 0x46, 0x46, 38, 0, 0, 0, 0x57, 0x41, 0x56, 0x45, 0x66, 0x6D, 0x74, 0x20, 16, 0, 0, 0, 1, 0, 1, 0,
      0x80, 0xBB, 0, 0, 0, 0x77, 1, 0, 2, 0, 16, 0, 0x64, 0x61, 0x74, 0x61, 2, 0, 0, 0,
    ]
    return try WAVSound(header + [0, sample])
  }

  private func expect(
    _ recordings: [Level: WAVSound], _ sources: [Source], sound: Voice.Sound = .click,
    at location: SourceLocation = #_sourceLocation
  ) {
    let sounds = ClickSounds(PerLevel { recordings[$0] })
    for (level, expected) in zip(ClickSoundsTests.levels, sources) {
      let source = sounds.source(of: level, in: sound)
      #expect(source.sound == expected.sound && source.gain == expected.gain, "\(level)", sourceLocation: location)
    }
  }

  @Test func levelsWithoutRecordingsAreBuiltIn() {
    let ghost = ClickSoundsTests.ghost
    let (strong, weak) = (ClickSound.synthesised(.click, .strong), ClickSound.synthesised(.click, .weak))
    expect([:], [(strong, 1), (.synthesised(.click, .medium), 1), (weak, 1), (weak, ghost)])
  }

  @Test func ghostIsTheRecordingOfWeakWith10DecibelsLess() throws {
    let ghost = ClickSoundsTests.ghost
    #expect((20 * log10(Double(ghost)) + 10).magnitude < 0.01)
    let (strong, medium) = (ClickSound.synthesised(.click, .strong), ClickSound.synthesised(.click, .medium))
    let weak = try recording(3)
    expect([.weak: weak], [(strong, 1), (medium, 1), (.recorded(weak), 1), (.recorded(weak), ghost)])
  }

  @Test func mediumIsTheRecordingOfWeakOnlyIfStrongHasOneToo() throws {
    let ghost = ClickSoundsTests.ghost
    let (strong, weak) = try (recording(1), recording(3))
    let builtIn = ClickSound.synthesised(.click, .weak)
    expect(
      [.strong: strong],
      [(.recorded(strong), 1), (.synthesised(.click, .medium), 1), (builtIn, 1), (builtIn, ghost)])
    expect(
      [.strong: strong, .weak: weak],
      [(.recorded(strong), 1), (.recorded(weak), 1), (.recorded(weak), 1), (.recorded(weak), ghost)])
  }

  @Test func everyLevelPlaysItsOwnRecordingUnchanged() throws {
    let recordings = try (1...4).map { try recording(UInt8($0)) }
    expect(
      Dictionary(uniqueKeysWithValues: zip(ClickSoundsTests.levels, recordings)), recordings.map { (.recorded($0), 1) })
  }

  @Test func cowbellIsBuiltInWithOneSoundForMediumAndWeak() throws {
    let ghost = ClickSoundsTests.ghost
    let (strong, weak) = (ClickSound.synthesised(.cowbell, .strong), ClickSound.synthesised(.cowbell, .weak))
    let recordings = try Dictionary(uniqueKeysWithValues: ClickSoundsTests.levels.map { ($0, try recording(1)) })
    expect(recordings, [(strong, 1), (weak, 1), (weak, 1), (weak, ghost)], sound: .cowbell)
  }
}
