import ArgumentParser
import CLibrary
import ControlSocket
import MetronomeConfiguration
import MetronomeCore

/// The option that selects the metronome, shared by `send` and `watch`. `presets` and `score` have the same one.
struct ControlOption: ParsableArguments {
  // The second name is that of earlier versions.
  @Option(
    name: [.customLong("state"), .customLong("socket")],
    help: ArgumentHelp(
      "State folder of the metronome, as for presets and score, or its runtime folder; default: $RUNTIME_DIRECTORY, or "
        + "\(Paths.runtime).", valueName: "folder"),
    completion: .directory)
  var folder: String?

  func validate() throws {
    if folder?.isEmpty == true { throw ValidationError("--state needs a folder name.") }
  }

  private var path: String {
    folder ?? Paths.service("RUNTIME_DIRECTORY") ?? Paths.runtime
  }

  #if os(Linux)
    func connect() throws -> ControlConnection {
      let address: ControlAddress
      do throws(SocketError) { address = try ControlAddress(in: path) } catch {
        if error.errno == ENOENT {
          throw Failure.noAnswer(
            "no metronome runs here: \(shownName(path)) does not exist; start one, or name its state folder with --state"
          )
        }
        throw Failure.missingFile(
          "\(error.detail) (\(reason(error.errno))); --state selects the state folder of the metronome")
      }
      do throws(ControlFailure) { return try ControlConnection(to: address) } catch { throw failure(error) }
    }

    func failure(_ error: ControlFailure) -> Failure {
      let socket = "\(shownName(path))/control"
      return switch error {
      case .notListening: .noAnswer("no metronome listens at \(socket); start one, or select its folder with --state")
      case .silence: .noAnswer("the metronome at \(socket) does not answer")
      case .refused(let errno):
        .noAnswer(
          "\(socket) cannot be reached (\(reason(errno))); run this command as root or as a member of its group")
      case .otherVersion(let version):
        .noAnswer("the metronome at \(socket) speaks version \(version) of the protocol; update it or this program")
      }
    }
  #endif
}

struct SendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Carry out a command on a running metronome.",
    discussion: """
      The words are those of a button in the configuration, such as start, stop, tap, tempo 133.7, faster 5, \
      signature 7/8, rhythm sub=2, volume -6, set wood, recall 2 or next_section. They take effect as if a button had been pressed.
      """)

  // So that a volume such as -6 is no option.
  @Argument(parsing: .allUnrecognized, help: "The words of the command.") var words: [String]
  @OptionGroup var option: ControlOption

  func run() throws {
    #if os(Linux)
      let text = words.joined(separator: " ")
      let command: Command
      do throws(WrongValue) { command = try Command(words: text) } catch {
        throw Failure.usage("\(quoted(text)) is no command; \(error.remedy)")
      }
      if case .setRhythm(let rhythm) = command, let problem = rhythm.idleSwing { throw Failure.usage(problem) }
      let connection = try option.connect()
      let answer: ControlMessage?
      do throws(ControlFailure) { answer = try connection.ask(ControlMessage("do", ["command": text])).last } catch {
        throw option.failure(error)
      }
      if answer?.word != "done" { throw Failure.refused(answer?["why"] ?? "the metronome refuses it") }
    #else
      throw Failure.noHardware("control sockets exist only on Linux")
    #endif
  }
}

struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print what a running metronome plays, a line for each change.",
    discussion: """
      The line has the tempo, the bar and what the metronome does, as in its log. --json prints each message of the \
      control socket as one object, four times a second and on each change; all values are texts. Ends when the metronome \
      ends, or when the output is closed.
      """)

  @Flag(help: "Print each message as JSON.")
  var json = false
  @OptionGroup var option: ControlOption

  func run() throws {
    #if os(Linux)
      let connection = try option.connect()
      var last = ""
      do {
        try connection.send(ControlMessage("subscribe", ["to": json ? "state,timeline,pairing" : "state"]))
        while true {
          let message = try connection.receive(timeout: 10_000)
          // Without a change nothing is written, so a closed output must be polled.
          if WatchCommand.isOutputClosed { return }
          let line = json ? WatchCommand.json(message) : WatchCommand.line(message)
          guard let line, line != last else { continue }
          last = line
          do { try OutputFile.print(line + "\n") } catch {
            // The output may have been closed since the check.
            if WatchCommand.isOutputClosed { return }
            throw error
          }
        }
      } catch let error as ControlFailure {
        throw option.failure(error)
      }
    #else
      throw Failure.noHardware("control sockets exist only on Linux")
    #endif
  }

  private static var isOutputClosed: Bool {
    var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    return poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
  }

  /// The line for people; nil for another message than `state`.
  static func line(_ message: ControlMessage) -> String? {
    guard message.word == "state" else { return nil }
    let unit = message["beat"] == "1/4" ? "" : "\(message["beat"] ?? "") = "
    var parts = ["\(unit)\(message["tempo"] ?? "?") BPM", message["text"] ?? "?"]
    parts.append(message["playing"] == "1" ? "playing" : "stopped")
    if message["silent"] == "1" { parts.append("silent") }
    if let volume = message["volume"], volume != "0" { parts.append("volume \(volume) dB") }
    if let set = message["set"], set != "click" { parts.append(set) }
    parts += ["section", "trainer", "source"].compactMap { message[$0] }.filter { !$0.isEmpty }
    return parts.joined(separator: ", ")
  }

  static func json(_ message: ControlMessage) -> String? {
    guard message.word != "done" else { return nil }
    let fields = [("message", message.word)] + message.fields.map { ($0.key, $0.value) }
    return "{" + fields.map { "\(jsonText($0)):\(jsonText($1))" }.joined(separator: ",") + "}"
  }

  /// A message has no control characters.
  private static func jsonText(_ text: String) -> String {
    var shown = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { shown += "\\" }
      shown.unicodeScalars.append(scalar)
    }
    return shown + "\""
  }
}
