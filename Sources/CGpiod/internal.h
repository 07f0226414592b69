// What the parts of the shim share.
#ifndef METRONOME_CGPIOD_INTERNAL_H
#define METRONOME_CGPIOD_INTERNAL_H

#include <stdatomic.h>

#include "CGpiod.h"

#define CGPIOD_CONSUMER "metronome"

/// Set by the guard: no output may be made active any more.
extern atomic_bool cgpiod_guard_is_closed;

/// Puts outputs under the guard; -ENOSPC when there are too many of them.
int cgpiod_guard_add(cgpiod_outputs *outputs);
/// Answers whether the outputs may be freed. When the guard is closed they may not: the process ends, and a signal handler on
/// another thread may be writing to them.
bool cgpiod_guard_remove(cgpiod_outputs *outputs);

/// Writes the lines' levels, guarded or not. Async-signal-safe: both libraries fill a structure on the stack and make one
/// ioctl of it.
int cgpiod_outputs_write(cgpiod_outputs *outputs, uint64_t active);

void cgpiod_copy_text(char *to, size_t size, const char *from);

/// Whether a descriptor can be read without waiting: 1, 0, or a negative error number (-ENODEV when the chip is gone).
int cgpiod_is_readable(int descriptor);

#endif
