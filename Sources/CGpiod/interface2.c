// libgpiod 2: Debian 13, Raspberry Pi OS trixie.
#include <gpiod.h>

// Only the old header has this macro; the new one has no macro to detect it by.
#ifndef GPIOD_LINE_BULK_MAX_LINES

#include <stdlib.h>

#include "internal.h"

#define EDGES_MAX 64

struct cgpiod_chip {
  struct gpiod_chip *chip;
  struct gpiod_chip_info *info;
};

struct cgpiod_outputs {
  struct gpiod_line_request *request;
  unsigned int count;
  /// The shim applies the polarity, as with interface 1, so that both interfaces behave in the same way.
  uint64_t active_low;
};

struct cgpiod_wires {
  struct gpiod_line_request *request;
  unsigned int count;
  unsigned int offsets[CGPIOD_MAX_LINES];
};

struct cgpiod_buttons {
  struct gpiod_line_request *request;
  unsigned int count;
  unsigned int offsets[CGPIOD_MAX_LINES];
  struct gpiod_edge_event_buffer *buffer;
  /// The edges of the last read that are not yet returned, oldest first.
  cgpiod_edge edges[EDGES_MAX];
  unsigned int edge_count;
  unsigned int next_edge;
};

const char *cgpiod_version(void) { return gpiod_api_version(); }

cgpiod_chip *cgpiod_chip_open(const char *path, int *error) {
  cgpiod_chip *chip = calloc(1, sizeof *chip);
  if (chip) chip->chip = gpiod_chip_open(path);
  if (chip && chip->chip) chip->info = gpiod_chip_get_info(chip->chip);
  if (chip && chip->info) return chip;
  *error = errno;
  if (chip && chip->chip) gpiod_chip_close(chip->chip);
  free(chip);
  return NULL;
}

void cgpiod_chip_close(cgpiod_chip *chip) {
  gpiod_chip_info_free(chip->info);
  gpiod_chip_close(chip->chip);
  free(chip);
}

const char *cgpiod_chip_name(const cgpiod_chip *chip) { return gpiod_chip_info_get_name(chip->info); }
const char *cgpiod_chip_label(const cgpiod_chip *chip) { return gpiod_chip_info_get_label(chip->info); }

int cgpiod_chip_line_count(const cgpiod_chip *chip) { return (int)gpiod_chip_info_get_num_lines(chip->info); }

int cgpiod_chip_find_line(const cgpiod_chip *chip, const char *name) {
  int offset = gpiod_chip_get_line_offset_from_name(chip->chip, name);
  return offset < 0 ? -errno : offset;
}

int cgpiod_chip_line_name(const cgpiod_chip *chip, unsigned int offset, char *text, size_t size) {
  struct gpiod_line_info *info = gpiod_chip_get_line_info(chip->chip, offset);
  if (!info) return -errno;
  cgpiod_copy_text(text, size, gpiod_line_info_get_name(info));
  gpiod_line_info_free(info);
  return *text != 0;
}

int cgpiod_chip_line_holder(const cgpiod_chip *chip, unsigned int offset, char *text, size_t size) {
  struct gpiod_line_info *info = gpiod_chip_get_line_info(chip->chip, offset);
  if (!info) return -errno;
  cgpiod_copy_text(text, size, gpiod_line_info_get_consumer(info));
  int is_used = gpiod_line_info_is_used(info);
  gpiod_line_info_free(info);
  return is_used;
}

int cgpiod_chip_line_is_output(const cgpiod_chip *chip, unsigned int offset) {
  struct gpiod_line_info *info = gpiod_chip_get_line_info(chip->chip, offset);
  if (!info) return -errno;
  int is_output = gpiod_line_info_get_direction(info) == GPIOD_LINE_DIRECTION_OUTPUT;
  gpiod_line_info_free(info);
  return is_output;
}

/// Requests the lines of a configuration, if filling it gave `result` 0. Frees nothing.
static struct gpiod_line_request *request_lines(const char *path, struct gpiod_line_config *lines, int *error) {
  struct gpiod_line_request *request = NULL;
  struct gpiod_request_config *config = gpiod_request_config_new();
  struct gpiod_chip *chip = config ? gpiod_chip_open(path) : NULL;
  if (chip) {
    gpiod_request_config_set_consumer(config, CGPIOD_CONSUMER);
    request = gpiod_chip_request_lines(chip, config, lines);
  }
  if (!request) *error = errno;
  if (chip) gpiod_chip_close(chip);
  if (config) gpiod_request_config_free(config);
  return request;
}

