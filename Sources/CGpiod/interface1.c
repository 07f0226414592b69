// libgpiod 1.6: Debian 12, Raspberry Pi OS bookworm.
#include <gpiod.h>

// Only the old header has this macro; the new one has no macro to detect it by.
#ifdef GPIOD_LINE_BULK_MAX_LINES

#include <stdlib.h>

#include "internal.h"

struct cgpiod_chip {
  struct gpiod_chip *chip;
};

struct cgpiod_outputs {
  struct gpiod_chip *chip;
  struct gpiod_line_bulk lines;
  /// In libgpiod 1 all lines of a request share one polarity, so the shim applies it.
  uint64_t active_low;
};

struct cgpiod_buttons {
  struct gpiod_chip *chip;
  unsigned int count;
  struct gpiod_line *lines[CGPIOD_MAX_LINES];
  int descriptors[CGPIOD_MAX_LINES];
  /// The oldest edge of each line that was read but not yet returned: every line has its own queue.
  cgpiod_edge heads[CGPIOD_MAX_LINES];
  bool has_head[CGPIOD_MAX_LINES];
};

const char *cgpiod_version(void) { return gpiod_version_string(); }

cgpiod_chip *cgpiod_chip_open(const char *path, int *error) {
  cgpiod_chip *chip = calloc(1, sizeof *chip);
  if (chip) chip->chip = gpiod_chip_open(path);
  if (chip && chip->chip) return chip;
  *error = errno;
  free(chip);
  return NULL;
}

void cgpiod_chip_close(cgpiod_chip *chip) {
  gpiod_chip_close(chip->chip);
  free(chip);
}

const char *cgpiod_chip_name(const cgpiod_chip *chip) { return gpiod_chip_name(chip->chip); }
const char *cgpiod_chip_label(const cgpiod_chip *chip) { return gpiod_chip_label(chip->chip); }

int cgpiod_chip_line_count(const cgpiod_chip *chip) { return (int)gpiod_chip_num_lines(chip->chip); }

int cgpiod_chip_find_line(const cgpiod_chip *chip, const char *name) {
  struct gpiod_line *line = gpiod_chip_find_line(chip->chip, name);
  return line ? (int)gpiod_line_offset(line) : -errno;
}

int cgpiod_chip_line_name(const cgpiod_chip *chip, unsigned int offset, char *text, size_t size) {
  struct gpiod_line *line = gpiod_chip_get_line(chip->chip, offset);
  if (!line) return -errno;
  cgpiod_copy_text(text, size, gpiod_line_name(line));
  return *text != 0;
}

int cgpiod_chip_line_holder(const cgpiod_chip *chip, unsigned int offset, char *text, size_t size) {
  struct gpiod_line *line = gpiod_chip_get_line(chip->chip, offset);
  if (!line || gpiod_line_update(line) < 0) return -errno;
  cgpiod_copy_text(text, size, gpiod_line_consumer(line));
  return gpiod_line_is_used(line);
}

int cgpiod_chip_line_is_output(const cgpiod_chip *chip, unsigned int offset) {
  struct gpiod_line *line = gpiod_chip_get_line(chip->chip, offset);
  if (!line || gpiod_line_update(line) < 0) return -errno;
  return gpiod_line_direction(line) == GPIOD_LINE_DIRECTION_OUTPUT;
}

struct cgpiod_wires {
  struct gpiod_chip *chip;
  unsigned int count;
  struct gpiod_line *lines[CGPIOD_MAX_LINES];
};

/// The physical values that make these lines active and the others inactive.
static void make_values(const cgpiod_outputs *outputs, uint64_t active, int *values) {
  uint64_t levels = active ^ outputs->active_low;
  for (unsigned int i = 0; i < outputs->lines.num_lines; i++) values[i] = (int)(levels >> i & 1);
}

