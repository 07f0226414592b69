// Preloaded: a display that does not answer. While the file /run/unanswered exists, the line with the offset $UNANSWERED reads
// high, so that no acknowledge is seen. The simulated line itself always reads low after it was pulled low once.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int is_unanswered(unsigned int offset) {
  const char *line = getenv("UNANSWERED");
  return line && offset == (unsigned int)atoi(line) && access("/run/unanswered", F_OK) == 0;
}

// libgpiod 1
int gpiod_line_get_value(void *line) {
  unsigned int (*offset)(void *) = (unsigned int (*)(void *))dlsym(RTLD_NEXT, "gpiod_line_offset");
  if (is_unanswered(offset(line))) return 1;
  return ((int (*)(void *))dlsym(RTLD_NEXT, "gpiod_line_get_value"))(line);
}

// libgpiod 2
int gpiod_line_request_get_value(void *request, unsigned int offset) {
  if (is_unanswered(offset)) return 1;
  return ((int (*)(void *, unsigned int))dlsym(RTLD_NEXT, "gpiod_line_request_get_value"))(request, offset);
}