static int add_output(
    struct gpiod_line_config *lines, unsigned int offset, bool level, enum gpiod_line_drive drive) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  if (!settings) return -errno;
  enum gpiod_line_value value = level ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
  int result = 0;
  if (gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT) < 0 ||
      gpiod_line_settings_set_drive(settings, drive) < 0 ||
      gpiod_line_settings_set_output_value(settings, value) < 0 ||
      gpiod_line_config_add_line_settings(lines, &offset, 1, settings) < 0)
    result = -errno;
  gpiod_line_settings_free(settings);
  return result;
}

cgpiod_outputs *cgpiod_outputs_request(
    const char *path, const unsigned int *offsets, unsigned int count, uint64_t active_low, int *error) {
  *error = cgpiod_check_count(count);
  if (*error) return NULL;
  cgpiod_outputs *outputs = calloc(1, sizeof *outputs);
  struct gpiod_line_config *lines = outputs ? gpiod_line_config_new() : NULL;
  if (!lines) {
    *error = errno;
    free(outputs);
    return NULL;
  }
  outputs->count = count;
  outputs->active_low = active_low;
  for (unsigned int i = 0; i < count && *error == 0; i++)
    *error = -add_output(lines, offsets[i], active_low >> i & 1, GPIOD_LINE_DRIVE_PUSH_PULL);
  if (*error == 0) outputs->request = request_lines(path, lines, error);
  gpiod_line_config_free(lines);
  if (*error == 0) *error = -cgpiod_guard_add(outputs);
  if (*error == 0) return outputs;
  if (outputs->request) gpiod_line_request_release(outputs->request);
  free(outputs);
  return NULL;
}

int cgpiod_outputs_write(cgpiod_outputs *outputs, uint64_t active) {
  enum gpiod_line_value values[CGPIOD_MAX_LINES];
  uint64_t levels = active ^ outputs->active_low;
  for (unsigned int i = 0; i < outputs->count; i++)
    values[i] = levels >> i & 1 ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
  return gpiod_line_request_set_values(outputs->request, values) < 0 ? -errno : 0;
}

int cgpiod_outputs_set(cgpiod_outputs *outputs, uint64_t active) {
  return cgpiod_outputs_write_guarded(outputs, active);
}

void cgpiod_outputs_release(cgpiod_outputs *outputs) {
  cgpiod_outputs_write(outputs, 0);
  if (!cgpiod_guard_remove(outputs)) return;
  gpiod_line_request_release(outputs->request);
  free(outputs);
}

cgpiod_wires *cgpiod_wires_request(const char *path, const unsigned int *offsets, unsigned int count, int *error) {
  *error = cgpiod_check_count(count);
  if (*error) return NULL;
  cgpiod_wires *wires = calloc(1, sizeof *wires);
  struct gpiod_line_config *lines = wires ? gpiod_line_config_new() : NULL;
  if (!lines) {
    *error = errno;
    free(wires);
    return NULL;
  }
  wires->count = count;
  for (unsigned int i = 0; i < count && *error == 0; i++) {
    wires->offsets[i] = offsets[i];
    *error = -add_output(lines, offsets[i], true, GPIOD_LINE_DRIVE_OPEN_DRAIN);
  }
  if (*error == 0) wires->request = request_lines(path, lines, error);
  gpiod_line_config_free(lines);
  if (*error == 0) return wires;
  free(wires);
  return NULL;
}

int cgpiod_wires_pull(cgpiod_wires *wires, unsigned int index, bool low) {
  if (index >= wires->count) return -EINVAL;
  enum gpiod_line_value value = low ? GPIOD_LINE_VALUE_INACTIVE : GPIOD_LINE_VALUE_ACTIVE;
  return gpiod_line_request_set_value(wires->request, wires->offsets[index], value) < 0 ? -errno : 0;
}

int cgpiod_wires_level(const cgpiod_wires *wires, unsigned int index) {
  if (index >= wires->count) return -EINVAL;
  enum gpiod_line_value value = gpiod_line_request_get_value(wires->request, wires->offsets[index]);
  return value == GPIOD_LINE_VALUE_ERROR ? -errno : value == GPIOD_LINE_VALUE_ACTIVE;
}

void cgpiod_wires_release(cgpiod_wires *wires) {
  gpiod_line_request_release(wires->request);
  free(wires);
}

static enum gpiod_line_bias bias(enum cgpiod_bias bias) {
  switch (bias) {
    case cgpiod_bias_disabled: return GPIOD_LINE_BIAS_DISABLED;
    case cgpiod_bias_pull_up: return GPIOD_LINE_BIAS_PULL_UP;
    case cgpiod_bias_pull_down: return GPIOD_LINE_BIAS_PULL_DOWN;
  }
  return GPIOD_LINE_BIAS_AS_IS;
}

