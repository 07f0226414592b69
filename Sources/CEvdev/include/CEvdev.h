/// Event devices through libevdev.
///
/// Functions answer with a negative error number when they fail.
#ifndef METRONOME_CEVDEV_H
#define METRONOME_CEVDEV_H

#include <stdbool.h>
#include <stdint.h>
// By its full path: nothing else of that folder is needed, and no flag of the compiler.
#include <libevdev-1.0/libevdev/libevdev.h>

/// What `cevdev_next` has read.
enum cevdev_news { cevdev_none, cevdev_event, cevdev_loss };

/// Opens an event device for reading that never waits, stamped by CLOCK_MONOTONIC, for this program alone if `grabs`. -ENOTTY
/// for a file that is none, without opening it; -EBUSY if another program has it for itself.
int cevdev_open(const char *path, bool grabs, struct libevdev **device);
void cevdev_close(struct libevdev *device);

/// Reads the next event. After `cevdev_loss`, for events that the kernel had no room for, libevdev knows again where all keys
/// are; the stamp is that of the loss. Never waits. The kernel stamps in whole microseconds, rounded down.
int cevdev_next(struct libevdev *device, struct input_event *event, int64_t *nanoseconds);

#endif
