// SPDX-License-Identifier: GPL-2.0-or-later
//
// The complete GPIO block of a Raspberry Pi 3, as a plugin for QEMU 10.0's machine raspi3b.
//
//   -plugin file=gpio-block.so,script=FILE,log=FILE[,tm1637=CLOCK:DATA][,wire=LINE:LINE…]
//
// QEMU's own model has levels and functions of pins, but no pulls and no edge detection, so that a kernel never gets an interrupt of a
// pin. This block lies over QEMU's. It passes the functions of pins on to it, because QEMU connects the SD card by them.
//
// The script says what is connected to the header and when: lines of `NANOSECONDS LINE 0|1|z`, in virtual time since power-on. 0 and 1
// connect a line to ground or 3.3 V; z disconnects it, so that its pull decides. The log has a line `NANOSECONDS LINE LEVEL in|out` for
// each change of the level or the direction of a line of the header; `out` means that the processor drives it.
//
// tm1637 connects a display to two lines. Its resistors pull both up. It shows nothing, but acknowledges each byte, as its data sheet says
// ("Interface interpretation"): after the eighth clock it pulls data low, until the ninth one has ended.
//
// wire connects two lines. If one is an output, the other reads its level. If neither is, both are high if either has a pull-up. The script and
// the display must use neither of them, and they must not both be outputs.
//
// A plugin is meant to use only the functions of qemu-plugin.h. This one also calls other functions that the program exports. It
// declares them and their structures as they are in QEMU 10.0, so it refuses any other version.
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Declarations of QEMU 10.0 ------------------------------------------------------------------------------------------------------

typedef struct MemoryRegion MemoryRegion;
typedef struct Object Object;
typedef struct IRQState *qemu_irq;

// MemTxAttrs
typedef struct {
  uint32_t requester;
  bool unspecified;
  uint8_t reserved[3];
} Attributes;

// MemoryRegionOps
typedef struct {
  uint64_t (*read)(void *opaque, uint64_t address, unsigned size);
  void (*write)(void *opaque, uint64_t address, uint64_t value, unsigned size);
  void *read_with_attributes, *write_with_attributes;
  int endianness;
  struct {
    unsigned min_access_size, max_access_size;
    bool unaligned;
    void *accepts;
  } valid;
  struct {
    unsigned min_access_size, max_access_size;
    bool unaligned;
  } impl;
} Operations;

// Notifier
typedef struct Notifier {
  void (*notify)(struct Notifier *self, void *data);
  struct Notifier *next, **previous;
} Notifier;

// VersionInfo
typedef struct {
  struct {
    int64_t major, minor, micro;
  } *qemu;
  char *package;
} Version;

Version *qmp_query_version(void **error);
MemoryRegion *get_system_memory(void);
void memory_region_init_io(MemoryRegion *region, Object *owner, const Operations *operations, void *opaque, const char *name, uint64_t size);
void memory_region_add_subregion_overlap(MemoryRegion *container, uint64_t offset, MemoryRegion *region, int priority);
uint32_t memory_region_dispatch_write(MemoryRegion *region, uint64_t address, uint64_t value, unsigned log2_of_size, Attributes attributes);
void qemu_add_machine_init_done_notifier(Notifier *notifier);
Object *object_resolve_path(const char *path, bool *is_ambiguous);
qemu_irq qdev_get_gpio_in_named(Object *device, const char *name, int number);
void qemu_set_irq(qemu_irq irq, int level);
int64_t qemu_clock_get_ns(int clock);
void timer_init_full(void *timer, void *group, int clock, int scale, int attributes, void (*call)(void *), void *opaque);
void timer_mod(void *timer, int64_t time);

enum { virtual_clock = 1, nanoseconds = 1, little_endian = 2, log2_of_word = 2, size_of_timer = 256, size_of_region = 4096 };

// --- The block ----------------------------------------------------------------------------------------------------------------------

// The registers of "BCM2835 ARM Peripherals", section 6.1. Each is a pair, one for lines 0 to 31 and one for 32 to 53, except for the
// functions (ten lines each) and the pull control.
enum {
  functions_end = 0x18,
  set = 0x1c,
  clear = 0x28,
  level = 0x34,
  events = 0x40,
  rising = 0x4c,
  falling = 0x58,
  high = 0x64,
  low = 0x70,
  rising_async = 0x7c,
  falling_async = 0x88,
  pull_control = 0x94,
  pull_clock = 0x98,
  end = 0xa0,
  block_size = 0xb4,
};
enum { lines = 54, header_lines = 28, function_output = 1, pull_up = 2 };
static const uint64_t base = 0x3f200000;

struct pair {
  uint32_t word[2];
};

// The registers as the processor wrote them; index with the offset of a register.
static uint32_t registers[block_size / 4];
// The outputs' levels, the lines that the script drives and their levels, the lines with a pull-up, and the resulting levels.
static struct pair latch, driven, driven_high, pulled_up, current, outputs;
static qemu_irq interrupts[4];
static MemoryRegion *underlying;
static FILE *edge_log;