static int request_outputs(cgpiod_outputs *outputs, unsigned int *offsets, unsigned int count) {
  int values[CGPIOD_MAX_LINES];
  struct gpiod_line_request_config config = {
      .consumer = CGPIOD_CONSUMER, .request_type = GPIOD_LINE_REQUEST_DIRECTION_OUTPUT};
  if (gpiod_chip_get_lines(outputs->chip, offsets, count, &outputs->lines) < 0) return -errno;
  make_values(outputs, 0, values);
  if (gpiod_line_request_bulk(&outputs->lines, &config, values) < 0) return -errno;
  return cgpiod_guard_add(outputs);
}

cgpiod_outputs *cgpiod_outputs_request(
    const char *path, const unsigned int *offsets, unsigned int count, uint64_t active_low, int *error) {
  unsigned int copies[CGPIOD_MAX_LINES];
  *error = cgpiod_check_count(count);
  if (*error) return NULL;
  for (unsigned int i = 0; i < count; i++) copies[i] = offsets[i];
  cgpiod_outputs *outputs = calloc(1, sizeof *outputs);
  if (outputs) outputs->chip = gpiod_chip_open(path);
  if (!outputs || !outputs->chip) {
    *error = errno;
    free(outputs);
    return NULL;
  }
  outputs->active_low = active_low;
  *error = -request_outputs(outputs, copies, count);
  if (*error == 0) return outputs;
  gpiod_chip_close(outputs->chip);
  free(outputs);
  return NULL;
}

int cgpiod_outputs_write(cgpiod_outputs *outputs, uint64_t active) {
  int values[CGPIOD_MAX_LINES];
  make_values(outputs, active, values);
  return gpiod_line_set_value_bulk(&outputs->lines, values) < 0 ? -errno : 0;
}

int cgpiod_outputs_set(cgpiod_outputs *outputs, uint64_t active) {
  return cgpiod_outputs_write_guarded(outputs, active);
}

void cgpiod_outputs_release(cgpiod_outputs *outputs) {
  cgpiod_outputs_write(outputs, 0);
  if (!cgpiod_guard_remove(outputs)) return;
  gpiod_chip_close(outputs->chip);
  free(outputs);
}

static int request_wire(cgpiod_wires *wires, unsigned int offset) {
  struct gpiod_line *line = gpiod_chip_get_line(wires->chip, offset);
  if (!line) return -errno;
  if (gpiod_line_request_output_flags(line, CGPIOD_CONSUMER, GPIOD_LINE_REQUEST_FLAG_OPEN_DRAIN, 1) < 0) return -errno;
  wires->lines[wires->count++] = line;
  return 0;
}

cgpiod_wires *cgpiod_wires_request(const char *path, const unsigned int *offsets, unsigned int count, int *error) {
  *error = cgpiod_check_count(count);
  if (*error) return NULL;
  cgpiod_wires *wires = calloc(1, sizeof *wires);
  if (wires) wires->chip = gpiod_chip_open(path);
  if (!wires || !wires->chip) {
    *error = errno;
    free(wires);
    return NULL;
  }
  // One request for each line: libgpiod 1 sets all lines of a request at once.
  for (unsigned int i = 0; i < count && *error == 0; i++) *error = -request_wire(wires, offsets[i]);
  if (*error == 0) return wires;
  cgpiod_wires_release(wires);
  return NULL;
}

int cgpiod_wires_pull(cgpiod_wires *wires, unsigned int index, bool low) {
  if (index >= wires->count) return -EINVAL;
  return gpiod_line_set_value(wires->lines[index], low ? 0 : 1) < 0 ? -errno : 0;
}

int cgpiod_wires_level(const cgpiod_wires *wires, unsigned int index) {
  if (index >= wires->count) return -EINVAL;
  int value = gpiod_line_get_value(wires->lines[index]);
  return value < 0 ? -errno : value;
}

void cgpiod_wires_release(cgpiod_wires *wires) {
  gpiod_chip_close(wires->chip);
  free(wires);
}

