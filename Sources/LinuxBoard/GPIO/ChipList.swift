import Glibc
import HardwareAbstraction

/// The GPIO chips that the system shows.
struct ChipList {
  /// Those that could be opened, in order of their numbers.
  private(set) var chips: [ChipSummary] = []
  /// The device files that could not, and why.
  private(set) var refused: [(path: String, errno: Int32)] = []

  /// Looks at every `/dev/gpiochip*` that is a device: Raspberry Pi OS adds links by other names to the same chips.
  init() {
    for path in paths(matching: "/dev/gpiochip*") where isDevice(path) {
      do throws(HardwareError) {
        let chip = try Chip(path: path)
        chips.append(chip.summary)
      } catch {
        refused.append((path, error.errno))
      }
    }
  }

  /// The device file that the caller may not open, if there is one.
  var forbidden: String? { refused.first { $0.errno == EACCES || $0.errno == EPERM }?.path }
}

/// The files that match a pattern of the shell, shorter names first, so that numbers at their ends are in order.
func paths(matching pattern: String) -> [String] {
  var found = glob_t()
  defer { globfree(&found) }
  guard glob(pattern, 0, nil, &found) == 0 else { return [] }
  let paths = (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
  return paths.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
}

private func isDevice(_ path: String) -> Bool {
  var status = stat()
  return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
}
