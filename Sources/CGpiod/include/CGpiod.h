/// GPIO through libgpiod, whichever of its two incompatible interfaces (1.6 or 2) the system has.
///
/// Nothing of libgpiod's own types appears here. Functions that can fail answer with a negative error number; those that
/// make something answer NULL and store the error number, positive. Text is cut to the size it is given.
#ifndef METRONOME_CGPIOD_H
#define METRONOME_CGPIOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// As many lines as one request may hold: the kernel's own limit.
#define CGPIOD_MAX_LINES 64
/// Room for any name the kernel keeps of a line, a chip or a holder (31 bytes), and its terminating zero.
#define CGPIOD_NAME_SIZE 33

typedef struct cgpiod_chip cgpiod_chip;
typedef struct cgpiod_outputs cgpiod_outputs;
typedef struct cgpiod_buttons cgpiod_buttons;

/// libgpiod's version, as "1.6.3".
const char *cgpiod_version(void);

// A chip, looked at.

cgpiod_chip *cgpiod_chip_open(const char *path, int *error);
void cgpiod_chip_close(cgpiod_chip *chip);
/// The kernel's name, as "gpiochip0". Valid until the chip is closed, like the label.
const char *cgpiod_chip_name(const cgpiod_chip *chip);
/// What the chip is, as "pinctrl-bcm2711".
const char *cgpiod_chip_label(const cgpiod_chip *chip);
int cgpiod_chip_line_count(const cgpiod_chip *chip);
/// The offset of the first line of this name; -ENOENT if there is none.
int cgpiod_chip_find_line(const cgpiod_chip *chip, const char *name);
/// Stores a line's name, empty if it has none.
int cgpiod_chip_line_name(const cgpiod_chip *chip, unsigned int offset, char *text, size_t size);
/// 1 if something holds the line, 0 if not. Stores who: empty if the kernel does not say.
int cgpiod_chip_line_holder(const cgpiod_chip *chip, unsigned int offset, char *text, size_t size);
/// 1 if the line is an output, 0 if it is an input.
int cgpiod_chip_line_is_output(const cgpiod_chip *chip, unsigned int offset);

// Outputs, held together.

/// Requests lines as outputs, all inactive, with the consumer "metronome".
///
/// Bit n of `active_low` says that line n of the list is active at the low level. Until they are released the lines are
/// guarded (see below).
cgpiod_outputs *cgpiod_outputs_request(
    const char *path, const unsigned int *offsets, unsigned int count, uint64_t active_low, int *error);
/// Makes line n of the list active if bit n is set and inactive if not: all lines in one call to the kernel.
int cgpiod_outputs_set(cgpiod_outputs *outputs, uint64_t active);
/// Makes all lines inactive and gives them back.
void cgpiod_outputs_release(cgpiod_outputs *outputs);

// Buttons: inputs whose edges the kernel keeps, stamped with CLOCK_MONOTONIC.

enum cgpiod_bias { cgpiod_bias_disabled, cgpiod_bias_pull_up, cgpiod_bias_pull_down };

typedef struct {
  unsigned int offset;
  bool active_low;
  enum cgpiod_bias bias;
} cgpiod_button;

typedef struct {
  int64_t nanoseconds;
  /// Which of the buttons, by its place in the list.
  unsigned int index;
  /// Whether the line became active.
  bool active;
} cgpiod_edge;

cgpiod_buttons *cgpiod_buttons_request(
    const char *path, const cgpiod_button *buttons, unsigned int count, int *error);
void cgpiod_buttons_release(cgpiod_buttons *buttons);
/// Stores the descriptors that become readable when there are edges, `CGPIOD_MAX_LINES` at the most. Answers how many.
int cgpiod_buttons_descriptors(const cgpiod_buttons *buttons, int *descriptors);
/// Stores the oldest edge not yet read. Answers 1, or 0 if there is none. Never waits.
int cgpiod_buttons_next(cgpiod_buttons *buttons, cgpiod_edge *edge);
/// 1 if the line is active now, 0 if not.
int cgpiod_buttons_level(const cgpiod_buttons *buttons, unsigned int index);

// The guard: no way out that a process can catch leaves an output active.

/// Sees to it that the guarded outputs are made inactive by exit() and by every signal that would end the process, which
/// then ends by that signal; a fault is first handed to whoever handled it before, as Swift's backtracer. SIGTERM, SIGINT
/// and SIGHUP are left to the program, ignored signals are left ignored, and the two that the C library keeps to itself
/// (32 and 33) nobody can guard. From then on a terminal's stop signals are ignored. To be called once, from the main
/// thread; other threads need a signal stack of their own to survive an overflow of theirs for so long.
int cgpiod_guard_install(void);
/// Makes all guarded outputs inactive and refuses to set any of them from then on. Async-signal-safe.
void cgpiod_guard_darken(void);

#endif
