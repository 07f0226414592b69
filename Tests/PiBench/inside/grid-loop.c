// Blinks a line on a grid of absolute times, as a program without a framework would: clock_nanosleep and one call of the kernel's GPIO
// interface. What the emulator does to its edges is the measure for those of the metronome.
//
//   grid-loop CHIP LINE PERIOD_NANOSECONDS COUNT PRIORITY
#include <fcntl.h>
#include <linux/gpio.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

static void fail(const char *what) {
  perror(what);
  exit(1);
}

// Waits for an absolute time, and sets the level of the line.
static void set_at(int request, long long instant, int level) {
  struct timespec time = {instant / 1000000000, instant % 1000000000};
  struct gpio_v2_line_values values = {.bits = level, .mask = 1};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0) {}
  if (ioctl(request, GPIO_V2_LINE_SET_VALUES_IOCTL, &values) < 0) fail("set");
}

int main(int count, char **words) {
  if (count != 6) {
    fputs("usage: grid-loop CHIP LINE PERIOD_NANOSECONDS COUNT PRIORITY\n", stderr);
    return 64;
  }
  long long period = atoll(words[3]), beats = atoll(words[4]);
  struct sched_param parameters = {.sched_priority = atoi(words[5])};
  struct gpio_v2_line_request request = {.num_lines = 1, .config.flags = GPIO_V2_LINE_FLAG_OUTPUT, .consumer = "grid-loop"};
  request.offsets[0] = atoi(words[2]);
  int chip = open(words[1], O_RDWR | O_CLOEXEC);
  if (chip < 0 || ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) < 0) fail(words[1]);
  if (mlockall(MCL_CURRENT | MCL_FUTURE) < 0) fail("mlockall");
  if (sched_setscheduler(0, SCHED_FIFO, &parameters) < 0) fail("sched_setscheduler");
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  long long instant = now.tv_sec * 1000000000LL + now.tv_nsec + 100000000;
  for (long long beat = 0; beat < beats; beat++, instant += period) {
    set_at(request.fd, instant, 1);
    set_at(request.fd, instant + period / 5, 0);
  }
  return 0;
}
