/// GPIO through libgpiod, whichever of its two incompatible interfaces (1.6 or 2) the system has.
///
/// No libgpiod types appear here. Functions that can fail return a negative error number; those that create an object return
/// NULL and store a positive error number. Text is truncated to the given size.
#ifndef METRONOME_CGPIOD_H
#define METRONOME_CGPIOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The largest number of lines in one request: the kernel's limit.
#define CGPIOD_MAX_LINES 64
/// Enough for the name of a line or its consumer: the kernel's field of 32 bytes, and a NUL even if the field has none.
#define CGPIOD_NAME_SIZE 33

typedef struct cgpiod_chip cgpiod_chip;
typedef struct cgpiod_outputs cgpiod_outputs;
typedef struct cgpiod_buttons cgpiod_buttons;
typedef struct cgpiod_wires cgpiod_wires;

/// libgpiod's version, such as "1.6.3".
const char *cgpiod_version(void);

// A chip, opened for inspection.

cgpiod_chip *cgpiod_chip_open(const char *path, int *error);
void cgpiod_chip_close(cgpiod_chip *chip);
/// The kernel's name, such as "gpiochip0". Valid until the chip is closed, like the label.
const char *cgpiod_chip_name(const cgpiod_chip *chip);
/// The label, such as "pinctrl-bcm2711".
const char *cgpiod_chip_label(const cgpiod_chip *chip);
int cgpiod_chip_line_count(const cgpiod_chip *chip);
/// The offset of the first line of this name; -ENOENT if no line has it.
int cgpiod_chip_find_line(const cgpiod_chip *chip, const char *name);
/// Stores a line's name. Returns 1 if it has one, 0 if not.
int cgpiod_chip_line_name(const cgpiod_chip *chip, unsigned int offset, char *text, size_t size);
/// Returns 1 if the line is in use, 0 if not. Stores the consumer; empty if the kernel does not name it.
int cgpiod_chip_line_holder(const cgpiod_chip *chip, unsigned int offset, char *text, size_t size);
/// 1 if the line is an output, 0 if it is an input.
int cgpiod_chip_line_is_output(const cgpiod_chip *chip, unsigned int offset);

// Outputs, requested together.

/// Requests lines as outputs, all inactive, with the consumer "metronome", guarded (see below) until they are released.
/// Bit n of `active_low` makes line n of the list active-low.
cgpiod_outputs *cgpiod_outputs_request(
    const char *path, const unsigned int *offsets, unsigned int count, uint64_t active_low, int *error);
/// Makes line n of the list active if bit n is set, inactive if not; all lines in one system call.
int cgpiod_outputs_set(cgpiod_outputs *outputs, uint64_t active);
/// Makes all lines inactive and releases them.
void cgpiod_outputs_release(cgpiod_outputs *outputs);

// Buttons: inputs whose edges the kernel queues, with CLOCK_MONOTONIC timestamps.

enum cgpiod_bias { cgpiod_bias_disabled, cgpiod_bias_pull_up, cgpiod_bias_pull_down };

typedef struct {
  unsigned int offset;
  bool active_low;
  enum cgpiod_bias bias;
} cgpiod_button;

typedef struct {
  int64_t nanoseconds;
  /// The button's index in the list.
  unsigned int index;
  /// Whether the line became active.
  bool active;
} cgpiod_edge;

cgpiod_buttons *cgpiod_buttons_request(const char *path, const cgpiod_button *buttons, unsigned int count, int *error);
void cgpiod_buttons_release(cgpiod_buttons *buttons);
/// Stores the descriptors that become readable when edges are queued, at most `CGPIOD_MAX_LINES`. Returns how many.
int cgpiod_buttons_descriptors(const cgpiod_buttons *buttons, int *descriptors);
/// Stores the oldest unread edge. Returns 1, or 0 if there is none. Never blocks.
int cgpiod_buttons_next(cgpiod_buttons *buttons, cgpiod_edge *edge);
/// 1 if the line is active now, 0 if not.
int cgpiod_buttons_level(const cgpiod_buttons *buttons, unsigned int index);

// Open-drain lines, each set alone, by one thread at a time. The guard does not release them: on some kernels a line stays low after the
// process has ended, which does no harm.

/// Requests 1 to `CGPIOD_MAX_LINES` lines as open-drain outputs, all released, with the consumer "metronome".
cgpiod_wires *cgpiod_wires_request(const char *path, const unsigned int *offsets, unsigned int count, int *error);
/// Pulls line `index` of the list low, or releases it.
int cgpiod_wires_pull(cgpiod_wires *wires, unsigned int index, bool low);
/// 1 if the line is high now, 0 if it is low.
int cgpiod_wires_level(const cgpiod_wires *wires, unsigned int index);
void cgpiod_wires_release(cgpiod_wires *wires);

// The guard: no exit that a process can catch leaves an output active.

/// Makes the guarded outputs inactive on exit() and on every signal that would end the process. The process then ends by that
/// signal; a fault is first passed to its former handler, such as Swift's backtracer.
///
/// Not guarded: SIGTERM, SIGINT and SIGHUP (the program handles them), ignored signals, and signals 32 and 33 of the C library.
/// Terminal stop signals are ignored from then on.
/// Call this function once, on the main thread.
/// Another thread's stack overflow is handled only if that thread has an alternate signal stack.
int cgpiod_guard_install(void);
/// Makes all guarded outputs inactive and refuses to set any of them from then on. Async-signal-safe.
void cgpiod_guard_darken(void);

#endif
