#include "CLinux.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <sys/ioctl.h>
#include <unistd.h>

// <termios.h> lacks BOTHER and conflicts with <asm/termbits.h>, so tcsetattr is not used.
static int configure(int descriptor, unsigned baud, unsigned *actual) {
  struct termios2 settings = {0};
  if (ioctl(descriptor, TCGETS2, &settings) < 0) return -errno;
  settings.c_iflag = IGNBRK;
  settings.c_oflag = 0;
  settings.c_lflag = 0;
  settings.c_cflag = BOTHER | CS8 | CREAD | CLOCAL;
  settings.c_cflag |= BOTHER << IBSHIFT;
  settings.c_ispeed = baud;
  settings.c_ospeed = baud;
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  if (ioctl(descriptor, TCSETS2, &settings) < 0) return -errno;
  if (ioctl(descriptor, TCGETS2, &settings) < 0) return -errno;
  *actual = settings.c_ospeed;
  return 0;
}

int clinux_open_serial(const char *path, int flags, unsigned baud, unsigned *actual) {
  int descriptor = open(path, flags | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return -errno;
  int result = configure(descriptor, baud, actual);
  if (result == 0) return descriptor;
  close(descriptor);
  return result;
}

void clinux_set_low_latency(int descriptor) {
  struct serial_struct settings = {0};
  if (ioctl(descriptor, TIOCGSERIAL, &settings) < 0) return;
  settings.flags |= ASYNC_LOW_LATENCY;
  ioctl(descriptor, TIOCSSERIAL, &settings);
}
