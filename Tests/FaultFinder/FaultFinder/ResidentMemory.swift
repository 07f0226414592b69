#if canImport(Glibc)
  import Glibc
#endif

/// The memory of this process.
enum ResidentMemory {
  /// The resident memory of the process, in bytes; nil if the system does not report it.
  static var bytes: Int? {
    #if canImport(Glibc)
      let descriptor = open("/proc/self/statm", O_RDONLY)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var bytes = [UInt8](repeating: 0, count: 128)
      let count = read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return nil }
      let words = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
      return words.count > 1 ? Int(words[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
    #else
      return nil
    #endif
  }
}
