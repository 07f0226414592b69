/// Event devices through libevdev. Functions return a negative error number when they fail.
#ifndef METRONOME_CEVDEV_H
#define METRONOME_CEVDEV_H

#include <stdbool.h>
#include <stdint.h>
// By its full path, so that no compiler flag is needed.
#include <libevdev-1.0/libevdev/libevdev.h>

/// The result of `cevdev_next`.
enum cevdev_news { cevdev_none, cevdev_event, cevdev_loss };

/// Opens an event device for non-blocking reading with CLOCK_MONOTONIC timestamps, and grabs it if `grabs`. Returns -ENOTTY for
/// a file that is not an event device, without opening it; -EBUSY if another program has grabbed the device.
int cevdev_open(const char *path, bool grabs, struct libevdev **device);
void cevdev_close(struct libevdev *device);

/// Reads the next event. Never blocks. `cevdev_loss`: the kernel's queue overflowed, libevdev has resynchronised the key
/// states, and the timestamp is that of the overflow. Timestamps are in whole microseconds, rounded down.
int cevdev_next(struct libevdev *device, struct input_event *event, int64_t *nanoseconds);

#endif
