// Preloaded: once /run/fault exists, the next poll() that finds an event executes an illegal instruction, on the thread that
// polls the buttons.
#define _GNU_SOURCE
#include <poll.h>
#include <unistd.h>

int poll(struct pollfd *descriptors, nfds_t count, int milliseconds) {
  struct timespec timeout = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
  int ready = ppoll(descriptors, count, milliseconds < 0 ? NULL : &timeout, NULL);
  if (ready > 0 && access("/run/fault", F_OK) == 0) __builtin_trap();
  return ready;
}
