import Foundation
import MetronomeConfiguration
import MetronomeCore
import Testing

/// `metronome words` with a shell script as espeak-ng.
@Suite struct WordsTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// A WAV file of 16 bits at 8,000 Hz: 200 ms of silence, and 400 ms of a tone of 1 kHz.
  private static let speech: [UInt8] = {
    func little(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    let tone = (0..<4_800).flatMap {
      little($0 < 1_600 ? 0 : [0, 7_071, 10_000, 7_071, 0, -7_071, -10_000, -7_071][$0 % 8], 2)
    }
    return Array("RIFF".utf8) + little(36 + tone.count, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + little(1, 2)
      + little(1, 2) + little(8_000, 4) + little(16_000, 4) + little(2, 2) + little(16, 2) + Array("data".utf8)
      + little(tone.count, 4) + tone
  }()

  private func run(_ script: String, _ arguments: String...) throws -> Program.Result {
    let program = try folder.file("espeak-ng", Array("#!/bin/sh\n\(script)\n".utf8)).path
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    let words = arguments.map { "\"\($0)\"" }.joined(separator: " ")
    return try Program.shell("cd \"$1\" && PATH=\"$1:$PATH\" exec \"$0\" words \(words)", folder.url.path)
  }

  /// The calls of espeak-ng are `--version`, and `-v de -s 190 -w FILE -- TEXT`.
  @Test func wordsAreCutAndListed() throws {
    let speech = try folder.file("speech.wav", WordsTests.speech).path
    let script = "[ \"$1\" = --version ] || { cat '\(speech)' >\"$6\" && echo \"$2 $8\" >>'\(folder.path("calls"))'; }"
    let result = try run(script, "o'words", "--language", "de", "--and", "und")
    #expect(result.code == 0 && result.errors == "")
    let calls = try String(contentsOfFile: folder.path("calls"), encoding: .utf8)
    #expect(calls == (1...12).map { "de \($0)\n" }.joined() + "de und\n")
    _ = try folder.file("box.yaml", Array(result.output.utf8))
    let configuration = try Configuration.read(path: folder.path("box.yaml"))
    #expect(configuration.say == .subdivisions)
    let sounds = try configuration.readSounds()
    #expect(sounds.numbers.keys.sorted() == Array(1...12) + [34])
    for word in sounds.numbers.values {
      #expect(word.recording.rate == 8_000 && word.recording.frames == 210 * 8)
      #expect(.milliseconds(40) < word.onset && word.onset < .milliseconds(80))
    }
  }

  @Test func failuresNameTheRemedy() throws {
    let unknown = try run("[ \"$1\" = --version ]", "words", "--language", "xx")
    #expect(unknown.code == 64)
    #expect(unknown.errors.contains("espeak-ng cannot say \"1\" in the language \"xx\"; see: espeak-ng --voices"))
    let silent = try run("[ \"$1\" = --version ] || : >\"$6\"", "words", "--language", "de")
    #expect(silent.code == 73 && silent.errors.contains("espeak-ng says nothing for \"1\""))
    let missing = try run("exit 1", "words", "--language", "de")
    #expect(missing.code == 69)
    #expect(missing.errors.contains("espeak-ng is not in PATH; install it: sudo apt install espeak-ng"))
  }
}
