import Foundation

/// Makes sure that nothing the program opens becomes standard input, output or error by taking its number.
///
/// Where one of them is closed, `/dev/null` is opened the wrong way round in its place: to use it fails as before.
func fillStandardDescriptors() {
  for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
    // The lowest free number is the one that is given out.
    _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
  }
}
