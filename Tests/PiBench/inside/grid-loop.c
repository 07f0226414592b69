// Plays a metronome's beats as a program without a framework would: one thread, one line, and calls of the kernel's GPIO interface. What
// the emulator does to its edges is the measure for those of the metronome. It gets the same presses, starts and
// changes tempo at the same instants, sleeps as long as the metronome does, and has nothing else to do.
//
//   grid-loop CHIP LIGHT PLAY FASTER TEMPO PRIORITY
//
// TEMPO is a decimal number of beats per minute. The first press of PLAY starts the beat, 1 ms after the press. Each press of FASTER
// adds 1 BPM, 1 ms after the press, and keeps the phase. The next press of PLAY ends the program.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/gpio.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { lead = 1000000, lock_out = 25000000, margin = 150000, pulse = 40000000 };
// In picoseconds, because tempi are in thousandths of a beat per minute.
static const long long minute_ps = 60000000000000;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// Requests lines, and returns the descriptor of the request.
static int request_lines(int chip, int count, const char **numbers, unsigned long long flags) {
  struct gpio_v2_line_request request = {.num_lines = count, .config.flags = flags, .consumer = "grid-loop"};
  for (int index = 0; index < count; index++) request.offsets[index] = atoi(numbers[index]);
  if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) < 0) fail("request");
  return request.fd;
}

static void set(int request, int level) {
  struct gpio_v2_line_values values = {.bits = level, .mask = 1};
  if (ioctl(request, GPIO_V2_LINE_SET_VALUES_IOCTL, &values) < 0) fail("set");
}

// Sleeps until shortly before an instant, and reads the clock until then; or returns true if there is an event before.
static bool wait(int buttons, long long instant) {
  struct pollfd entry = {.fd = buttons, .events = POLLIN};
  long long pause = instant - margin - now();
  struct timespec time = {pause / 1000000000, pause % 1000000000};
  if (pause > 0 && ppoll(&entry, 1, &time, NULL) > 0) return true;
  while (now() < instant) {}
  return false;
}

int main(int count, char **words) {
  if (count != 7) {
    fputs("usage: grid-loop CHIP LIGHT PLAY FASTER TEMPO PRIORITY\n", stderr);
    return 64;
  }
  unsigned play = atoi(words[3]);
  long long milli_bpm = strtod(words[5], NULL) * 1000 + 0.5;
  struct sched_param parameters = {.sched_priority = atoi(words[6])};
  int chip = open(words[1], O_RDWR | O_CLOEXEC);
  if (chip < 0) fail(words[1]);
  int light = request_lines(chip, 1, (const char *[]){words[2]}, GPIO_V2_LINE_FLAG_OUTPUT);
  unsigned long long flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_BIAS_PULL_UP | GPIO_V2_LINE_FLAG_EDGE_FALLING |
                             GPIO_V2_LINE_FLAG_EDGE_RISING;
  int buttons = request_lines(chip, 2, (const char *[]){words[3], words[4]}, flags);
  if (mlockall(MCL_CURRENT | MCL_FUTURE) < 0) fail("mlockall");
  if (prctl(PR_SET_TIMERSLACK, 1) < 0) fail("slack");
  if (sched_setscheduler(0, SCHED_FIFO, &parameters) < 0) fail("sched_setscheduler");

  // Beat n falls at anchor + n · minute / tempo.
  long long anchor = 0, beat = 0, last[64] = {0};
  bool is_playing = false, is_lit = false;
  for (;;) {
    long long instant = anchor + beat * minute_ps / milli_bpm + (is_lit ? pulse : 0);
    if (is_playing && !wait(buttons, instant)) {
      is_lit = !is_lit;
      set(light, is_lit);
      beat += !is_lit;
      continue;
    }
    struct gpio_v2_line_event event;
    if (read(buttons, &event, sizeof event) != sizeof event) fail("read");
    long long pressed = event.timestamp_ns;
    bool bounces = pressed - last[event.offset % 64] < lock_out;
    last[event.offset % 64] = pressed;
    if (bounces || event.id != GPIO_V2_LINE_EVENT_FALLING_EDGE) continue;
    if (event.offset == play && is_playing) break;
    if (event.offset == play) {
      is_playing = true;
      anchor = pressed + lead;
    } else {
      // The same fraction of a beat remains.
      __int128 phase = (__int128)(pressed + lead - anchor) * milli_bpm;
      milli_bpm += 1000;
      anchor = pressed + lead - (long long)(phase / milli_bpm);
    }
  }
  set(light, 0);
  return 0;
}
