#include "CLinux.h"

#include <errno.h>
#include <sound/asound.h>
#include <sys/ioctl.h>
#include <termios.h>

int clinux_midi_room(int descriptor) {
  struct snd_rawmidi_status status = {.stream = SNDRV_RAWMIDI_STREAM_OUTPUT};
  if (ioctl(descriptor, SNDRV_RAWMIDI_IOCTL_STATUS, &status) < 0) return -errno;
  return (int)status.avail;
}

int clinux_midi_discard(int descriptor) {
  int stream = SNDRV_RAWMIDI_STREAM_OUTPUT;
  return ioctl(descriptor, SNDRV_RAWMIDI_IOCTL_DROP, &stream) < 0 ? -errno : 0;
}

int clinux_serial_queued(int descriptor) {
  int count = 0;
  return ioctl(descriptor, TIOCOUTQ, &count) < 0 ? -errno : count;
}
