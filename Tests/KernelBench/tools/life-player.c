// Plays a life: presses contacts, sends commands to the control socket, reloads the configuration, and ends the program, each at
// its instant.
//
//   life-player PROCESS HEADER SOCKET CONFIGURATION < EVENTS
//
// PROCESS is the program, HEADER the folder of the simulated lines. Each line of EVENTS has nanoseconds since the beginning and an
// event:
//
//   contact LINE closed|open     the contact between this line and ground
//   do AGO COMMAND               a command that was given this number of nanoseconds before
//   reload FILE                  the file becomes the configuration, and the program gets SIGHUP
//   end                          SIGTERM
//
// Prints a line for each event but contacts, whose edges the kernel records: its instant on CLOCK_MONOTONIC in nanoseconds, and the
// event; and the program's answers to the commands on standard error.

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char *header, *configuration;
static pid_t program;
static int control;

static void die(const char *what) {
  fprintf(stderr, "life-player: %s: %s\n", what, strerror(errno));
  exit(1);
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void wait_until(long long nanoseconds) {
  struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {
  }
}

static void print_answers(int flags) {
  char text[4097];
  ssize_t length;
  while ((length = recv(control, text, sizeof text - 1, flags)) > 0) {
    fprintf(stderr, "%.*s\n", (int)length, text);
    flags |= MSG_DONTWAIT;
  }
}

static void connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  control = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  if (control < 0 || connect(control, (struct sockaddr *)&address, sizeof address) < 0) die(path);
  if (send(control, "hello v=1", 9, MSG_NOSIGNAL) != 9) die("hello");
  print_answers(0);
}

static void touch(int line, int is_closed) {
  char path[512];
  snprintf(path, sizeof path, "%s/sim_gpio%d/pull", header, line);
  int file = open(path, O_WRONLY);
  const char *pull = is_closed ? "pull-down" : "pull-up";
  if (file < 0 || write(file, pull, strlen(pull)) < 0) die(path);
  close(file);
}

static void command(long long ago, const char *words) {
  char text[2048];
  long long at = now();
  printf("%lld do %lld %s\n", at, ago, words);
  snprintf(text, sizeof text, "do command=\"%s\" at=%lld", words, at - ago);
  print_answers(MSG_DONTWAIT);
  if (send(control, text, strlen(text), MSG_NOSIGNAL) < 0) die("send");
}

static void reload(const char *file) {
  unlink("next");
  if (link(file, "next") < 0 || rename("next", configuration) < 0) die(file);
  printf("%lld reload %s\n", now(), file);
  kill(program, SIGHUP);
}

int main(int count, char **words) {
  if (count != 5) return 64;
  program = atoi(words[1]), header = words[2], configuration = words[4];
  prctl(PR_SET_TIMERSLACK, 1UL);
  connect_to(words[3]);
  long long begin = now(), time, ago;
  char line[1024], text[1024], state[8];
  int gpio, place;
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "%lld %n", &time, &place) != 1) die(line);
    const char *event = line + place;
    wait_until(begin + time);
    if (sscanf(event, "contact %d %7s", &gpio, state) == 2) touch(gpio, !strcmp(state, "closed"));
    else if (sscanf(event, "do %lld %1023[^\n]", &ago, text) == 2) command(ago, text);
    else if (sscanf(event, "reload %1023s", text) == 1) reload(text);
    else if (!strcmp(event, "end")) {
      printf("%lld end\n", now());
      kill(program, SIGTERM);
      return 0;
    } else die(line);
  }
  return 1;
}