static uint32_t *word(int offset, int bank) { return &registers[offset / 4 + bank]; }

static uint32_t mask(int line) { return UINT32_C(1) << line % 32; }

static bool is_output(int line) { return (registers[line / 10] >> 3 * (line % 10) & 7) == function_output; }

// The display's lines, -1: none; the clocks since the start or the last byte, -1: outside of these; whether it pulls data low.
static struct {
  int clock, data, bits;
  bool acknowledges;
} display = {-1, -1, -1, false};

// The line that is wired to each line of the header; itself if none is.
static int wired[header_lines];

static bool is_high(const struct pair *levels, int line) { return levels->word[line / 32] & mask(line); }

static bool level_of(int line) {
  if (is_output(line)) return is_high(&latch, line);
  if (line == display.clock || line == display.data) return line == display.clock || !display.acknowledges;
  if (is_high(&driven, line)) return is_high(&driven_high, line);
  int other = line < header_lines ? wired[line] : line;
  if (is_output(other)) return is_high(&latch, other);
  return is_high(&pulled_up, line) || is_high(&pulled_up, other);
}

__attribute__((format(printf, 1, 2), noreturn)) static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("gpio-block: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  exit(1);
}

// Raises the interrupt lines of banks with pending events: lines 0 to 27, 28 to 45, 46 to 53, and all lines.
static void raise_interrupts(void) {
  uint32_t first = *word(events, 0), second = *word(events, 1);
  qemu_set_irq(interrupts[0], (first & 0x0fffffff) != 0);
  qemu_set_irq(interrupts[1], (first & 0xf0000000) != 0 || (second & 0x3fff) != 0);
  qemu_set_irq(interrupts[2], (second & 0x3fc000) != 0);
  qemu_set_irq(interrupts[3], (first | second) != 0);
}

// Lets the display see a change of its lines. Returns whether it changes data in turn.
static bool display_answers(const struct pair *before) {
  if (display.clock < 0) return false;
  bool clock = is_high(&current, display.clock), data = is_high(&current, display.data), acknowledged = display.acknowledges;
  if (clock != is_high(before, display.clock)) {
    if (display.bits < 0) return false;
    if (clock) display.bits++;
    else display.acknowledges = display.bits == 8;
    if (!clock && display.bits == 9) display.bits = 0;
  } else if (clock && data != is_high(before, display.data)) {
    display.bits = data ? -1 : 0;
  }
  return display.acknowledges != acknowledged;
}

// Computes the levels and logs the changes.
static void compute_levels(void) {
  for (int line = 0; line < lines; line++) {
    int bank = line / 32;
    bool is_up = level_of(line), drives = is_output(line);
    if (is_up == is_high(&current, line) && drives == is_high(&outputs, line)) continue;
    current.word[bank] = (current.word[bank] & ~mask(line)) | (is_up ? mask(line) : 0);
    outputs.word[bank] = (outputs.word[bank] & ~mask(line)) | (drives ? mask(line) : 0);
    if (line >= header_lines) continue;
    fprintf(edge_log, "%" PRId64 " %d %d %s\n", qemu_clock_get_ns(virtual_clock), line, is_up, drives ? "out" : "in");
  }
}

// Computes the levels, and detects the events.
static void update(void) {
  struct pair before = current;
  compute_levels();
  if (display_answers(&before)) compute_levels();
  for (int bank = 0; bank < 2; bank++) {
    uint32_t now = current.word[bank], was = before.word[bank];
    *word(events, bank) |= (now & ~was & (*word(rising, bank) | *word(rising_async, bank))) |
                           (was & ~now & (*word(falling, bank) | *word(falling_async, bank))) |
                           (now & *word(high, bank)) | (~now & *word(low, bank));
  }
  raise_interrupts();
}

static uint64_t read_register(void *opaque, uint64_t address, unsigned size) {
  (void)opaque, (void)size;
  if (address == level || address == level + 4) return current.word[address != level];
  return address < end && address != set && address != clear ? registers[address / 4] : 0;
}

static void write_register(void *opaque, uint64_t address, uint64_t value, unsigned size) {
  (void)opaque, (void)size;
  uint32_t bits = value;
  switch (address) {
    case set: case set + 4: latch.word[address != set] |= bits; break;
    case clear: case clear + 4: latch.word[address != clear] &= ~bits; break;
    case events: case events + 4: registers[address / 4] &= ~bits; break;
    case level: case level + 4: break;
    case pull_clock: case pull_clock + 4: {
      uint32_t *pull = &pulled_up.word[address != pull_clock];
      *pull = (registers[pull_control / 4] & 3) == pull_up ? *pull | bits : *pull & ~bits;
      break;
    }
    default:
      if (address >= end) return;
      registers[address / 4] = bits;
      if (address < functions_end)
        memory_region_dispatch_write(underlying, address, value, log2_of_word, (Attributes){.unspecified = true});
  }
  update();
}

