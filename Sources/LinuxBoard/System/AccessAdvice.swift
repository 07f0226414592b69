import Glibc

/// What a person can do who may not open a device file, as a sentence.
func accessAdvice(_ path: String) -> String {
  var status = stat()
  guard stat(path, &status) == 0, status.st_mode & 0o060 == 0o060, status.st_gid != 0,
    let group = getgrgid(status.st_gid)
  else {
    return "only root may open \(path): run this as root, or give the file to a group of yours by a udev rule"
  }
  let name = String(cString: group.pointee.gr_name)
  return "only members of the group \(name) may open \(path): join it with `sudo usermod -aG \(name) $USER`, then log"
    + " in again"
}
