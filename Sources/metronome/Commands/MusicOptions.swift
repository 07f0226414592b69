import ArgumentParser
import MetronomeCore

/// `--tempo` and `--signature`, alike for every command that has them.
struct MusicOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Quarter notes per minute, 1 to 999, as 120 or 92.5.", valueName: "bpm"),
    transform: MusicOptions.tempo)
  var tempo: Tempo?

  @Option(
    help: ArgumentHelp("Beats in a bar over the note of a beat, as 4/4 or 7/8.", valueName: "signature"),
    transform: MusicOptions.signature)
  var signature: Signature?

  private static func tempo(_ text: String) throws -> Tempo {
    guard let tempo = Tempo(decimal: text) else {
      throw ValidationError(
        "\(quoted(text)) is no tempo; write beats per minute from 1 to 999 with at most three decimals, as 120 or 92.5."
      )
    }
    return tempo
  }

  private static func signature(_ text: String) throws -> Signature {
    guard let signature = Signature(text: text) else {
      let notes = NumeratorLimit.none.denominators.map(String.init).joined(separator: ", ")
      throw ValidationError(
        "\(quoted(text)) is no signature; write 1 to \(Signature.highestNumerator) beats over one of the notes \(notes), as 7/8."
      )
    }
    return signature
  }
}
