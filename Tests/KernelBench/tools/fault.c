// To be preloaded: once /run/fault is there, the program's next look at its buttons that finds something ends in an
// illegal instruction, on the thread that looks.
#define _GNU_SOURCE
#include <poll.h>
#include <unistd.h>

int poll(struct pollfd *descriptors, nfds_t count, int milliseconds) {
  struct timespec timeout = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
  int ready = ppoll(descriptors, count, milliseconds < 0 ? NULL : &timeout, NULL);
  if (ready > 0 && access("/run/fault", F_OK) == 0) __builtin_trap();
  return ready;
}
