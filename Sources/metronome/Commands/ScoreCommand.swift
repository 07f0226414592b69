import ArgumentParser
import BoardCheck
import CLibrary
import MetronomeCore
import StateFiles

struct ScoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "score",
    abstract: "Check, show and store scores, and make them from MIDI files: songs with changes of tempo and metre.",
    discussion: """
      A score is a text with one line for each section of a song, such as "verse: 8 3/4 120". Tempo maps of klick are \
      scores. The format is in Documentation/Scores.md of the program's source.

      Stored scores are in the folder "\(ScoreFolder.name)" of the state folder that --state or $STATE_DIRECTORY names, \
      or of \(Paths.state).
      """,
    subcommands: [Check.self, List.self, Show.self, Add.self, Import.self, Remove.self])

  /// Declared here, too, so that it may precede the subcommand, which then reads it from here.
  @OptionGroup var option: ScoreOption

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check the files of scores.",
      discussion: """
        For each score that is right, this prints its numbers of songs and sections and its duration. For each other \
        file it prints the line and column of the first error, and exits with 65. A duration is "at least" that long if \
        the musician ends a part or a pause. Count-ins are not part of it.
        """)

    @Argument(
      help: ArgumentHelp("Files with scores; - is standard input.", valueName: "file"), completion: .file())
    var files: [String]

    func run() throws {
      var code: Int32 = 0
      for path in files {
        do {
          let file = try ScoreFile(path: path)
          try OutputFile.print("\(file.source): \(ScoreSummary(file.score).text)\n")
        } catch let failure as Failure {
          standardError(failure.message + "\n")
          code = max(code, failure.code)
        }
      }
      if code != 0 { throw ExitCode(code) }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the stored scores with their numbers of songs and their durations.")

    @OptionGroup var option: ScoreOption

    func run() throws {
      let store = option.store
      let names = try store.names()
      let width = names.map(\.description.count).max() ?? 0
      for name in names {
        let blanks = String(repeating: " ", count: width - name.description.count)
        try OutputFile.print("\(name)\(blanks)  \(try List.text(name, store))\n")
      }
    }

    /// The size of a score, or its error.
    private static func text(_ name: ScoreName, _ store: ScoreStore) throws -> String {
      do {
        // Another command may remove it meanwhile.
        guard let bytes = try store.bytes(of: name) else { return "removed" }
        let summary = ScoreSummary(try ScoreFile(source: "error", bytes: bytes).score)
        return "\(summary.numberOfSongs), \(summary.duration)"
      } catch let failure as Failure {
        return failure.message
      }
    }
  }

  struct Show: OptionChecking {
    static let configuration = CommandConfiguration(
      abstract: "Show where the sections of a score begin, and what is played in them.",
      discussion: """
        SCORE is the name of a stored score, or a file. A text with a dot or a slash is a file, and - is standard input. \
        Any other text is a name; if there is no stored score of this name, it is a file, too.

        The table has a line for each section and pause. A block is shown once, between braces, with the places of its \
        first repetition. A + marks what comes later if you stay longer in a part without an end. Tempi and times are \
        those that are played. Count-ins are not part of the times.
        """)

    @Argument(
      help: ArgumentHelp("Name of a stored score, or a file.", valueName: "score"), completion: .file())
    var name: String

    @Option(
      help: ArgumentHelp(
        "Also draw the score to this file: FILE.svg, or FILE.png if rsvg-convert or inkscape is installed.",
        valueName: "file"), completion: .file(extensions: ["svg", "png"]))
    var picture: String?

    @Option(
      help: ArgumentHelp(
        "Also write a page to this file for a browser, which prints it: picture and map of each song.",
        valueName: "file.html"), completion: .file(extensions: ["html"]))
    var page: String?

    @Option(
      help: ArgumentHelp(
        "Also write the page as a PDF of A4 sheets to this file, if rsvg-convert is installed.",
        valueName: "file.pdf"), completion: .file(extensions: ["pdf"]))
    var pdf: String?

    @OptionGroup var option: ScoreOption

    func validateOptions() throws {
      if let pdf, !pdf.hasSuffix(".pdf") {
        throw ValidationError("\(quoted(pdf)) is no name for a PDF; name it FILE.pdf.")
      }
      if let page, !page.hasSuffix(".html") {
        throw ValidationError("\(quoted(page)) is no name for a page; name it FILE.html.")
      }
      if let picture, PictureFormat(path: picture) == nil {
        throw ValidationError("\(quoted(picture)) has no supported picture format; name it FILE.svg or FILE.png.")
      }
    }

    func run() throws {
      let file = try file()
      if let picture, let format = PictureFormat(path: picture) {
        if let problem = format.problem { throw Failure.cannotBeMade(problem) }
        let output = try output(picture, "picture")
        var text = ScoreDrawing(file.score, title: file.source).svg
        switch format {
        case .svg: text.withUTF8 { output.write(UnsafeRawBufferPointer($0)) }
        case .png: if let problem = PictureFormat.draw(text, toPNG: picture) { throw Failure.cannotBeMade(problem) }
        }
        try output.check()
      }
      if let page {
        let output = try output(page, "page")
        var text = ScorePage(file.score, title: file.source).html
        text.withUTF8 { output.write(UnsafeRawBufferPointer($0)) }
        try output.check()
      }
      if let pdf {
        if let problem = PictureFormat.problemWithPDF { throw Failure.cannotBeMade(problem) }
        let output = try output(pdf, "PDF")
        let sheets = ScoreSheets(file.score, title: file.source).svgs
        if let problem = PictureFormat.draw(sheets, toPDF: pdf) { throw Failure.cannotBeMade(problem) }
        try output.check()
      }
      try OutputFile.print(ScoreTable.text(file.score))
    }

    /// An empty file that is not the score itself.
    private func output(_ path: String, _ what: String) throws -> OutputFile {
      let output = try OutputFile(path: path)
      if let identity = output.identity, identity == OutputFile.identity(ofFileAt: name) {
        throw Failure.usage("\(shownName(path)) is the score itself; give the \(what) its own name")
      }
      output.empty()
      return output
    }

    private func file() throws -> ScoreFile {
      guard let stored = ScoreName(name) else { return try ScoreFile(path: name) }
      let store = option.store
      // Without a state folder there may still be a file.
      let bytes = Result { try store.bytes(of: stored) }
      if case .success(let bytes?) = bytes { return try ScoreFile(source: name, bytes: bytes) }
      if OutputFile.identity(ofFileAt: name) != nil { return try ScoreFile(path: name) }
      _ = try bytes.get()
      throw try store.missing(name)
    }
  }

  struct Add: OptionChecking {
    static let configuration = CommandConfiguration(
      abstract: "Check a score and store it.",
      discussion: """
        A stored score of the same name is replaced. If the file has an error, nothing changes.
        """)

    @Argument(help: ArgumentHelp("File with a score; - is standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(
      name: .customLong("name"),
      help: ArgumentHelp(
        "Name of the stored score; default: the name of the file without its ending.", valueName: "name"))
    var name: String?

    @OptionGroup var option: ScoreOption

    func validateOptions() throws {
      if file == "-", name == nil { throw ValidationError("A score from standard input needs --name.") }
      _ = try storedName
    }

    func run() throws {
      try option.store.add(storedName, ScoreFile(path: file).bytes)
    }

    private var storedName: ScoreName {
      get throws { try ScoreOption.name(name, ofFile: file) }
    }
  }

  struct Import: OptionChecking {
    static let configuration = CommandConfiguration(
      abstract: "Make a score from a MIDI file, and store it.",
      discussion: """
        The score has the tempi, time signatures and markers of the file. What it cannot have as in the file is printed on \
        standard error, a line each. A stored score of the same name is replaced.

        With --output the score is written to a file, and not stored.
        """)

    @Argument(help: ArgumentHelp("MIDI file; - is standard input.", valueName: "file.mid"), completion: .file())
    var file: String

    @Option(
      name: .customLong("name"),
      help: ArgumentHelp(
        "Name of the stored score; default: the name of the file without its ending.", valueName: "name"))
    var name: String?

    @Option(
      help: ArgumentHelp(
        "Write the score to this file instead; - is standard output.", valueName: "file.txt"), completion: .file())
    var output: String?

    @OptionGroup var option: ScoreOption

    func validateOptions() throws {
      if let output {
        if output.isEmpty { throw ValidationError("--output needs a file name.") }
        if name != nil || option.path != nil {
          throw ValidationError("--output cannot be combined with --name or --state: the score is not stored.")
        }
      } else {
        if file == "-", name == nil { throw ValidationError("A file from standard input needs --name or --output.") }
        _ = try ScoreOption.name(name, ofFile: file)
      }
    }

    func run() throws {
      let imported = try ScoreFile.imported(path: file)
      for note in imported.notes { standardError("\(imported.source): \(note)\n") }
      switch output {
      case nil: try option.store.add(ScoreOption.name(name, ofFile: file), imported.score.bytes)
      case "-": try OutputFile.print(String(decoding: imported.score.bytes, as: UTF8.self))
      case let path?:
        let output = try OutputFile(path: path)
        if let identity = output.identity, identity == OutputFile.identity(ofFileAt: file) {
          throw Failure.usage("\(shownName(path)) is the MIDI file itself; give the score its own name")
        }
        output.empty()
        imported.score.bytes.withUnsafeBytes { output.write($0) }
        try output.check()
      }
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Remove a stored score.")

    @Argument(transform: ScoreOption.name) var name: ScoreName
    @OptionGroup var option: ScoreOption

    func run() throws {
      let store = option.store
      if try !store.remove(name) { throw try store.missing(name.description) }
    }
  }
}

/// The option that selects the stored scores, shared by the subcommands.
struct ScoreOption: ParsableArguments {
  static let nameForm =
    "A name has 1 to \(ScoreName.longest) letters from A to Z, digits, spaces, - and _; "
    + "it begins with a letter, a digit or _, and does not end with a space."

  @Option(
    name: .customLong("state"),
    help: ArgumentHelp(
      "State folder of the metronome; default: $STATE_DIRECTORY, or \(Paths.state).",
      valueName: "folder"), completion: .directory)
  var path: String?

  func validate() throws { try StateOption.check(path) }

  var store: ScoreStore { ScoreStore(path: path ?? Paths.service("STATE_DIRECTORY") ?? Paths.state) }

  /// The name under which a file's score is stored: the user's own, or the name of the file without its ending.
  static func name(_ own: String?, ofFile file: String) throws -> ScoreName {
    if let own { return try name(own) }
    let base = file.split(separator: "/").last ?? ""
    let end = base.lastIndex(of: ".") ?? base.endIndex
    if let name = ScoreName(base[..<end]) { return name }
    throw ValidationError(
      "\(quoted(base[..<end])) cannot be the name of a score; choose one with --name. \(nameForm)")
  }

  static func name(_ text: String) throws -> ScoreName {
    guard let name = ScoreName(text) else {
      throw ValidationError("\(quoted(text)) is not the name of a score. \(nameForm)")
    }
    return name
  }
}
