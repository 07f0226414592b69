import ControlSocket
import MetronomeConfiguration
import MetronomeCore

/// Invariants of the parsers of messages of the control socket, of preset requests, and of commands in words.
enum MessagePromises {
  /// A message reads back unchanged.
  static func check(_ bytes: [UInt8]) {
    let message: ControlMessage
    do throws(ControlError) { message = try ControlMessage(parsing: bytes) } catch { return requireOneLine(error.text) }
    require((try? ControlMessage(parsing: message.bytes)) == message, "a message reads back differently: \(message)")
    if message.word == "preset" { checkRequest(message) }
    if let words = message["command"] { checkCommand(words) }
  }

  /// A request reads back unchanged, and gives a state that can be saved.
  private static func checkRequest(_ message: ControlMessage) {
    let request: PresetRequest
    do throws(ControlError) { request = try PresetRequest(message) } catch { return requireOneLine(error.text) }
    let back = (try? ControlMessage(parsing: request.message.bytes)).flatMap { try? PresetRequest($0) }
    require(back == request, "a request reads back differently: \(request)")
    var state = SavedState()
    do throws(PresetError) { try state.carryOut(request) } catch { return }
    for preset in state.presets.presets {
      let back = (try? ControlMessage(parsing: preset.message(place: 1, isRecalled: false).bytes)).flatMap {
        try? Preset($0)
      }
      require(back == preset, "a preset reads back differently after \(request)")
    }
    do throws(StateFileError) {
      let read = try StateFile(StateFile(state, save: 1).bytes).savedState
      require(read == state, "the state reads back differently after \(request)")
    } catch {
      fatalError("the state cannot be saved after \(request): it \(error.text)")
    }
  }

  /// A command is written in words that read back as the same command.
  private static func checkCommand(_ words: String) {
    let command: Command
    do throws(WrongValue) { command = try Command(words: words) } catch { return requireOneLine(error.remedy) }
    guard let text = command.words else { return require(false, "the command \(words) has no words") }
    require((try? Command(words: text)) == command, "the command \(words) reads back differently as \(text)")
  }
}
