// The receiving end of a service manager: manager SOCKET. Binds the socket and prints each message as one line, with its time in
// nanoseconds of CLOCK_MONOTONIC and the message's lines joined by `|`. Runs until SIGTERM.

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int fail(const char *what) {
  fprintf(stderr, "manager: %s: %s\n", what, strerror(errno));
  return 1;
}

int main(int argc, char **argv) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (argc != 2 || strlen(argv[1]) >= sizeof address.sun_path) {
    fprintf(stderr, "usage: manager SOCKET\n");
    return 64;
  }
  strcpy(address.sun_path, argv[1]);
  int receiver = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (receiver < 0) return fail("socket");
  unlink(argv[1]);
  if (bind(receiver, (struct sockaddr *)&address, sizeof address) < 0) return fail("bind");
  setlinebuf(stdout);
  for (;;) {
    char text[4096];
    ssize_t size = recv(receiver, text, sizeof text - 1, 0);
    if (size < 0) return fail("recv");
    text[size] = 0;
    for (char *c = text; *c; c++)
      if (*c == '\n') *c = '|';
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%lld %s\n", now.tv_sec * 1000000000LL + now.tv_nsec, text);
  }
}
