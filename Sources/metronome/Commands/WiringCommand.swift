import ArgumentParser

struct WiringCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wiring",
    abstract: "Print what hangs on which pin of the Raspberry Pi's header, and what clashes there.",
    discussion: """
      The lines are those of the configuration; nothing is opened, so it works on any machine. Pictures and the parts are in \
      the folder "wiring" of the program's source.
      """)

  @Flag(help: "As JSON, for programs.")
  var json = false
  @OptionGroup var configuration: ConfigurationOption

  func run() throws {
    let wiring = try configuration.read(fallback: RunCommand.defaultPath).wiring
    try WiringTable(WiringReport(wiring)).write(asJSON: json)
  }
}
