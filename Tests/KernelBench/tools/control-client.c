// A client of the control socket, well-behaved or not.
//
//   control-client SOCKET do MARKER WORD...    carries out a command at the present instant, which it writes to the trace marker
//                                              MARKER before, and prints the answer
//   control-client SOCKET ask MESSAGE          sends a message, and prints the answers up to "done" or "refused"
//   control-client SOCKET flood COUNT PAUSE    sends COUNT messages in groups of 100, one per PAUSE µs on average: garbage, half
//                                              messages and whole ones, most of them invalid. Reads the answers, and prints how many messages
//                                              were sent, how many answers arrived, and whether the connection is still open
//   control-client SOCKET crowd COUNT SECONDS  opens COUNT connections, keeps those that stay open for this time, and prints how many
//                                              of them the server has closed by then
//   control-client SOCKET deaf SECONDS         subscribes to everything, never reads, sends requests, and prints whether the server
//                                              has closed the connection by then

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char *path;

static void die(const char *what) {
  fprintf(stderr, "control-client: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

// A connection, or -1.
static int open_connection(int flags) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) die("path too long");
  strcpy(address.sun_path, path);
  int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | flags, 0);
  if (descriptor < 0) die("socket");
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
  close(descriptor);
  return -1;
}

static int send_text(int descriptor, const char *text) {
  return send(descriptor, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text);
}

static void receive(int descriptor, char *text, size_t size) {
  ssize_t count = recv(descriptor, text, size - 1, 0);
  if (count <= 0) die("no answer");
  text[count] = 0;
}

static int connect_and_greet(void) {
  char text[4097];
  int descriptor = open_connection(0);
  if (descriptor < 0) die(path);
  if (!send_text(descriptor, "hello v=1")) die("hello");
  receive(descriptor, text, sizeof text);
  return descriptor;
}

static int carry_out(int count, char **words) {
  char command[512] = "", text[4097], mark[600];
  for (int word = 1; word < count; word++) {
    if (word > 1) strcat(command, " ");
    if (strlen(command) + strlen(words[word]) + 2 > sizeof command) die("command too long");
    strcat(command, words[word]);
  }
  int descriptor = connect_and_greet();
  int marker = open(words[0], O_WRONLY);
  if (marker < 0) die(words[0]);
  int length = snprintf(mark, sizeof mark, "bench elsewhere %s", command);
  if (write(marker, mark, length) != length) die("mark");
  snprintf(text, sizeof text, "do command=\"%s\" at=%lld", command, (long long)now());
  if (!send_text(descriptor, text)) die("send");
  receive(descriptor, text, sizeof text);
  puts(text);
  return 0;
}

static int ask(const char *message) {
  char text[4097];
  int descriptor = connect_and_greet();
  if (!send_text(descriptor, message)) die("send");
  do {
    receive(descriptor, text, sizeof text);
    puts(text);
    fflush(stdout);
  } while (strncmp(text, "done", 4) && strncmp(text, "refused", 7));
  return 0;
}

// Whether the other end has closed the connection. Discards what can be read.
static int is_closed(int descriptor) {
  char text[4097];
  for (;;) {
    ssize_t count = recv(descriptor, text, sizeof text, MSG_DONTWAIT);
    if (count > 0) continue;
    return count == 0 || errno != EAGAIN;
  }
}

static int flood(int count, int pause) {
  static const char *const messages[] = {
      "do command=\"tempo 1000\"", "do command=", "presets", "hello v=1", "=", "\"", "source epoch=1", "subscribe to=all",
      "preset action=save name=\"a", "song id=99999999999", "\xff\xfe\x80", "do command=\"store 129\"",
      "do command=\"tempo 1000\" at=1 id=4", "source epoch=7 quarter=1 at-raw=1 us-per-quarter=451128 playing=1 peers=2",
  };
  char text[4097];
  uint32_t seed = 1;
  int sent = 0, answers = 0, descriptor = connect_and_greet();
  struct timespec wait = {.tv_nsec = pause * 100000L};
  for (int number = 0; number < count; number++) {
    size_t length = 0;
    seed = seed * 1664525 + 1013904223;
    if (seed >> 31) {
      length = (seed >> 8) % 2000;
      for (size_t at = 0; at < length; at++) text[at] = (char)((seed = seed * 1664525 + 1013904223) >> 24);
    } else {
      strcpy(text, messages[(seed >> 8) % (sizeof messages / sizeof *messages)]);
      length = strlen(text);
      seed = seed * 1664525 + 1013904223;
      if (seed >> 31) length = (seed >> 8) % (length + 1);
    }
    if (length && send(descriptor, text, length, MSG_NOSIGNAL | MSG_DONTWAIT) > 0) sent++;
    if (number % 100 != 99) continue;
    while (recv(descriptor, text, sizeof text, MSG_DONTWAIT) > 0) answers++;
    nanosleep(&wait, NULL);
  }
  printf("%d %d %s\n", sent, answers, is_closed(descriptor) ? "closed" : "open");
  return 0;
}

static int crowd(int count, int seconds) {
  int *descriptors = calloc(count, sizeof *descriptors), closed = 0, refused = 0;
  if (!descriptors) die("memory");
  for (int number = 0; number < count; number++) {
    descriptors[number] = open_connection(SOCK_NONBLOCK);
    if (descriptors[number] < 0) refused++;
  }
  sleep(seconds);
  for (int number = 0; number < count; number++)
    if (descriptors[number] >= 0 && is_closed(descriptors[number])) closed++;
  printf("%d %d\n", count - refused, closed);
  return 0;
}

static int deaf(int seconds) {
  int descriptor = connect_and_greet();
  if (!send_text(descriptor, "subscribe to=state,timeline,pairing,wishes")) die("subscribe");
  for (int64_t end = now() + seconds * INT64_C(1000000000); now() < end;) {
    struct pollfd hangup = {.fd = descriptor};
    if (poll(&hangup, 1, 100) > 0 && hangup.revents & POLLHUP) {
      puts("closed");
      return 0;
    }
    send(descriptor, "presets", 7, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  puts("open");
  return 0;
}

int main(int count, char **words) {
  path = count > 1 ? words[1] : "";
  if (count > 4 && !strcmp(words[2], "do")) return carry_out(count - 3, words + 3);
  if (count == 4 && !strcmp(words[2], "ask")) return ask(words[3]);
  if (count == 5 && !strcmp(words[2], "flood")) return flood(atoi(words[3]), atoi(words[4]));
  if (count == 5 && !strcmp(words[2], "crowd")) return crowd(atoi(words[3]), atoi(words[4]));
  if (count == 4 && !strcmp(words[2], "deaf")) return deaf(atoi(words[3]));
  fprintf(stderr, "usage: control-client SOCKET do MARKER WORD... | ask MESSAGE | flood COUNT PAUSE | crowd COUNT SECONDS | deaf SECONDS\n");
  return 64;
}
