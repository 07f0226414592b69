#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What the command line asks for.
struct Options {
  /// From which all random numbers follow.
  var seed: UInt64 = 1

  init(arguments: some Collection<String>) throws(UsageError) {
    var rest = Array(arguments)[...]
    while let option = rest.popFirst() {
      guard option == "--seed" else {
        throw UsageError(description: "\(option): unknown. Usage: sound-benchmark [--seed N]")
      }
      guard let text = rest.popFirst(), let seed = UInt64(text) else {
        throw UsageError(
          description: "--seed: a whole number from 0 on should follow. Usage: sound-benchmark [--seed N]")
      }
      self.seed = seed
    }
  }
}

struct UsageError: Error {
  var description: String
}

func exitProcess(_ status: Int32) -> Never { exit(status) }
