/// The platform's C library, under one name on every platform.
#if canImport(Glibc)
  @_exported @preconcurrency import Glibc
#elseif canImport(Musl)
  @_exported @preconcurrency import Musl
#elseif canImport(Darwin)
  @_exported import Darwin
#endif

/// Why a C library call failed: the cases that callers distinguish.
public enum Refusal: Hashable, Sendable {
  /// The file does not exist.
  case absent
  case denied
  /// The file system is read-only.
  case readOnly
  /// A signal interrupted the call, or there is nothing to read yet: retry.
  case again
  case other

  /// The reason for this thread's last failed call, from `errno`.
  public static var last: Refusal {
    switch errno {
    case ENOENT: .absent
    case EPERM, EACCES: .denied
    case EROFS: .readOnly
    case EINTR, EAGAIN: .again
    default: .other
    }
  }
}

/// The system's text for an error number; nil: no number is known.
package func reason(_ errno: Int32?) -> String { errno.map { String(cString: strerror($0)) } ?? "unknown reason" }

/// Retries a call while signals interrupt it. The call must return a negative number when it fails.
public func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}

/// Reads a descriptor to its end, but at most `limit` bytes. Nil if that fails: `errno` says why.
package func readBytes(from descriptor: Int32, atMost limit: Int) -> [UInt8]? {
  var bytes: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 1 << 16)
  while bytes.count < limit {
    let count = uninterrupted { read(descriptor, &piece, min(piece.count, limit - bytes.count)) }
    guard count >= 0 else { return nil }
    if count == 0 { break }
    bytes += piece[..<count]
  }
  return bytes
}

/// Writes all bytes. Returns false if that fails: `errno` says why.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
  var rest = bytes
  while !rest.isEmpty {
    let count = uninterrupted { write(descriptor, rest.baseAddress, rest.count) }
    if count < 0 { return false }
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
  }
  return true
}

/// The time of one of the kernel's clocks, in nanoseconds.
package func nanoseconds(of clock: clockid_t) -> Int64 {
  var time = timespec()
  clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// The environment variables of the process.
public enum Environment {
  public static var all: [String: String] {
    #if canImport(Darwin)
      var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = _NSGetEnviron().pointee
    #else
      var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
    #endif
    var variables: [String: String] = [:]
    while let here = next, let entry = here.pointee {
      let text = String(cString: entry)
      if let sign = text.firstIndex(of: "=") {
        variables[String(text[..<sign])] = String(text[text.index(after: sign)...])
      }
      next = here.successor()
    }
    return variables
  }
}

/// The arguments of the process.
public enum Arguments {
  /// The first option such as `--tempo` that is given a second time; nil if there is none. After an option named `--` only
  /// operands follow.
  public static func repeatedOption(except repeatable: Set<String> = []) -> String? {
    var seen: Set<Substring> = []
    for argument in CommandLine.arguments.dropFirst().prefix(while: { $0 != "--" }) where argument.hasPrefix("--") {
      let name = argument.prefix { $0 != "=" }
      if !seen.insert(name).inserted, !repeatable.contains(String(name)) { return String(name) }
    }
    return nil
  }
}
