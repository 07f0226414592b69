import MetronomeCore

/// What the main voice says on its beats.
public enum Speech: String, Hashable, Sendable, CaseIterable {
  /// Nothing: the beats click.
  case none
  /// The number of the beat in the bar.
  case numbers
  /// The numbers, and a syllable for each slot within a beat that is divided into two, three or four.
  case subdivisions
}

/// Which bars are spoken.
public enum SpokenBars: String, Hashable, Sendable, CaseIterable {
  case always
  case countIn = "count_in"
}

/// The file of a word of the spoken count.
public struct NumberFile: Hashable, Sendable {
  public var file: ConfiguredFile
  /// The onset in whole microseconds; see ``SpokenNumber/onset``. nil: it is found when the file is read.
  public var onset: Nanoseconds?

  public init(_ file: ConfiguredFile, onset: Nanoseconds? = .zero) {
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
    guard let onset = onset ?? recording.perceivedOnset else {
      throw unusable(
        for: key, "no beginning of a word is found in it for onset_ms: auto",
        remedy: "use a recording of a word, or set onset_ms to a number of milliseconds")
    }
    guard onset <= SpokenNumber.longestOnset else {
      let longest = SpokenNumber.longestOnset.count / 1_000_000
      throw unusable(
        for: key, "onset_ms: auto finds the word later than \(longest) ms",
        remedy: "cut away the silence before the word, or set onset_ms to a number of milliseconds")
    }
    guard onset.count * Int64(rate) < Int64(frames) * 1_000_000_000 else {
      let onset = Form.onset.text(onset) ?? ""
      throw unusable(
        for: key, "it lasts only \(NumberFile.text(frames, rate)) ms, but its onset_ms is \(onset)",
        remedy: "set onset_ms to the time from the beginning of the file to the beat in the word, or to auto")
    }
    return SpokenNumber(recording, onset: onset)
  }

  /// A number, or the name of a syllable.
  static func name(ofPlace place: Int) -> String { Syllable(rawValue: place).map { "\($0)" } ?? "\(place)" }

  /// nil for any other text.
  static func place(named text: String) -> Int? {
    if let number = wholeNumber(text) { return SpokenNumber.numbers.contains(number) ? number : nil }
    return Syllable.allCases.first { "\($0)" == text }?.rawValue
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

extension Form<Nanoseconds?> {
  static var onset: Form {
    let milliseconds = Form<Double>.decimal(
      "a number of milliseconds", 0...Int(SpokenNumber.longestOnset.count / 1_000_000))
    return Form(
      words: "\(milliseconds.words), or auto",
      read: { (scalar, configuration) throws(WrongValue) in
        if scalar.text == "auto" { return .some(nil) }
        return try milliseconds.read(scalar, configuration).map { .microseconds(Int64(($0 * 1_000).rounded())) }
      }, text: { $0.map { MetronomeCore.decimal(thousandths: Int($0.count / 1_000)) } ?? "auto" })
  }
}

extension Key {
  static var numbers: Key {
    let (least, most) = (SpokenNumber.numbers.lowerBound, SpokenNumber.numbers.upperBound)
    let form =
      "english, or numbers from \(least) to \(most) with their files, such as {1: {file: one.wav, onset_ms: auto}}"
    var key = Key(
      path: "audio.numbers",
      meaning:
        "the words of the spoken count: english for the built-in ones, or WAV files of the numbers and of e, and, a, trip and "
        + "let, like those of sounds but at most \(SpokenNumber.longest) s long; "
        + "onset_ms is the time from the beginning of the file to the beat in the word, "
        + "0 to \(SpokenNumber.longestOnset.count / 1_000_000), or auto to find it; "
        + "a beat or slot without a word clicks", form: form)
    key.access = Access(
      read: { (field, reader) throws(Problem) in
        if case .scalar(let scalar) = field.value.content, scalar.text == "english" {
          reader.configuration.numberFiles = nil
          return
        }
        var files: [Int: NumberFile] = [:]
        reader.readEach(try field.entries(form)) { (item, reader) throws(Problem) in
          guard let place = NumberFile.place(named: item.key) else {
            throw Problem(
              "audio.numbers: invalid number \(quoted(item.key))",
              remedy: "write a number from \(least) to \(most), e, and, a, trip or let", at: item.position)
          }
          files[place] = try reader.readNumberFile(item)
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
  private static func text(_ files: [Int: NumberFile]?) -> String {
    guard let files else { return "english" }
    if files.isEmpty { return "{}" }
    return files.sorted { $0.key < $1.key }.map { place, file in
      "\n    \(NumberFile.name(ofPlace: place)): {file: \(Form<ConfiguredFile?>.file.text(file.file) ?? ""), "
        + "onset_ms: \(Form.onset.text(file.onset) ?? "")}"
    }.joined()
  }
}

extension ConfigurationReader {
  /// - Returns: nil if its keys have problems, which are collected.
  fileprivate mutating func readNumberFile(_ number: Field) throws(Problem) -> NumberFile? {
    let form = "its file and its onset, such as {file: one.wav, onset_ms: auto}"
    var file: ConfiguredFile?
    var onset: Nanoseconds? = .zero
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
    guard configuration.say != .none, configuration.numberFiles?.isEmpty == true else { return }
    let say = try audio.entries("its keys").first { $0.key == "say" }
    throw Problem(
      "audio.say: \(configuration.say.rawValue) has no files",
      remedy: "write \"numbers: english\", or add them to audio.numbers, such as {1: {file: one.wav, onset_ms: auto}}",
      at: say?.value.position ?? audio.position)
  }
}
