#define _GNU_SOURCE
#include "CEvdev.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/major.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

int cevdev_open(const char *path, bool grabs, struct libevdev **device) {
  // Opening other devices can have side effects: a watchdog would start.
  struct stat status;
  if (stat(path, &status) < 0) return -errno;
  if (!S_ISCHR(status.st_mode) || major(status.st_rdev) != INPUT_MAJOR) return -ENOTTY;
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return -errno;
  // The caller reports errors; libevdev must not print them too.
  libevdev_set_log_function(NULL, NULL);
  int result = libevdev_new_from_fd(descriptor, device);
  if (result < 0) {
    close(descriptor);
    return result == -EINVAL ? -ENOTTY : result;
  }
  result = libevdev_set_clock_id(*device, CLOCK_MONOTONIC);
  if (result == 0 && grabs) result = libevdev_grab(*device, LIBEVDEV_GRAB);
  if (result == 0) return 0;
  cevdev_close(*device);
  return result;
}

void cevdev_close(struct libevdev *device) {
  int descriptor = libevdev_get_fd(device);
  libevdev_free(device);
  close(descriptor);
}

int cevdev_next(struct libevdev *device, struct input_event *event, int64_t *nanoseconds) {
  int result;
  do {
    result = libevdev_next_event(device, LIBEVDEV_READ_FLAG_NORMAL, event);
  } while (result == -EINTR);
  if (result == -EAGAIN) return cevdev_none;
  if (result < 0) return result;
  *nanoseconds = (int64_t)event->input_event_sec * 1000000000 + (int64_t)event->input_event_usec * 1000;
  if (result == LIBEVDEV_READ_STATUS_SUCCESS) return cevdev_event;
  struct input_event difference;
  do {
    result = libevdev_next_event(device, LIBEVDEV_READ_FLAG_SYNC, &difference);
  } while (result == LIBEVDEV_READ_STATUS_SYNC || result == -EINTR);
  return result < 0 && result != -EAGAIN ? result : cevdev_loss;
}
