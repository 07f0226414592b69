#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The options of the command line.
struct Options {
  /// The seed of all random numbers.
  var seed: UInt64 = 1

  init(arguments: some Collection<String>) throws(UsageError) {
    var rest = Array(arguments)[...]
    while let option = rest.popFirst() {
      guard option == "--seed" else {
        throw UsageError(description: "unknown option: \(option). Usage: sound-benchmark [--seed N]")
      }
      guard let text = rest.popFirst(), let seed = UInt64(text) else {
        throw UsageError(
          description: "--seed requires a non-negative integer. Usage: sound-benchmark [--seed N]")
      }
      self.seed = seed
    }
  }
}

struct UsageError: Error {
  var description: String
}

func exitProcess(_ status: Int32) -> Never { exit(status) }
