import ArgumentParser
import BoardCheck
import CLibrary
import MetronomeConfiguration
import MetronomeCore

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Show what is right, doubtful or wrong with the box, and how to fix it.",
    discussion: """
      Checks the configuration, the computer, your permissions, every GPIO line, the sound card, the input devices, \
      the state folder and the service. Without --config it reads \(Paths.configuration) if that exists. It \
      measures the sound card's clock while the card plays silence. It changes nothing and makes no sound. Each \
      doubtful or wrong finding comes with a command or a change that fixes it. Run it as root for the most complete \
      result.

      --play then switches each output on and off, plays a click, and waits for a press of each button. It shows what \
      MIDI pedals send, and prints the entry of the configuration for them. In a terminal any key skips the current \
      test, and q ends the tests.

      --json prints one object: "version" (1), "state" (right, doubtful, wrong), "exit" and "findings". Each finding \
      has "area", "subject", "state", "text", "remedy" (or null) and "figures". The state of a finding can also be \
      "absent": this machine lacks the part and does not need it, or the part was not checked. The names of figures \
      end with their units, for example drift_ppm.

      Exit codes: 0: everything is right; 1: something is doubtful; 2: something is wrong.
      """)

  @Flag(help: "Print JSON.")
  var json = false
  @Flag(help: "Test each output and each button; press the buttons when asked.")
  var play = false
  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "Measure the sound card's clock for this time, 1s to 10m; a longer time gives a more exact result.",
      valueName: "duration"),
    transform: duration)
  var length = Nanoseconds.seconds(5)
  @Option(
    name: .customLong("state"),
    help: ArgumentHelp(
      "State folder of the metronome; default: $STATE_DIRECTORY, or \(Paths.state).",
      valueName: "folder"),
    completion: .directory)
  var statePath: String?
  @OptionGroup var configuration: ConfigurationOption

  func validate() throws {
    try StateOption.check(statePath)
    if !(.seconds(1) ... .seconds(600)).contains(length) { throw ValidationError("--for must be from 1s to 10m.") }
  }

  func run() throws {
    let isWatched = isatty(STDERR_FILENO) == 1
    if isWatched { standardError("checking the box and measuring the sound card …") }
    let survey = Survey(
      configurationPath: configuration.path, statePath: statePath ?? Paths.service("STATE_DIRECTORY"), length: length)
    let (facts, read) = survey.facts()
    if isWatched { standardError("\r\u{1B}[K") }
    var findings = facts.findings
    let table = FindingTable(isColored: CheckCommand.isColored)
    if !json { try OutputFile.print(table.areas(findings)) }
    if play, let read {
      let trials = try trial(read, facts)
      if !json { try OutputFile.print(table.areas(trials)) }
      findings += trials
    }
    try OutputFile.print(json ? try FindingJSON.text(findings) : table.summary(findings))
    if findings.exitCode != 0 { throw ExitCode(findings.exitCode) }
  }

  private func trial(_ configuration: Configuration, _ facts: BoardFacts) throws -> [Finding] {
    #if LINUX_BOARD
      let sounds = try ConfigurationOption.sounds(of: configuration)
      return try BoardTrial.run(configuration, sounds: sounds, facts)
    #else
      return [Finding(.trial, "board", .absent("this build does not support a real board"))]
    #endif
  }

  /// Whether to use colors: on a terminal, unless `NO_COLOR` is set (no-color.org) or the terminal is dumb.
  private static var isColored: Bool {
    let environment = Environment.all
    return isatty(STDOUT_FILENO) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }
}
