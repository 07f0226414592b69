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

// Simulates a box under random button presses, as fast as the machine can, and saves its state in a real folder until the
// process is killed.
//
// Arguments: the folder and a seed. Each time the state to be saved changes, it immediately prints one line: the simulated time
// in nanoseconds and the state's bytes in hexadecimal.

guard CommandLine.arguments.count == 3, let seed = UInt64(CommandLine.arguments[2]) else { exit(64) }

func printMoment(_ moment: HandLife.Moment) {
  let state = StateFile(moment.savedState, save: 0).bytes.map { byte in
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
  let line = "\(moment.instant.nanoseconds) \(state.joined())\n"
  guard write(STDOUT_FILENO, line, line.utf8.count) == line.utf8.count else { exit(73) }
}

do {
  let life = try HandLife(FileFolder(CommandLine.arguments[1]), seed: seed, length: .seconds(600))
  while let news = life.next() { news.forEach(printMoment) }
} catch {
  exit(66)
}
