#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What the system says about an error number.
func reason(_ errno: Int32) -> String { String(cString: strerror(errno)) }

/// What the system says where a right is missing.
let accessDenied = EACCES
