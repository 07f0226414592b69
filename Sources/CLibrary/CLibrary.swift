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

/// Where an installed metronome has its files, and how the programs find theirs.
package enum Paths {
  package static let configuration = "/etc/metronome/metronome.yaml"
  package static let state = "/var/lib/metronome"
  package static let runtime = "/run/metronome"
  package static let page = "/usr/share/metronome-remote"

  /// The first folder that systemd has created for the service; nil without the variable, such as `STATE_DIRECTORY`.
  package static func service(_ variable: String) -> String? {
    Environment.all[variable]?.split(separator: ":").first.map(String.init)
  }

  /// The folder for the state of a simulated metronome, by the XDG Base Directory Specification, which ignores relative paths;
  /// nil if no variable names one.
  package static func userState(_ environment: [String: String]) -> String? {
    func absolute(_ variable: String) -> String? { environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } }
    let parent = absolute("XDG_STATE_HOME") ?? absolute("HOME").map { path(".local/state", in: $0) }
    return parent.map { path("metronome", in: $0) }
  }

  /// The folder of a file; empty for the working directory.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The path of a file whose relative path starts at a folder; an empty folder is the working directory.
  package static func path(_ name: String, in folder: String) -> String {
    folder.isEmpty || name.hasPrefix("/") ? name : folder + "/" + name
  }

  /// The folder of this program; nil if it is unknown.
  package static var programs: String? {
    // Must be an array of `CChar`: for other element types, Swift 6.0.3 passes the address of the array itself.
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    guard length > 0 else { return nil }
    return folder(of: String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  /// Another program: the one in the folder of this program, or else the name, which `exec` searches in PATH.
  package static func program(_ name: String) -> String {
    guard let programs else { return name }
    let beside = path(name, in: programs)
    return access(beside, X_OK) == 0 ? beside : name
  }
}
