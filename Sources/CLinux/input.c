#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <linux/major.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int answer(int result) { return result < 0 ? -errno : result; }

int clinux_input_open(const char *path, bool grabs) {
  // Other devices do things when they are opened: a watchdog would begin to wait for its food.
  struct stat status;
  if (stat(path, &status) < 0) return -errno;
  if (!S_ISCHR(status.st_mode) || major(status.st_rdev) != INPUT_MAJOR) return -ENOTTY;
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return -errno;
  int clock = CLOCK_MONOTONIC;
  int result = answer(ioctl(descriptor, EVIOCSCLOCKID, &clock));
  if (result >= 0 && grabs) result = answer(ioctl(descriptor, EVIOCGRAB, 1));
  if (result >= 0) return descriptor;
  close(descriptor);
  return result == -EINVAL ? -ENOTTY : result;
}

int clinux_input_name(int descriptor, char *name, size_t size) {
  int count = answer(ioctl(descriptor, EVIOCGNAME(size), name));
  return count > 0 && name[count - 1] == 0 ? count - 1 : count;
}

int clinux_input_read(int descriptor, struct clinux_input_event *events, size_t capacity) {
  struct input_event raw[64];
  size_t most = sizeof raw / sizeof raw[0];
  ssize_t count;
  do {
    count = read(descriptor, raw, (capacity < most ? capacity : most) * sizeof raw[0]);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return errno == EAGAIN ? 0 : -errno;
  int number = (int)((size_t)count / sizeof raw[0]);
  for (int i = 0; i < number; i++) {
    events[i] = (struct clinux_input_event){
        .nanoseconds = (int64_t)raw[i].input_event_sec * 1000000000 + (int64_t)raw[i].input_event_usec * 1000,
        .type = raw[i].type,
        .code = raw[i].code,
        .value = raw[i].value,
    };
  }
  return number;
}

int clinux_input_codes(int descriptor, unsigned type, uint8_t *bits, size_t size) {
  return answer(ioctl(descriptor, EVIOCGBIT(type, size), bits));
}

int clinux_input_keys_down(int descriptor, uint8_t *bits, size_t size) {
  return answer(ioctl(descriptor, EVIOCGKEY(size), bits));
}
