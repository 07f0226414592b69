extension MalformedDocument {
  /// What is played.
  static let music = [
    MalformedDocument("tempo: 0", "1:8: tempo cannot be \"0\"; write \(tempo)"),
    MalformedDocument("tempo: 0.999", "1:8: tempo cannot be \"0.999\"; write \(tempo)"),
    MalformedDocument("tempo: 999.001", "1:8: tempo cannot be \"999.001\"; write \(tempo)"),
    MalformedDocument("tempo: 0120", "1:8: tempo cannot be \"0120\"; write \(tempo)"),
    MalformedDocument("tempo: 00.5", "1:8: tempo cannot be \"00.5\"; write \(tempo)"),
    MalformedDocument("tempo: 1000", "1:8: tempo cannot be \"1000\"; write \(tempo)"),
    MalformedDocument("tempo: -5", "1:8: tempo cannot be \"-5\"; write \(tempo)"),
    MalformedDocument("tempo: +5", "1:8: tempo cannot be \"+5\"; write \(tempo)"),
    MalformedDocument("tempo: 1e2", "1:8: tempo cannot be \"1e2\"; write \(tempo)"),
    MalformedDocument("tempo: .nan", "1:8: tempo cannot be \".nan\"; write \(tempo)"),
    MalformedDocument("tempo: .inf", "1:8: tempo cannot be \".inf\"; write \(tempo)"),
    MalformedDocument("tempo: 0x10", "1:8: tempo cannot be \"0x10\"; write \(tempo)"),
    MalformedDocument("tempo: 1_000", "1:8: tempo cannot be \"1_000\"; write \(tempo)"),
    MalformedDocument("tempo: 92,5", "1:8: tempo cannot be \"92,5\"; write \(tempo)"),
    MalformedDocument("tempo: 92.5555", "1:8: tempo cannot be \"92.5555\"; write \(tempo)"),
    MalformedDocument("tempo: 12O", "1:8: tempo cannot be \"12O\"; write \(tempo)"),
    MalformedDocument(
      "tempo: 99999999999999999999999999",
      "1:8: tempo cannot be \"99999999999999999999999999\"; write \(tempo)"),
    MalformedDocument("tempo: ${TEMPO}", "1:8: tempo cannot be \"${TEMPO}\"; write \(tempo)"),
    MalformedDocument("tempo: \"\"", "1:8: tempo cannot be \"\"; write \(tempo)"),
    MalformedDocument("tempo: '12 0'", "1:8: tempo cannot be \"12 0\"; write \(tempo)"),
    MalformedDocument("tempo:\nsignature: 3/4", "1:1: tempo has no value; write \(tempo), or leave the line out"),
    MalformedDocument("{tempo}", "1:2: tempo has no value; write \(tempo), or leave the line out"),
    MalformedDocument("tempo: ~", "1:1: tempo has no value; write \(tempo), or leave the line out"),
    MalformedDocument("tempo: null # none", "1:1: tempo has no value; write \(tempo), or leave the line out"),
    MalformedDocument("tempo: [120]", "1:8: tempo cannot be a list; write \(tempo)"),
    MalformedDocument("tempo:\n- 120", "2:1: tempo cannot be a list; write \(tempo)"),
    MalformedDocument("tempo: {bpm: 120}", "1:8: tempo cannot be a section; write \(tempo)"),
    MalformedDocument("tempo:\n  bpm: 120", "2:3: tempo cannot be a section; write \(tempo)"),
    MalformedDocument("tempo: 120\n  beats", "1:8: tempo cannot be \"120 beats\"; write \(tempo)"),
    MalformedDocument(
      "signature: 4",
      "1:12: signature cannot be \"4\"; write beats in a bar over the note of a beat, as 4/4 or 7/8"),
    MalformedDocument(
      "signature: 4/",
      "1:12: signature cannot be \"4/\"; write beats in a bar over the note of a beat, as 4/4 or 7/8"),
    MalformedDocument(
      "signature: /4",
      "1:12: signature cannot be \"/4\"; write beats in a bar over the note of a beat, as 4/4 or 7/8"),
    MalformedDocument(
      "signature: 4/4/4",
      "1:12: signature cannot be \"4/4/4\"; write beats in a bar over the note of a beat, as 4/4 or 7/8"),
    MalformedDocument(
      "signature: -4/4",
      "1:12: signature cannot be \"-4/4\"; write beats in a bar over the note of a beat, as 4/4 or 7/8"),
    MalformedDocument(
      "signature: 4 / 4",
      "1:12: signature cannot be \"4 / 4\"; write beats in a bar over the note of a beat, as 4/4 or 7/8"),
    MalformedDocument(
      "signature: 04/4",
      "1:12: signature cannot be \"04/4\"; write beats in a bar over the note of a beat, as 4/4 or 7/8"),
    MalformedDocument(
      "signature: C",
      "1:12: signature cannot be \"C\"; write beats in a bar over the note of a beat, as 4/4 or 7/8"),
    MalformedDocument(
      "signature: 9999999999/4",
      "1:12: signature cannot be \"9999999999/4\"; write beats in a bar over the note of a beat, as 4/4 or 7/8"),
    MalformedDocument(
      "signature: 4.0/4",
      "1:12: signature cannot be \"4.0/4\"; write beats in a bar over the note of a beat, as 4/4 or 7/8"),
    MalformedDocument(
      "signature: 5/4",
      "1:12: signature cannot be \"5/4\"; write 1 to 4 beats over 4, or add \"numerator_limit: none\""),
    MalformedDocument("signature: 0/4", "1:12: signature cannot be \"0/4\"; write 1 to 4 beats over 4"),
    MalformedDocument("signature: 33/16", "1:12: signature cannot be \"33/16\"; write 1 to 16 beats over 16"),
    MalformedDocument(
      "signature: 3/2",
      "1:12: signature cannot be \"3/2\"; write the beats over 4, 8, 16 or 32, or add \"numerator_limit: none\""),
    MalformedDocument("signature: 4/5", "1:12: signature cannot be \"4/5\"; write the beats over 4, 8, 16 or 32"),
    MalformedDocument(
      "signature: 4/5\nnumerator_limit: none",
      "1:12: signature cannot be \"4/5\"; write the beats over 1, 2, 4, 8, 16 or 32"),
    MalformedDocument(
      "signature: 33/4\nnumerator_limit: none",
      "1:12: signature cannot be \"33/4\"; write 1 to 32 beats over 4"),
    MalformedDocument("numerator_limit: 32", "1:18: numerator_limit cannot be \"32\"; write denominator or none"),
    MalformedDocument(
      "numerator_limit: null",
      "1:1: numerator_limit has no value; write denominator or none, or leave the line out"),
  ]
}