static int flags(const cgpiod_button *button) {
  int polarity = button->active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
  switch (button->bias) {
    case cgpiod_bias_disabled: return polarity | GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
    case cgpiod_bias_pull_up: return polarity | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
    case cgpiod_bias_pull_down: return polarity | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
  }
  return polarity;
}

static int request_button(cgpiod_buttons *buttons, const cgpiod_button *button) {
  struct gpiod_line *line = gpiod_chip_get_line(buttons->chip, button->offset);
  if (!line) return -errno;
  if (gpiod_line_request_both_edges_events_flags(line, CGPIOD_CONSUMER, flags(button)) < 0) return -errno;
  int descriptor = gpiod_line_event_get_fd(line);
  if (descriptor < 0) return -errno;
  buttons->lines[buttons->count] = line;
  buttons->descriptors[buttons->count] = descriptor;
  buttons->count++;
  return 0;
}

cgpiod_buttons *cgpiod_buttons_request(const char *path, const cgpiod_button *wanted, unsigned int count, int *error) {
  *error = cgpiod_check_count(count);
  if (*error) return NULL;
  cgpiod_buttons *buttons = calloc(1, sizeof *buttons);
  if (buttons) buttons->chip = gpiod_chip_open(path);
  if (!buttons || !buttons->chip) {
    *error = errno;
    free(buttons);
    return NULL;
  }
  for (unsigned int i = 0; i < count && *error == 0; i++) *error = -request_button(buttons, &wanted[i]);
  if (*error == 0) return buttons;
  cgpiod_buttons_release(buttons);
  return NULL;
}

void cgpiod_buttons_release(cgpiod_buttons *buttons) {
  gpiod_chip_close(buttons->chip);
  free(buttons);
}

int cgpiod_buttons_descriptors(const cgpiod_buttons *buttons, int *descriptors) {
  for (unsigned int i = 0; i < buttons->count; i++) descriptors[i] = buttons->descriptors[i];
  return (int)buttons->count;
}

static int read_head(cgpiod_buttons *buttons, unsigned int index) {
  struct gpiod_line_event event;
  if (gpiod_line_event_read_fd(buttons->descriptors[index], &event) < 0) return -errno;
  buttons->heads[index] = (cgpiod_edge){
      .nanoseconds = (int64_t)event.ts.tv_sec * 1000000000 + event.ts.tv_nsec,
      .index = index,
      .active = event.event_type == GPIOD_LINE_EVENT_RISING_EDGE,
  };
  buttons->has_head[index] = true;
  return 1;
}

/// Reads the oldest edge of every line without a head. Returns how many edges were read.
static int read_heads(cgpiod_buttons *buttons) {
  int found = 0;
  for (unsigned int i = 0; i < buttons->count; i++) {
    if (buttons->has_head[i]) continue;
    int result = cgpiod_is_readable(buttons->descriptors[i]);
    if (result > 0) result = read_head(buttons, i);
    if (result < 0) return result;
    found += result;
  }
  return found;
}

int cgpiod_buttons_next(cgpiod_buttons *buttons, cgpiod_edge *edge) {
  int found = read_heads(buttons);
  // An earlier edge may have arrived on a line that was polled before the one whose edge was found.
  if (found > 0) found = read_heads(buttons);
  if (found < 0) return found;
  int oldest = -1;
  for (unsigned int i = 0; i < buttons->count; i++) {
    if (!buttons->has_head[i]) continue;
    if (oldest < 0 || buttons->heads[i].nanoseconds < buttons->heads[oldest].nanoseconds) oldest = (int)i;
  }
  if (oldest < 0) return 0;
  *edge = buttons->heads[oldest];
  buttons->has_head[oldest] = false;
  return 1;
}

int cgpiod_buttons_level(const cgpiod_buttons *buttons, unsigned int index) {
  if (index >= buttons->count) return -EINVAL;
  int value = gpiod_line_get_value(buttons->lines[index]);
  return value < 0 ? -errno : value;
}

#endif
