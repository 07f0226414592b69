import HandLife
import HardwareAbstraction
import MetronomeCore
import StateFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// Writes in a real folder until the process is killed.
//
// Arguments: what is written, the folder, and a seed.
//
// state: a simulated box under random button presses saves its state, as fast as the machine can. Each time the state to be saved
// changes, this immediately prints one line: the simulated time in nanoseconds and the state's bytes in hexadecimal.
//
// scores: scores are added and removed at random. Before each change this prints one line: the number of the new text, or -
// if the score is removed, and the name. After the change it prints one line: done.

guard CommandLine.arguments.count == 4, let seed = UInt64(CommandLine.arguments[3]) else { exit(64) }

func printLine(_ text: String) {
  let line = text + "\n"
  guard write(STDOUT_FILENO, line, line.utf8.count) == line.utf8.count else { exit(73) }
}

func printMoment(_ moment: HandLife.Moment) {
  let state = StateFile(moment.savedState, save: 0).bytes.map { byte in
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
  printLine("\(moment.instant.nanoseconds) \(state.joined())")
}

func changeScores(in folder: FileFolder) throws {
  let scores = ScoreFolder(folder)
  for change in ScoreChanges(seed: seed) {
    guard let name = ScoreName(change.name) else { exit(70) }
    printLine("\(change.number.map(String.init) ?? "-") \(change.name)")
    if let bytes = change.bytes {
      try scores.add(name, bytes)
    } else {
      _ = try scores.remove(name)
    }
    printLine("done")
  }
}

do {
  let folder = try FileFolder(CommandLine.arguments[2])
  if CommandLine.arguments[1] == "scores" {
    let scores = try folder.folder(ScoreFolder.name, creates: true, largestFile: ScoreFolder.largestScore)
    if let scores { try changeScores(in: scores) }
  } else {
    let life = try HandLife(folder, seed: seed, length: .seconds(600))
    while let news = life.next() { news.forEach(printMoment) }
  }
} catch {
  exit(66)
}
