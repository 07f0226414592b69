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

// A box in busy hands, as fast as the machine goes, that remembers in a real folder, until somebody kills it.
//
// Arguments: the folder and a seed. It writes down at once, in lines, when what is to be remembered is: the nanosecond of
// its life, and in hexadecimal the bytes of the state.

guard CommandLine.arguments.count == 3, let seed = UInt64(CommandLine.arguments[2]) else { exit(64) }

func writeDown(_ moment: HandLife.Moment) {
  let state = StateFile(moment.savedState, save: 0).bytes.map { byte in
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
  let line = "\(moment.instant.nanoseconds) \(state.joined())\n"
  guard write(STDOUT_FILENO, line, line.utf8.count) == line.utf8.count else { exit(73) }
}

do {
  let life = try HandLife(FileFolder(CommandLine.arguments[1]), seed: seed, length: .seconds(600))
  while let news = life.next() { news.forEach(writeDown) }
} catch {
  exit(66)
}
