// Simulates an input device, a pedal or an encoder, through uinput: hand-device NAME RECORD CODE...
//
//   hand-device 'A Pedal' results/input key:109 key:104
//   hand-device 'An Encoder' results/input rel:0
//
// Executes the lines of standard input, and unplugs the device at its end:
//
//   key CODE 1|0      a key goes down or up
//   rel CODE DETENTS  an axis is moved
//
// Each line becomes one report of the device, and appends a line to RECORD: `NANOSECONDS NAME key|rel CODE VALUE`, or `NANOSECONDS
// NAME plug|unplug`. NAME has `_` instead of blanks. The times are on CLOCK_MONOTONIC, taken just before the write to the kernel. A
// program that reads the device gets them in whole microseconds.

#include <errno.h>
#include <fcntl.h>
#include <linux/uinput.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static FILE *record;
static char name[UINPUT_MAX_NAME_SIZE];

static void check(long result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "hand-device: %s: %s\n", what, strerror(errno));
  exit(1);
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void note(long long instant, const char *what) {
  fprintf(record, "%lld %s %s\n", instant, name, what);
  fflush(record);
}

static void add(int device, const char *argument) {
  char type[4];
  int code;
  if (sscanf(argument, "%3[a-z]:%d", type, &code) != 2) errno = EINVAL, check(-1, argument);
  int is_key = strcmp(type, "key") == 0;
  check(ioctl(device, UI_SET_EVBIT, is_key ? EV_KEY : EV_REL), argument);
  check(ioctl(device, is_key ? UI_SET_KEYBIT : UI_SET_RELBIT, code), argument);
}

static void obey(int device, const char *line) {
  char type[4], what[64];
  int code, value;
  if (sscanf(line, "%3[a-z] %d %d", type, &code, &value) != 3) errno = EINVAL, check(-1, line);
  struct input_event events[2] = {
      {.type = strcmp(type, "key") == 0 ? EV_KEY : EV_REL, .code = (unsigned short)code, .value = value},
      {.type = EV_SYN, .code = SYN_REPORT},
  };
  long long instant = now();
  check(write(device, events, sizeof events), line);
  snprintf(what, sizeof what, "%s %d %d", type, code, value);
  note(instant, what);
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fputs("usage: hand-device NAME RECORD key:CODE|rel:CODE...\n", stderr);
    return 64;
  }
  struct uinput_setup setup = {.id = {.bustype = BUS_USB, .vendor = 1, .product = 1}};
  snprintf(setup.name, sizeof setup.name, "%s", argv[1]);
  snprintf(name, sizeof name, "%s", argv[1]);
  for (char *space = name; (space = strchr(space, ' '));) *space = '_';
  record = fopen(argv[2], "a");
  check(record ? 0 : -1, argv[2]);
  int device = open("/dev/uinput", O_WRONLY | O_CLOEXEC);
  check(device, "/dev/uinput");
  for (int i = 3; i < argc; i++) add(device, argv[i]);
  check(ioctl(device, UI_DEV_SETUP, &setup), "UI_DEV_SETUP");
  check(ioctl(device, UI_DEV_CREATE), "UI_DEV_CREATE");
  note(now(), "plug");
  char line[64];
  while (fgets(line, sizeof line, stdin)) obey(device, line);
  note(now(), "unplug");
  return ioctl(device, UI_DEV_DESTROY) == 0 ? 0 : 1;
}
