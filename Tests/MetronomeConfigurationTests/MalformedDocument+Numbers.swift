extension MalformedDocument {
  /// The files of the spoken count.
  static let numbers = [
    MalformedDocument(
      "audio: {say: words}", "1:14: audio.say: invalid value \"words\"; write none, numbers or subdivisions"),
    MalformedDocument(
      "audio:\n  numbers: {}\n  say: numbers",
      "3:8: audio.say: numbers has no files; write \"numbers: english\", or "
        + "add them to audio.numbers, such as {1: {file: one.wav, onset_ms: auto}}"),
    MalformedDocument(
      "audio: {say: numbers, numbers: {}}",
      "1:14: audio.say: numbers has no files; write \"numbers: english\", or "
        + "add them to audio.numbers, such as {1: {file: one.wav, onset_ms: auto}}"),
    MalformedDocument(
      "audio: {numbers: words}",
      "1:18: audio.numbers: invalid value \"words\"; write english, or numbers from 1 to 32 with their files, such as "
        + "{1: {file: one.wav, onset_ms: auto}}"),
    MalformedDocument(
      "audio: {numbers: [one.wav]}",
      "1:18: audio.numbers cannot be a list; write english, or numbers from 1 to 32 with their files, such as "
        + "{1: {file: one.wav, onset_ms: auto}}"),
    MalformedDocument(
      "audio:\n  numbers:\n    1: {file: one.wav}\n    33: {file: one.wav}",
      "4:5: audio.numbers: invalid number \"33\"; write a number from 1 to 32, e, and, a, trip or let"),
    MalformedDocument(
      "audio: {numbers: {0: {file: a.wav}}}",
      "1:19: audio.numbers: invalid number \"0\"; write a number from 1 to 32, e, and, a, trip or let"),
    MalformedDocument(
      "audio: {numbers: {one: {file: a.wav}}}",
      "1:19: audio.numbers: invalid number \"one\"; write a number from 1 to 32, e, and, a, trip or let"),
    MalformedDocument(
      "audio: {numbers: {01: {file: a.wav}}}",
      "1:19: audio.numbers: invalid number \"01\"; write a number from 1 to 32, e, and, a, trip or let"),
    MalformedDocument(
      "audio:\n  numbers:\n    2: {file: one.wav}\n    2: {file: two.wav}",
      "4:5: duplicate key \"2\", first used on line 3; remove one of them"),
    MalformedDocument(
      "audio: {numbers: {1: one.wav}}",
      "1:22: audio.numbers.1: invalid value \"one.wav\"; write its file and its onset, such as "
        + "{file: one.wav, onset_ms: auto}"),
    MalformedDocument(
      "audio: {numbers: {1: }}",
      "1:19: audio.numbers.1 has no value; write its file and its onset, such as "
        + "{file: one.wav, onset_ms: auto}, or remove the line"),
    MalformedDocument(
      "audio: {numbers: {1: {onset_ms: 40}}}",
      "1:19: audio.numbers.1 has no file; write its file and its onset, such as {file: one.wav, onset_ms: auto}"),
    MalformedDocument(
      "audio: {numbers: {1: {file: [a.wav]}}}",
      "1:29: audio.numbers.1.file cannot be a list; write the path of a WAV file"),
    MalformedDocument(
      "audio: {numbers: {1: {file: a.wav, onset: 40}}}",
      "1:36: unknown key \"onset\" in audio.numbers.1; did you mean \"onset_ms\"?"),
    MalformedDocument(
      "audio: {numbers: {1: {file: a.wav, onset_ms: 301}}}",
      "1:46: audio.numbers.1.onset_ms: invalid value \"301\"; write a number of milliseconds from 0 to 300 with at "
        + "most three decimals, or auto"),
    MalformedDocument(
      "audio: {numbers: {1: {file: a.wav, onset_ms: -1}}}",
      "1:46: audio.numbers.1.onset_ms: invalid value \"-1\"; write a number of milliseconds from 0 to 300 with at "
        + "most three decimals, or auto"),
  ]
}
