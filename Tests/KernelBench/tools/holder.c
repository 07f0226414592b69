// Holds a sound card so that no other program can open it: holder FILE, for example /dev/snd/pcmC1D0p
//
// If the file does not exist, it waits and opens the file first: it has the highest priority, and needs only this file. It prints
// `held`, and holds the card until SIGTERM.

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

static int fail(const char *what) {
  fprintf(stderr, "holder: %s: %s\n", what, strerror(errno));
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fputs("usage: holder FILE\n", stderr);
    return 64;
  }
  struct sched_param highest = {.sched_priority = 99};
  if (sched_setscheduler(0, SCHED_FIFO, &highest) != 0) return fail("SCHED_FIFO");
  char folder[256], event[4096];
  snprintf(folder, sizeof folder, "%s", argv[1]);
  int watch = inotify_init1(0), file;
  if (inotify_add_watch(watch, dirname(folder), IN_CREATE) < 0) return fail(folder);
  while ((file = open(argv[1], O_RDWR | O_NONBLOCK)) < 0) {
    if (errno != ENOENT) return fail(argv[1]);
    if (read(watch, event, sizeof event) < 0) return fail(folder);
  }
  puts("held");
  fflush(stdout);
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigprocmask(SIG_BLOCK, &ends, NULL);
  sigwaitinfo(&ends, NULL);
  return close(file) == 0 ? 0 : 1;
}
