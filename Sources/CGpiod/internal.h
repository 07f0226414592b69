// Shared declarations of the shim.
#ifndef METRONOME_CGPIOD_INTERNAL_H
#define METRONOME_CGPIOD_INTERNAL_H

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>

#include "CGpiod.h"

#define CGPIOD_CONSUMER "metronome"

/// EINVAL if a request cannot have this number of lines, else 0.
static inline int cgpiod_check_count(unsigned int count) { return count == 0 || count > CGPIOD_MAX_LINES ? EINVAL : 0; }

/// Set by the guard: from then on no output may be made active.
extern atomic_bool cgpiod_guard_is_closed;

/// Registers outputs with the guard; -ENOSPC if too many are registered.
int cgpiod_guard_add(cgpiod_outputs *outputs);
/// Unregisters outputs. Returns whether they may be freed: false once the guard is closed, because a signal handler on another
/// thread may still write to them.
bool cgpiod_guard_remove(cgpiod_outputs *outputs);

/// Writes the levels without checking the guard. Async-signal-safe: both libraries make one ioctl of a structure on the stack.
int cgpiod_outputs_write(cgpiod_outputs *outputs, uint64_t active);

/// Writes the lines' levels while the guard is open; -ESHUTDOWN once it is closed.
static inline int cgpiod_outputs_write_guarded(cgpiod_outputs *outputs, uint64_t active) {
  if (atomic_load(&cgpiod_guard_is_closed)) return -ESHUTDOWN;
  int result = cgpiod_outputs_write(outputs, active);
  // The guard may have been closed, and the outputs switched off, between the check and the write.
  if (!atomic_load(&cgpiod_guard_is_closed)) return result;
  cgpiod_outputs_write(outputs, 0);
  return -ESHUTDOWN;
}

static inline void cgpiod_copy_text(char *to, size_t size, const char *from) {
  size_t length = from ? strnlen(from, size - 1) : 0;
  if (length > 0) memcpy(to, from, length);
  to[length] = 0;
}

/// Whether a descriptor is readable now: 1, 0, or a negative error number (-ENODEV when the chip was removed).
static inline int cgpiod_is_readable(int descriptor) {
  struct pollfd wait = {.fd = descriptor, .events = POLLIN};
  int count;
  do {
    count = poll(&wait, 1, 0);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return -errno;
  if (wait.revents & POLLIN) return 1;
  return wait.revents ? -ENODEV : 0;
}

#endif
