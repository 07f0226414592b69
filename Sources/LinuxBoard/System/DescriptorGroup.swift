import CLinux
import Glibc

/// Several descriptors as one: it can be read when one of them can.
final class DescriptorGroup {
  /// To be polled for reading.
  let descriptor: Int32

  init() throws(SystemError) {
    let result = clinux_group_descriptor()
    guard result >= 0 else { throw SystemError("epoll_create1", errno: -result) }
    descriptor = result
  }

  deinit { close(descriptor) }

  /// Takes a descriptor in, until it is closed.
  func add(_ member: Int32) throws(SystemError) {
    let result = clinux_add_to_group(descriptor, member)
    if result < 0 { throw SystemError("epoll_ctl", errno: -result) }
  }

  /// Whether one of them can be read now. Never waits.
  var isReadable: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var atOnce = timespec()
    return clinux_poll(&entry, 1, &atOnce) > 0
  }
}
