// Records what a MIDI port sends, with the kernel's time stamps.
//
//   midi-ear FROM TO    FROM and TO are devices of the card VirMIDI, such as 0 and 1
//
// Subscribes device TO to device FROM in the sequencer, then prints a line for each byte that arrives at TO: its time on
// CLOCK_MONOTONIC in nanoseconds, and the byte in hexadecimal. Prints "subscribed" first. The subscription is renewed when the
// sender returns. Ends at SIGTERM.

#include <alsa/asoundlib.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t is_over;

static void end(int signal) {
  (void)signal;
  is_over = 1;
}

static void die(const char *what, int result) {
  fprintf(stderr, "midi-ear: %s: %s\n", what, snd_strerror(result));
  exit(1);
}

static int subscribe(snd_seq_t *sequencer, const char *from, const char *to) {
  snd_seq_addr_t sender, receiver;
  int result = snd_seq_parse_address(sequencer, &sender, from);
  if (result < 0) return result;
  result = snd_seq_parse_address(sequencer, &receiver, to);
  if (result < 0) return result;
  snd_seq_port_subscribe_t *subscription;
  snd_seq_port_subscribe_alloca(&subscription);
  snd_seq_port_subscribe_set_sender(subscription, &sender);
  snd_seq_port_subscribe_set_dest(subscription, &receiver);
  result = snd_seq_subscribe_port(sequencer, subscription);
  return result == -EBUSY ? 0 : result;
}

static snd_rawmidi_t *open_port(const char *name) {
  snd_rawmidi_t *port = NULL;
  int result = snd_rawmidi_open(&port, NULL, name, SND_RAWMIDI_NONBLOCK);
  if (result < 0) die(name, result);
  snd_rawmidi_params_t *parameters;
  snd_rawmidi_params_alloca(&parameters);
  if ((result = snd_rawmidi_params_current(port, parameters)) < 0) die("parameters", result);
  if ((result = snd_rawmidi_params_set_buffer_size(port, parameters, 1 << 16)) < 0) die("buffer size", result);
  if ((result = snd_rawmidi_params_set_read_mode(port, parameters, SND_RAWMIDI_READ_TSTAMP)) < 0) die("read mode", result);
  if ((result = snd_rawmidi_params_set_clock_type(port, parameters, SND_RAWMIDI_CLOCK_MONOTONIC)) < 0) die("clock", result);
  if ((result = snd_rawmidi_params(port, parameters)) < 0) die("parameters", result);
  return port;
}

int main(int count, char **words) {
  if (count != 3) return 2;
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  snd_seq_t *sequencer;
  int result = snd_seq_open(&sequencer, "default", SND_SEQ_OPEN_DUPLEX, 0);
  if (result < 0) die("sequencer", result);
  char from[64], to[64], name[64];
  snprintf(from, sizeof from, "Virtual Raw MIDI 2-%s:0", words[1]);
  snprintf(to, sizeof to, "Virtual Raw MIDI 2-%s:0", words[2]);
  snprintf(name, sizeof name, "hw:CARD=VirMIDI,DEV=%s", words[2]);
  snd_rawmidi_t *port = open_port(name);
  if ((result = subscribe(sequencer, from, to)) < 0) die("subscription", result);
  puts("subscribed");
  fflush(stdout);
  struct pollfd entry;
  snd_rawmidi_poll_descriptors(port, &entry, 1);
  while (!is_over) {
    // The sequencer's client is asked again now and then, because a client that returns has no subscriptions.
    if (poll(&entry, 1, 100) <= 0) {
      subscribe(sequencer, from, to);
      continue;
    }
    unsigned char bytes[4096];
    struct timespec time;
    ssize_t length;
    while ((length = snd_rawmidi_tread(port, &time, bytes, sizeof bytes)) > 0) {
      for (ssize_t index = 0; index < length; index++) {
        printf("%lld %02X\n", (long long)time.tv_sec * 1000000000 + time.tv_nsec, bytes[index]);
      }
    }
    if (length < 0 && length != -EAGAIN) break;
  }
  fflush(stdout);
  return 0;
}
