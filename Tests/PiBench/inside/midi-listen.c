// Prints the bytes that a MIDI port receives: a line for each, with the instant of its arrival on CLOCK_MONOTONIC and the byte in
// hexadecimal. Ends at SIGTERM.
//
//   midi-listen /dev/snd/midiC1D0 PRIORITY
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t is_over;

static void end(int signal) {
  (void)signal;
  is_over = 1;
}

int main(int count, char **words) {
  if (count != 3) {
    fputs("usage: midi-listen DEVICE PRIORITY\n", stderr);
    return 64;
  }
  struct sched_param parameters = {.sched_priority = atoi(words[2])};
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  int port = open(words[1], O_RDONLY | O_CLOEXEC);
  if (port < 0 || sched_setscheduler(0, SCHED_FIFO, &parameters) < 0) {
    perror(words[1]);
    return 1;
  }
  unsigned char bytes[256];
  ssize_t length;
  while (!is_over && (length = read(port, bytes, sizeof bytes)) > 0) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    for (ssize_t index = 0; index < length; index++)
      printf("%lld %02X\n", time.tv_sec * 1000000000LL + time.tv_nsec, (unsigned)bytes[index]);
  }
  return 0;
}
