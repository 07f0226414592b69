// Sends a MIDI clock, as another machine would.
//
//   midi-source FROM TO BPM LAST-BPM SECONDS [SILENT-SINCE SILENT-UNTIL]
//   midi-source FROM TO plug|unplug
//
// FROM and TO are devices of the card VirMIDI: subscribes TO to FROM in the sequencer, waits a second, and then sends a start and
// clocks for some seconds at FROM, at a tempo that changes evenly from BPM to LAST-BPM, and at last a stop. Between the last two
// times nothing is sent, as if the cable were unplugged, but the clock goes on. With plug or unplug it only subscribes, or ends the
// subscription.

#include <alsa/asoundlib.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void die(const char *what, int result) {
  fprintf(stderr, "midi-source: %s: %s\n", what, snd_strerror(result));
  exit(1);
}

static void subscribe(const char *from, const char *to, int is_plugged) {
  snd_seq_t *sequencer;
  int result = snd_seq_open(&sequencer, "default", SND_SEQ_OPEN_DUPLEX, 0);
  if (result < 0) die("sequencer", result);
  char name[64];
  snd_seq_addr_t sender, receiver;
  snprintf(name, sizeof name, "Virtual Raw MIDI 2-%s:0", from);
  if ((result = snd_seq_parse_address(sequencer, &sender, name)) < 0) die(name, result);
  snprintf(name, sizeof name, "Virtual Raw MIDI 2-%s:0", to);
  if ((result = snd_seq_parse_address(sequencer, &receiver, name)) < 0) die(name, result);
  snd_seq_port_subscribe_t *subscription;
  snd_seq_port_subscribe_alloca(&subscription);
  snd_seq_port_subscribe_set_sender(subscription, &sender);
  snd_seq_port_subscribe_set_dest(subscription, &receiver);
  result = is_plugged ? snd_seq_subscribe_port(sequencer, subscription) : snd_seq_unsubscribe_port(sequencer, subscription);
  if (result < 0 && result != -EBUSY) die("subscription", result);
  snd_seq_close(sequencer);
}

static void wait_until(long long nanoseconds) {
  struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {
  }
}

int main(int count, char **words) {
  if (count != 4 && count != 6 && count != 8) return 2;
  subscribe(words[1], words[2], count != 4 || strcmp(words[3], "unplug") != 0);
  if (count == 4) return 0;
  double first = atof(words[3]) * 24 / 60e9, last = atof(words[4]) * 24 / 60e9, length = atof(words[5]) * 1e9;
  double since = count == 8 ? atof(words[6]) * 1e9 : length, until = count == 8 ? atof(words[7]) * 1e9 : length;
  char name[64];
  snprintf(name, sizeof name, "hw:CARD=VirMIDI,DEV=%s", words[1]);
  snd_rawmidi_t *port = NULL;
  int result = snd_rawmidi_open(NULL, &port, name, SND_RAWMIDI_NONBLOCK);
  if (result < 0) die(name, result);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  long long begin = (long long)now.tv_sec * 1000000000 + now.tv_nsec + 1000000000;
  wait_until(begin - 1000000);
  snd_rawmidi_write(port, "\xFA", 1);
  // The tempo is linear in time: clock k is at t where first * t + (last - first) * t * t / (2 * length) = k.
  double slope = (last - first) / length;
  for (long long clock = 0;; clock++) {
    double due = 2 * clock / (first + sqrt(first * first + 2 * slope * clock));
    if (!(due < length)) break;
    wait_until(begin + (long long)due);
    if (due < since || due >= until) snd_rawmidi_write(port, "\xF8", 1);
  }
  snd_rawmidi_write(port, "\xFC", 1);
  snd_rawmidi_close(port);
  return 0;
}
