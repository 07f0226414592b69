extension MalformedDocument {
  /// Errors in tempo, signature and the numerator's limit.
  static let music = [
    MalformedDocument("tempo: 0", "1:8: tempo: invalid value \"0\"; write \(tempo)"),
    MalformedDocument("tempo: 0.999", "1:8: tempo: invalid value \"0.999\"; write \(tempo)"),
    MalformedDocument("tempo: 999.001", "1:8: tempo: invalid value \"999.001\"; write \(tempo)"),
    MalformedDocument("tempo: 0120", "1:8: tempo: invalid value \"0120\"; write \(tempo)"),
    MalformedDocument("tempo: 00.5", "1:8: tempo: invalid value \"00.5\"; write \(tempo)"),
    MalformedDocument("tempo: 1000", "1:8: tempo: invalid value \"1000\"; write \(tempo)"),
    MalformedDocument("tempo: -5", "1:8: tempo: invalid value \"-5\"; write \(tempo)"),
    MalformedDocument("tempo: +5", "1:8: tempo: invalid value \"+5\"; write \(tempo)"),
    MalformedDocument("tempo: 1e2", "1:8: tempo: invalid value \"1e2\"; write \(tempo)"),
    MalformedDocument("tempo: .nan", "1:8: tempo: invalid value \".nan\"; write \(tempo)"),
    MalformedDocument("tempo: .inf", "1:8: tempo: invalid value \".inf\"; write \(tempo)"),
    MalformedDocument("tempo: 0x10", "1:8: tempo: invalid value \"0x10\"; write \(tempo)"),
    MalformedDocument("tempo: 1_000", "1:8: tempo: invalid value \"1_000\"; write \(tempo)"),
    MalformedDocument("tempo: 92,5", "1:8: tempo: invalid value \"92,5\"; write \(tempo)"),
    MalformedDocument("tempo: 92.5555", "1:8: tempo: invalid value \"92.5555\"; write \(tempo)"),
    MalformedDocument("tempo: 12O", "1:8: tempo: invalid value \"12O\"; write \(tempo)"),
    MalformedDocument(
      "tempo: 99999999999999999999999999",
      "1:8: tempo: invalid value \"99999999999999999999999999\"; write \(tempo)"),
    MalformedDocument("tempo: ${TEMPO}", "1:8: tempo: invalid value \"${TEMPO}\"; write \(tempo)"),
    MalformedDocument("tempo: \"\"", "1:8: tempo: invalid value \"\"; write \(tempo)"),
    MalformedDocument("tempo: '12 0'", "1:8: tempo: invalid value \"12 0\"; write \(tempo)"),
    MalformedDocument("tempo:\nsignature: 3/4", "1:1: tempo has no value; write \(tempo), or remove the line"),
    MalformedDocument("{tempo}", "1:2: tempo has no value; write \(tempo), or remove the line"),
    MalformedDocument("tempo: ~", "1:1: tempo has no value; write \(tempo), or remove the line"),
    MalformedDocument("tempo: null # none", "1:1: tempo has no value; write \(tempo), or remove the line"),
    MalformedDocument("tempo: [120]", "1:8: tempo cannot be a list; write \(tempo)"),
    MalformedDocument("tempo:\n- 120", "2:1: tempo cannot be a list; write \(tempo)"),
    MalformedDocument("tempo: {bpm: 120}", "1:8: tempo cannot be a section; write \(tempo)"),
    MalformedDocument("tempo:\n  bpm: 120", "2:3: tempo cannot be a section; write \(tempo)"),
    MalformedDocument("tempo:\n  120\n  beats", "2:3: a \":\" is missing after the key; \(keyOrNote)"),
    MalformedDocument("tempo: 120\n  beats", "2:3: \(belowValue("tempo", line: 1))"),
    MalformedDocument("signature: 4", "1:12: signature: invalid value \"4\"; write \(signature)"),
    MalformedDocument("signature: 4/", "1:12: signature: invalid value \"4/\"; write \(signature)"),
    MalformedDocument("signature: /4", "1:12: signature: invalid value \"/4\"; write \(signature)"),
    MalformedDocument("signature: 4/4/4", "1:12: signature: invalid value \"4/4/4\"; write \(signature)"),
    MalformedDocument("signature: -4/4", "1:12: signature: invalid value \"-4/4\"; write \(signature)"),
    MalformedDocument("signature: 4 / 4", "1:12: signature: invalid value \"4 / 4\"; write \(signature)"),
    MalformedDocument("signature: 04/4", "1:12: signature: invalid value \"04/4\"; write \(signature)"),
    MalformedDocument("signature: C", "1:12: signature: invalid value \"C\"; write \(signature)"),
    MalformedDocument("signature: 9999999999/4", "1:12: signature: invalid value \"9999999999/4\"; write \(signature)"),
    MalformedDocument("signature: 4.0/4", "1:12: signature: invalid value \"4.0/4\"; write \(signature)"),
    MalformedDocument(
      "signature: 5/4\nnumerator_limit: denominator",
      "1:12: signature: invalid value \"5/4\"; write 1/4 to 4/4, or remove \"numerator_limit: denominator\""),
    MalformedDocument(
      "signature: 0/4\nnumerator_limit: denominator",
      "1:12: signature: invalid value \"0/4\"; write 1/4 to 4/4"),
    MalformedDocument(
      "signature: 33/16\nnumerator_limit: denominator",
      "1:12: signature: invalid value \"33/16\"; write 1/16 to 16/16"),
    MalformedDocument(
      "signature: 3/2\nnumerator_limit: denominator",
      "1:12: signature: invalid value \"3/2\"; "
        + "use the denominator 4, 8, 16 or 32, or remove \"numerator_limit: denominator\""),
    MalformedDocument(
      "signature: 4/5\nnumerator_limit: denominator",
      "1:12: signature: invalid value \"4/5\"; use the denominator 4, 8, 16 or 32"),
    MalformedDocument(
      "signature: 4/5", "1:12: signature: invalid value \"4/5\"; use the denominator 1, 2, 4, 8, 16 or 32"),
    MalformedDocument(
      "signature: 33/4\nnumerator_limit: none",
      "1:12: signature: invalid value \"33/4\"; write 1/4 to 32/4"),
    MalformedDocument("signature: 0/4", "1:12: signature: invalid value \"0/4\"; write 1/4 to 32/4"),
    MalformedDocument("numerator_limit: 32", "1:18: numerator_limit: invalid value \"32\"; write denominator or none"),
    MalformedDocument(
      "numerator_limit: null",
      "1:1: numerator_limit has no value; write denominator or none, or remove the line"),
  ]
}
