// Another machine at the other end of a serial MIDI line. A pseudo-terminal is the line: LINK, a link to its slave, is the serial port
// of this machine, and exists while this program runs.
//
//   serial-line LINK                                prints what the port sends
//   serial-line LINK BPM LAST-BPM SECONDS [START]   sends a start and clocks, and at last a stop
//
// Both print a line for each byte: its time on CLOCK_MONOTONIC in nanoseconds, and the byte in hexadecimal. A received byte has the
// time at which it arrived. A sent byte has the time at which it began: as on a line of 31,250 baud the port gets it 320 µs later. The
// tempo changes evenly from BPM to LAST-BPM. The first clock begins START seconds, by default 3, after the link exists. Ends at
// SIGTERM.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { BYTE = 320000 };

static const char *port;
static int line;
static volatile sig_atomic_t is_over;

static void end(int signal) {
  (void)signal;
  is_over = 1;
}

static void check(int result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "serial-line: %s: %s\n", what, strerror(errno));
  if (port) unlink(port);
  exit(1);
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void wait_until(long long nanoseconds) {
  struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  while (!is_over && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {
  }
}

static void print(long long time, unsigned char byte) { printf("%lld %02X\n", time, byte); }

static void send_byte(long long begin, unsigned char byte) {
  wait_until(begin + BYTE);
  if (is_over) return;
  check(write(line, &byte, 1), "write");
  print(begin, byte);
}

static void play(double first_bpm, double last_bpm, double length, long long begin) {
  double first = first_bpm * 24 / 60e9, last = last_bpm * 24 / 60e9, slope = (last - first) / length;
  send_byte(begin - 2000000, 0xFA);
  // The tempo is linear in time: clock k is at t where first * t + (last - first) * t * t / (2 * length) = k.
  for (long long clock = 0; !is_over; clock++) {
    double due = 2 * clock / (first + sqrt(first * first + 2 * slope * clock));
    if (!(due < length)) break;
    send_byte(begin + (long long)due, 0xF8);
  }
  // The light is off by then: the box stops when it has the byte, which is later than its time here.
  usleep(200000);
  send_byte(now(), 0xFC);
  // The port reads the stop before the line is gone.
  usleep(10000);
}

static void listen_to_port(void) {
  struct pollfd entry = {.fd = line, .events = POLLIN};
  while (!is_over) {
    if (poll(&entry, 1, -1) < 0) continue;
    unsigned char bytes[256];
    ssize_t count = read(line, bytes, sizeof bytes);
    long long time = now();
    for (ssize_t index = 0; index < count; index++) print(time, bytes[index]);
    // Nobody has the port open.
    if (count < 0) usleep(10000);
  }
}

int main(int count, char **words) {
  if (count != 2 && count != 5 && count != 6) return 2;
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  // Otherwise the kernel wakes this program up to 50 µs late.
  prctl(PR_SET_TIMERSLACK, 1UL);
  check(line = posix_openpt(O_RDWR | O_NOCTTY), "posix_openpt");
  check(grantpt(line), "grantpt");
  check(unlockpt(line), "unlockpt");
  check(symlink(ptsname(line), words[1]), words[1]);
  port = words[1];
  if (count == 2) {
    listen_to_port();
  } else {
    double start = count == 6 ? atof(words[5]) : 3;
    play(atof(words[2]), atof(words[3]), atof(words[4]) * 1e9, now() + (long long)(start * 1e9));
  }
  fflush(stdout);
  unlink(port);
  return 0;
}
