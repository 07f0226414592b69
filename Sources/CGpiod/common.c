// What does not depend on libgpiod's interface.
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "internal.h"

int cgpiod_outputs_set(cgpiod_outputs *outputs, uint64_t active) {
  if (atomic_load(&cgpiod_guard_is_closed)) return -ESHUTDOWN;
  int result = cgpiod_outputs_write(outputs, active);
  // The guard may have been closed, and have darkened, between the question and the write.
  if (!atomic_load(&cgpiod_guard_is_closed)) return result;
  cgpiod_outputs_write(outputs, 0);
  return -ESHUTDOWN;
}

void cgpiod_copy_text(char *to, size_t size, const char *from) {
  size_t length = from ? strnlen(from, size - 1) : 0;
  if (length > 0) memcpy(to, from, length);
  to[length] = 0;
}

int cgpiod_is_readable(int descriptor) {
  struct pollfd wait = {.fd = descriptor, .events = POLLIN};
  int count;
  do {
    count = poll(&wait, 1, 0);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return -errno;
  if (wait.revents & POLLIN) return 1;
  return wait.revents ? -ENODEV : 0;
}