static int add_button(struct gpiod_line_config *lines, const cgpiod_button *button) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  if (!settings) return -errno;
  int result = 0;
  gpiod_line_settings_set_active_low(settings, button->active_low);
  if (gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT) < 0 ||
      gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH) < 0 ||
      gpiod_line_settings_set_event_clock(settings, GPIOD_LINE_CLOCK_MONOTONIC) < 0 ||
      gpiod_line_settings_set_bias(settings, bias(button->bias)) < 0 ||
      gpiod_line_config_add_line_settings(lines, &button->offset, 1, settings) < 0)
    result = -errno;
  gpiod_line_settings_free(settings);
  return result;
}

static int request_buttons(cgpiod_buttons *buttons, const char *path, const cgpiod_button *wanted) {
  int error = 0;
  struct gpiod_line_config *lines = gpiod_line_config_new();
  if (!lines) return -errno;
  for (unsigned int i = 0; i < buttons->count && error == 0; i++) {
    buttons->offsets[i] = wanted[i].offset;
    error = -add_button(lines, &wanted[i]);
  }
  if (error == 0) buttons->request = request_lines(path, lines, &error);
  gpiod_line_config_free(lines);
  if (error == 0) buttons->buffer = gpiod_edge_event_buffer_new(EDGES_MAX);
  if (error == 0 && !buttons->buffer) error = errno;
  return -error;
}

cgpiod_buttons *cgpiod_buttons_request(const char *path, const cgpiod_button *wanted, unsigned int count, int *error) {
  *error = cgpiod_check_count(count);
  if (*error) return NULL;
  cgpiod_buttons *buttons = calloc(1, sizeof *buttons);
  if (!buttons) {
    *error = errno;
    return NULL;
  }
  buttons->count = count;
  *error = -request_buttons(buttons, path, wanted);
  if (*error == 0) return buttons;
  cgpiod_buttons_release(buttons);
  return NULL;
}

void cgpiod_buttons_release(cgpiod_buttons *buttons) {
  if (buttons->buffer) gpiod_edge_event_buffer_free(buttons->buffer);
  if (buttons->request) gpiod_line_request_release(buttons->request);
  free(buttons);
}

int cgpiod_buttons_descriptors(const cgpiod_buttons *buttons, int *descriptors) {
  descriptors[0] = gpiod_line_request_get_fd(buttons->request);
  return 1;
}

static cgpiod_edge edge_of(const cgpiod_buttons *buttons, struct gpiod_edge_event *event) {
  unsigned int offset = gpiod_edge_event_get_line_offset(event);
  unsigned int index = 0;
  while (index + 1 < buttons->count && buttons->offsets[index] != offset) index++;
  return (cgpiod_edge){
      .nanoseconds = (int64_t)gpiod_edge_event_get_timestamp_ns(event),
      .index = index,
      .active = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE,
  };
}

/// Reads the queued edges and sorts them by time: with several CPUs the kernel may queue edges out of order.
static int read_edges(cgpiod_buttons *buttons) {
  int readable = cgpiod_is_readable(gpiod_line_request_get_fd(buttons->request));
  if (readable <= 0) return readable;
  int count = gpiod_line_request_read_edge_events(buttons->request, buttons->buffer, EDGES_MAX);
  if (count < 0) return -errno;
  for (int i = 0; i < count; i++) {
    cgpiod_edge edge = edge_of(buttons, gpiod_edge_event_buffer_get_event(buttons->buffer, (unsigned long)i));
    int place = i;
    for (; place > 0 && buttons->edges[place - 1].nanoseconds > edge.nanoseconds; place--)
      buttons->edges[place] = buttons->edges[place - 1];
    buttons->edges[place] = edge;
  }
  buttons->edge_count = (unsigned int)count;
  buttons->next_edge = 0;
  return count;
}

int cgpiod_buttons_next(cgpiod_buttons *buttons, cgpiod_edge *edge) {
  if (buttons->next_edge == buttons->edge_count) {
    int count = read_edges(buttons);
    if (count <= 0) return count;
  }
  *edge = buttons->edges[buttons->next_edge++];
  return 1;
}

int cgpiod_buttons_level(const cgpiod_buttons *buttons, unsigned int index) {
  if (index >= buttons->count) return -EINVAL;
  enum gpiod_line_value value = gpiod_line_request_get_value(buttons->request, buttons->offsets[index]);
  return value == GPIOD_LINE_VALUE_ERROR ? -errno : value == GPIOD_LINE_VALUE_ACTIVE;
}

#endif
