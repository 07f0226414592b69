// Preloaded: reports the state that is certainly on the disk. After each fsync of the state folder it prints to standard error
// one line: `acknowledged` and the whole state file, with `;` for the ends of its lines.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void acknowledge(int folder) {
  char text[2000] = "acknowledged ";
  size_t begun = strlen(text);
  int state = openat(folder, "state", O_RDONLY | O_CLOEXEC);
  if (state < 0) return;
  ssize_t count = read(state, text + begun, sizeof text - begun - 2);
  close(state);
  if (count <= 0) return;
  size_t length = begun + (size_t)count;
  for (size_t place = 0; place < length; place++)
    if (text[place] == '\n') text[place] = ';';
  text[length++] = '\n';
  if (write(2, text, length) < 0) _exit(99);
}

int fsync(int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  int result = real(file);
  struct stat status;
  if (result == 0 && fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) acknowledge(file);
  return result;
}