// --- The script ---------------------------------------------------------------------------------------------------------------------

struct step {
  int line;
  char action;
};

static void play(void *opaque) {
  struct step *step = opaque;
  int bank = step->line / 32;
  uint32_t bit = mask(step->line);
  driven.word[bank] = step->action == 'z' ? driven.word[bank] & ~bit : driven.word[bank] | bit;
  driven_high.word[bank] = step->action == '1' ? driven_high.word[bank] | bit : driven_high.word[bank] & ~bit;
  update();
}

static void schedule(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) fail("cannot read the script %s", path);
  char text[128];
  for (int number = 1; fgets(text, sizeof text, file); number++) {
    int64_t time;
    int line, length = 0;
    char action;
    if (sscanf(text, "%" SCNd64 " %d %c %n", &time, &line, &action, &length) != 3 || text[length] || time < 0 || line < 0 ||
        line >= header_lines || !strchr("01z", action))
      fail("%s:%d: not NANOSECONDS LINE 0|1|z: %s", path, number, text);
    struct step *step = malloc(sizeof *step);
    void *timer = calloc(1, size_of_timer);
    *step = (struct step){line, action};
    timer_init_full(timer, NULL, virtual_clock, nanoseconds, 0, play, step);
    timer_mod(timer, time);
  }
  fclose(file);
}

// --- The plugin ---------------------------------------------------------------------------------------------------------------------

static const char *script_path, *log_path;

// Reads two different lines of the header, FIRST:SECOND.
static void read_pair(const char *text, int *first, int *second) {
  int length = 0;
  if (sscanf(text, "%d:%d%n", first, second, &length) != 2 || text[length] || *first < 0 || *second < 0 || *first >= header_lines ||
      *second >= header_lines || *first == *second)
    fail("not two different lines of the header, such as 4:17: %s", text);
}

static void connect_wire(const char *text) {
  int first, second;
  read_pair(text, &first, &second);
  if (first == display.clock || first == display.data || second == display.clock || second == display.data)
    fail("a wire leads to a line of the display: %s", text);
  if (wired[first] != first || wired[second] != second) fail("a line has two wires: %s", text);
  wired[first] = second;
  wired[second] = first;
}

// Called once the machine is complete.
static void connect(Notifier *notifier, void *data) {
  (void)notifier, (void)data;
  static const Operations operations = {
    .read = read_register, .write = write_register, .endianness = little_endian,
    .valid = {.min_access_size = 4, .max_access_size = 4}, .impl = {.min_access_size = 4, .max_access_size = 4},
  };
  Object *controller = object_resolve_path("/machine/soc/peripherals/ic", NULL);
  underlying = (MemoryRegion *)object_resolve_path("/machine/soc/peripherals/gpio/bcm2835_gpio[0]", NULL);
  if (!controller || !underlying) fail("this machine has no GPIO block of a Raspberry Pi 3; run it with -M raspi3b");
  for (int number = 0; number < 4; number++) interrupts[number] = qdev_get_gpio_in_named(controller, "gpu-irq", 49 + number);
  MemoryRegion *region = calloc(1, size_of_region);
  memory_region_init_io(region, NULL, &operations, NULL, "gpio-block", block_size);
  memory_region_add_subregion_overlap(get_system_memory(), base, region, 100);
  schedule(script_path);
}

// The version of the plugin interface, which QEMU compares.
__attribute__((visibility("default"))) int qemu_plugin_version = 4;
__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id, const void *info, int count, char **arguments);

int qemu_plugin_install(uint64_t id, const void *info, int count, char **arguments) {
  static Notifier completion = {.notify = connect};
  (void)id, (void)info;
  Version *version = qmp_query_version(NULL);
  if (version->qemu->major != 10 || version->qemu->minor != 0)
    fail("made for QEMU 10.0, not for %" PRId64 ".%" PRId64 ": it depends on the program's internal structures", version->qemu->major,
         version->qemu->minor);
  for (int line = 0; line < header_lines; line++) wired[line] = line;
  for (int number = 0; number < count; number++) {
    if (!strncmp(arguments[number], "script=", 7)) script_path = strdup(arguments[number] + 7);
    else if (!strncmp(arguments[number], "log=", 4)) log_path = strdup(arguments[number] + 4);
    else if (!strncmp(arguments[number], "tm1637=", 7)) read_pair(arguments[number] + 7, &display.clock, &display.data);
    else if (!strncmp(arguments[number], "wire=", 5)) connect_wire(arguments[number] + 5);
    else fail("unknown argument %s; the arguments are script=FILE, log=FILE, tm1637=CLOCK:DATA and wire=LINE:LINE", arguments[number]);
  }
  if (!script_path || !log_path) fail("needs script=FILE and log=FILE");
  edge_log = fopen(log_path, "w");
  if (!edge_log) fail("cannot write the log %s", log_path);
  setvbuf(edge_log, NULL, _IOLBF, 4096);
  qemu_add_machine_init_done_notifier(&completion);
  return 0;
}
