import ArgumentParser
import BoardCheck
import BoardSimulation
import CLibrary
import HardwareAbstraction
import MetronomeCore
import StateFiles

struct WordsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "words",
    abstract: "Make words of another language for the spoken count.",
    discussion: """
      Writes the numbers from 1 to 12 as WAV files into a folder, cut around the beat of each word, and prints the lines \
      of the configuration that select them. The words come from the speech synthesizer espeak-ng: sudo apt install \
      espeak-ng. "espeak-ng --voices" lists its languages. A path that does not begin with "/" is relative to the \
      folder of the configuration.

      Example: metronome words german --language de --and und
      """)

  @Argument(help: ArgumentHelp("The folder; created if it is missing.", valueName: "folder"), completion: .directory)
  var folder: String

  @Option(help: ArgumentHelp("A language of espeak-ng, such as de or fr.", valueName: "language"))
  var language: String

  @Option(help: ArgumentHelp("The word between two beats, such as und or et.", valueName: "word"))
  var and: String?

  func run() throws {
    guard OtherProgram.output(of: "espeak-ng", "--version") != nil else {
      throw Failure.noHardware("espeak-ng is not in PATH; install it: sudo apt install espeak-ng")
    }
    guard folder.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
      throw Failure.usage("the name of the folder has a character that cannot be written; choose another name")
    }
    guard mkdir(folder, 0o755) == 0 || errno == EEXIST else { throw Failure.cannotWrite(folder, errno: errno) }
    let files = try FileFolder(folder)
    var lines = "audio:\n  say: \(and == nil ? "numbers" : "subdivisions")\n  numbers:\n"
    for (name, text) in (1...12).map({ ("\($0)", "\($0)") }) + (and.map { [("and", $0)] } ?? []) {
      let path = "\(folder)/\(name).wav"
      try speak(text, to: path)
      try files.write("\(name).wav", try cutWord(text, try files.read("\(name).wav") ?? []))
      lines += "    \(name): {file: '\(path.replacing("'", with: "''"))', onset_ms: auto}\n"
    }
    try OutputFile.print(lines)
  }

  private func speak(_ text: String, to path: String) throws {
    let command = ["espeak-ng", "-v", language, "-s", "190", "-w", path, "--", text]
    if OtherProgram.output(of: command, patience: .seconds(10)) == nil {
      throw Failure.usage(
        "espeak-ng cannot say \(quoted(text)) in the language \(quoted(language)); see: espeak-ng --voices")
    }
  }

  private func cutWord(_ text: String, _ bytes: [UInt8]) throws -> [UInt8] {
    guard let word = (try? WAVSound(bytes)).flatMap(CutWord.init) else {
      throw Failure.cannotBeMade("espeak-ng says nothing for \(quoted(text)); choose another word or language")
    }
    return word.bytes
  }
}

/// The part of a recorded word that a spoken count needs: from 60 ms before its beat to 150 ms after it.
struct CutWord {
  private let samples: [Float]
  private let rate: Int

  /// nil if no beat is found in the recording.
  init?(_ recording: WAVSound) {
    guard let onset = recording.perceivedOnset else { return nil }
    let rate = recording.rate
    let beat = Int(onset.count) * rate / 1_000_000_000
    let (first, end) = (max(0, beat - rate * 60 / 1_000), min(recording.frames, beat + rate * 150 / 1_000))
    guard first < end else { return nil }
    let word = recording.channels[0][first..<end]
    let peak = word.map(\.magnitude).max() ?? 0
    guard peak > 0 else { return nil }
    self.rate = rate
    // Faded in within 8 ms and out within 16 ms.
    samples = zip(word.indices, word).map { frame, sample in
      let rise = Float(frame - first + 1) / Float(rate * 8 / 1_000)
      let fall = Float(end - frame) / Float(rate * 16 / 1_000)
      return sample / peak * min(1, rise, fall) * 0.7
    }
  }

  /// A WAV file of 16 bits and one channel.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    let recording = WAVRecording(frames: Int64(samples.count), rate: rate) { bytes += $0 }
    let format = AudioFormat(
      rate: rate, channels: 1, sampleFormat: .float, periodFrames: samples.count, bufferFrames: samples.count)
    samples.withUnsafeBytes { recording.append($0, format: format) }
    recording.finish()
    return bytes
  }
}
