import MetronomeCore

/// What the main voice says on its beats.
public enum Speech: String, Hashable, Sendable, CaseIterable {
  /// Nothing: the beats click.
  case none
  /// The number of the beat in the bar, from the user's files.
  case numbers
}

/// The file of a number of the spoken count.
public struct NumberFile: Hashable, Sendable {
  public var file: ConfiguredFile
  /// The onset in whole microseconds; see ``SpokenNumber/onset``.
  public var onset: Nanoseconds

  public init(_ file: ConfiguredFile, onset: Nanoseconds = .zero) {
    (self.file, self.onset) = (file, onset)
  }

  /// Reads the file that the configuration names under a key.
  func read(for key: String) throws(ConfigurationError) -> SpokenNumber {
    let recording = try file.read(for: key)
    let (frames, rate) = (recording.frames, recording.rate)
    guard frames <= SpokenNumber.longest * rate else {
      throw unusable(
        for: key, "it lasts \(NumberFile.text(frames, rate)) ms", remedy: "cut it to at most \(SpokenNumber.longest) s")
    }
    guard onset.count * Int64(rate) < Int64(frames) * 1_000_000_000 else {
      let onset = Form.onset.text(onset) ?? ""
      throw unusable(
        for: key, "it lasts only \(NumberFile.text(frames, rate)) ms, but its onset_ms is \(onset)",
        remedy: "set onset_ms to the time from the beginning of the file to the vowel of the word")
    }
    return SpokenNumber(recording, onset: onset)
  }

  private func unusable(for key: String, _ problem: String, remedy: String) -> ConfigurationError {
    ConfigurationError(
      file: file.path, Problem("cannot use this file for \(key): \(problem)", remedy: remedy, at: nil))
  }

  /// A duration in milliseconds with at most three decimals, rounded up.
  private static func text(_ frames: Int, _ rate: Int) -> String {
    decimal(thousandths: (frames * 1_000_000 + rate - 1) / rate)
  }
}

extension Form<Nanoseconds> {
  static var onset: Form {
    let milliseconds = Form<Double>.decimal(
      "a number of milliseconds", 0...Int(SpokenNumber.longestOnset.count / 1_000_000))
    return Form(
      words: milliseconds.words,
      read: { (scalar, configuration) throws(WrongValue) in
        try milliseconds.read(scalar, configuration).map { .microseconds(Int64(($0 * 1_000).rounded())) }
      }, text: { MetronomeCore.decimal(thousandths: Int($0.count / 1_000)) })
  }
}

extension Key {
  static var numbers: Key {
    let (least, most) = (SpokenNumber.numbers.lowerBound, SpokenNumber.numbers.upperBound)
    let form = "numbers from \(least) to \(most) with their files, such as {1: {file: one.wav, onset_ms: 40}}"
    var key = Key(
      path: "audio.numbers",
      meaning: "the WAV files of the spoken numbers, like those of sounds but at most \(SpokenNumber.longest) s long; "
        + "onset_ms is the time from the beginning of the file to the vowel of the word, "
        + "0 to \(SpokenNumber.longestOnset.count / 1_000_000), which falls on the beat; "
        + "a beat whose number has no file clicks", form: form)
    key.access = Access(
      read: { (field, reader) throws(Problem) in
        var files: [Int: NumberFile] = [:]
        reader.readEach(try field.entries(form)) { (item, reader) throws(Problem) in
          guard let number = wholeNumber(item.key), SpokenNumber.numbers.contains(number) else {
            throw Problem(
              "audio.numbers: invalid number \(quoted(item.key))", remedy: "write a number from \(least) to \(most)",
              at: item.position)
          }
          files[number] = try reader.readNumberFile(item)
        }
        reader.configuration.numberFiles = files
      }, text: { text($0.numberFiles) }, isSame: { $0.numberFiles == $1.numberFiles })
    return key
  }

  static var beatSounds: Key {
    let (least, most) = (SpokenNumber.numbers.lowerBound, SpokenNumber.numbers.upperBound)
    let form = "beats from \(least) to \(most) with built-in sounds, such as {2: rim, 4: rim}"
    var key = Key(
      path: "audio.beats",
      meaning:
        "the built-in sounds of single beats of the bar, in place of those of the set; a WAV file of the level wins",
      form: form)
    key.access = Access(
      read: { (field, reader) throws(Problem) in
        var sounds: [Int: Voice.Sound] = [:]
        reader.readEach(try field.entries(form)) { (item, reader) throws(Problem) in
          guard let number = wholeNumber(item.key), SpokenNumber.numbers.contains(number) else {
            throw Problem(
              "audio.beats: invalid beat \(quoted(item.key))", remedy: "write a number from \(least) to \(most)",
              at: item.position)
          }
          sounds[number] = try item.read(.sound, in: reader.configuration)
        }
        reader.configuration.beatSounds = sounds
      },
      text: { configuration in
        let sounds = configuration.beatSounds.sorted { $0.key < $1.key }.map { "\($0): \($1.name)" }
        return "{\(sounds.joined(separator: ", "))}"
      }, isSame: { $0.beatSounds == $1.beatSounds })
    return key
  }

  /// One number per line, indented below the key `audio.numbers`.
  private static func text(_ files: [Int: NumberFile]) -> String {
    if files.isEmpty { return "{}" }
    return files.sorted { $0.key < $1.key }.map { number, file in
      "\n    \(number): {file: \(Form<ConfiguredFile?>.file.text(file.file) ?? ""), "
        + "onset_ms: \(Form.onset.text(file.onset) ?? "")}"
    }.joined()
  }
}

extension ConfigurationReader {
  /// - Returns: nil if its keys have problems, which are collected.
  fileprivate mutating func readNumberFile(_ number: Field) throws(Problem) -> NumberFile? {
    let form = "its file and its onset, such as {file: one.wav, onset_ms: 40}"
    var file: ConfiguredFile?
    var onset = Nanoseconds.zero
    // A value that is not a section gets the whole form, not only the names of the keys.
    _ = try number.entries(form)
    let isValid = try readFields(of: number, ["file", "onset_ms"]) { (field, _) throws(Problem) in
      if field.key == "file" { file = try field.read(.file) } else { onset = try field.read(.onset) }
    }
    guard isValid else { return nil }
    guard let file else {
      throw Problem("\(number.path) has no file", remedy: "write \(form)", at: number.position)
    }
    return NumberFile(file, onset: onset)
  }
}

extension Configuration {
  /// Checks the section `audio` after its keys are read.
  @Sendable static func checkNumbers(_ audio: Field, _ configuration: Configuration) throws(Problem) {
    guard configuration.say == .numbers, configuration.numberFiles.isEmpty else { return }
    let say = try audio.entries("its keys").first { $0.key == "say" }
    throw Problem(
      "audio.say: numbers has no files",
      remedy: "add them to audio.numbers, such as {1: {file: one.wav, onset_ms: 40}}",
      at: say?.value.position ?? audio.position)
  }
}
