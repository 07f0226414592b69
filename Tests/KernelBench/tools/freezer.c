// Stops one thread of a process, and no other: freezer PID NAME, until SIGTERM, when it goes on.
//
// A debugger's way: SIGSTOP would stop all of them.

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int fail(const char *what) {
  fprintf(stderr, "freezer: %s: %s\n", what, strerror(errno));
  return 1;
}

/// The thread of this name, or 0.
static pid_t find(const char *process, const char *name) {
  char path[300], found[32];
  snprintf(path, sizeof path, "/proc/%s/task", process);
  DIR *threads = opendir(path);
  if (!threads) return 0;
  for (struct dirent *entry; (entry = readdir(threads));) {
    snprintf(path, sizeof path, "/proc/%s/task/%.20s/comm", process, entry->d_name);
    FILE *file = fopen(path, "r");
    if (!file) continue;
    int is_it = fgets(found, sizeof found, file) && strcspn(found, "\n") == strlen(name) &&
                strncmp(found, name, strlen(name)) == 0;
    fclose(file);
    if (is_it) return atoi(entry->d_name);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: freezer PID NAME\n");
    return 64;
  }
  pid_t thread = find(argv[1], argv[2]);
  if (!thread) return errno = ESRCH, fail(argv[2]);
  if (ptrace(PTRACE_SEIZE, thread, 0, 0) < 0) return fail("ptrace");
  if (ptrace(PTRACE_INTERRUPT, thread, 0, 0) < 0) return fail("ptrace");
  if (waitpid(thread, NULL, __WALL) < 0) return fail("waitpid");
  puts("frozen");
  fflush(stdout);
  // At the end of its tracer the thread goes on.
  pause();
}
