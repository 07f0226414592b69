import ArgumentParser
import BoardCheck
import CLibrary
import MetronomeConfiguration
import MetronomeCore

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Tell what of the box is right, doubtful and wrong, and what mends it.",
    discussion: """
      Looks at the computer, at what may be done with it, at every line, at the sound card, whose clock is measured while it \
      plays silence, at the state folder, the service and the configuration; without --config at \
      \(RunCommand.defaultPath) if that exists. It changes nothing and makes no sound. What is doubtful or wrong comes with \
      the command or the change that mends it. As root it sees most.

      --play then has each output flash or sound, and waits for each button to be pressed. In a terminal any key skips what \
      is being tried, and q ends it.

      --json prints one object: "version" (1), "state" (right, doubtful, wrong), "exit", and "findings", each with "area", \
      "subject", "state" (absent for what this machine has not and need not have), "text", "remedy" (or null) and \
      "figures", whose names end with their units, as drift_ppm.

      Exit codes: 0 all is right, 1 something is doubtful, 2 something is wrong.
      """)

  @Flag(help: "As JSON, for programs.")
  var json = false
  @Flag(help: "Try each output, and each button with somebody's help.")
  var play = false
  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "For how long the sound card's clock is measured, 1 to 600; the longer, the more exactly.", valueName: "seconds"))
  var seconds = 5
  @Option(
    name: .customLong("state"),
    help: ArgumentHelp(
      "The folder in which the metronome remembers; without this $STATE_DIRECTORY, or \(PresetsCommand.defaultPath).",
      valueName: "folder"),
    completion: .directory)
  var statePath: String?
  @OptionGroup var configuration: ConfigurationOption

  func validate() throws {
    try StateOption.check(statePath)
    if !(1...600).contains(seconds) { throw ValidationError("--for is a whole number of seconds from 1 to 600.") }
  }

  func run() throws {
    let isWatched = isatty(STDERR_FILENO) == 1
    if isWatched { standardError("looks, and measures the sound card …") }
    let survey = Survey(
      configurationPath: configuration.path, statePath: statePath ?? StateOption.service,
      length: .seconds(Int64(seconds)))
    let (facts, read) = survey.facts()
    if isWatched { standardError("\r\u{1B}[K") }
    var findings = facts.findings
    let table = FindingTable(isColoured: CheckCommand.isColoured)
    if play, !json { try OutputFile.print(table.text(findings)) }
    if play, let read { findings += try trial(read, facts) }
    if json {
      try OutputFile.print(try FindingJSON.text(findings))
    } else {
      try OutputFile.print(table.text(play ? findings.filter { $0.area == .trial } : findings))
    }
    if findings.exitCode != 0 { throw ExitCode(findings.exitCode) }
  }

  private func trial(_ configuration: Configuration, _ facts: BoardFacts) throws -> [Finding] {
    #if LINUX_BOARD
      let sounds = try ConfigurationOption.sounds(of: configuration)
      return try BoardTrial.run(configuration, sounds: sounds, facts)
    #else
      return [.absent(.trial, "board", "this build has no real board")]
    #endif
  }

  /// On a terminal, unless its user has no liking for it (no-color.org).
  private static var isColoured: Bool {
    let environment = Environment.all
    return isatty(STDOUT_FILENO) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }
}
