// Stops one thread of a process while the others run: freeze-thread PID NAME
//
// Prints `frozen`, and keeps the thread stopped until the process or this program ends; then the thread goes on. The main thread
// has the name of the process. It uses ptrace, as a debugger does, because SIGSTOP would stop all threads.

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

static void check(long result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "freeze-thread: %s: %s\n", what, strerror(errno));
  exit(1);
}

// The thread of this name, or 0.
static int find(const char *process, const char *name) {
  char path[300], found[32];
  snprintf(path, sizeof path, "/proc/%s/task", process);
  DIR *tasks = opendir(path);
  check(tasks ? 0 : -1, path);
  for (struct dirent *task; (task = readdir(tasks));) {
    // `..` has the name of the process, too.
    if (task->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%s/task/%s/comm", process, task->d_name);
    FILE *file = fopen(path, "r");
    int matches = file && fgets(found, sizeof found, file) && strcmp(strtok(found, "\n"), name) == 0;
    if (file) fclose(file);
    if (matches) return atoi(task->d_name);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fputs("usage: freeze-thread PID NAME\n", stderr);
    return 64;
  }
  int thread = find(argv[1], argv[2]), status;
  if (thread == 0) errno = ESRCH, check(-1, argv[2]);
  check(ptrace(PTRACE_SEIZE, thread, 0, 0), "PTRACE_SEIZE");
  check(ptrace(PTRACE_INTERRUPT, thread, 0, 0), "PTRACE_INTERRUPT");
  check(waitpid(thread, &status, __WALL), "waitpid");
  puts("frozen");
  fflush(stdout);
  // The thread is never resumed, so the next event is its end.
  while (waitpid(thread, &status, __WALL) == thread && !WIFEXITED(status) && !WIFSIGNALED(status)) continue;
  puts("ended");
  return 0;
}
