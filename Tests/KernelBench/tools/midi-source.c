// Sends a MIDI clock, as another machine would.
//
//   midi-source FROM TO plug|unplug
//   midi-source FROM TO [STEP...]
//
// FROM and TO are devices of the card VirMIDI: subscribes TO to FROM in the sequencer, or ends the subscription. Otherwise it waits
// a second after the subscription, and then takes the steps at FROM, each message at a computed instant:
//
//   clock BPM COUNT                              clocks; the first is due where the tempo before it has the next one
//   ramp BPM LAST-BPM COUNT                      clocks of a tempo that changes evenly
//   hold COUNT, lose COUNT                       clocks that are due at the same tempo, and are not sent then
//   burst COUNT US                               sends so many of them, at this distance
//   start, continue, stop, position SIXTEENTHS   1 ms after the message before
//   wait_us US                                   the next message is later by this time
//   anew US                                      the next clock is due this time after the message before
//
// Prints a line for each message: its instant on CLOCK_MONOTONIC in nanoseconds, a word, and its bytes in hexadecimal. The word is
// `held` for a clock that is due and not sent, `late` for one of a burst, otherwise `sent`.

#include <alsa/asoundlib.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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

static snd_rawmidi_t *port;
// The instants of the last message and of the next clock.
static long long now, due;
// In clocks per nanosecond.
static double tempo;

static void print(const char *word, const unsigned char *bytes, size_t count) {
  printf("%lld %s", now, word);
  for (size_t index = 0; index < count; index++) printf(" %02X", bytes[index]);
  putchar('\n');
}

static void transmit(const char *word, const unsigned char *bytes, size_t count) {
  wait_until(now);
  ssize_t result = snd_rawmidi_write(port, bytes, count);
  if (result != (ssize_t)count) die("write", result < 0 ? (int)result : -EAGAIN);
  print(word, bytes, count);
}

static const unsigned char CLOCK[] = {0xF8};

// The tempo is linear in time: clock k is at t where first * t + (last - first) * t * t / (2 * length) = k.
static void clocks(double first, double last, int count, int is_sent) {
  double length = 2 * count / (first + last), slope = (last - first) / length;
  for (int clock = 0; clock < count; clock++) {
    now = due + llround(2 * clock / (first + sqrt(first * first + 2 * slope * clock)));
    if (is_sent) transmit("sent", CLOCK, 1);
    else print("held", CLOCK, 1);
  }
  due += llround(length);
  tempo = last;
}

static double number(char ***words) {
  if (!**words) die("a step without its numbers", -EINVAL);
  return atof(*(*words)++);
}

static void step(char ***words) {
  const char *word = *(*words)++;
  unsigned char bytes[3] = {0};
  if (!strcmp(word, "clock") || !strcmp(word, "ramp")) {
    double first = number(words) * 24 / 60e9, last = *word == 'c' ? first : number(words) * 24 / 60e9;
    clocks(first, last, (int)number(words), 1);
  } else if (!strcmp(word, "hold") || !strcmp(word, "lose")) {
    clocks(tempo, tempo, (int)number(words), 0);
  } else if (!strcmp(word, "burst")) {
    int count = (int)number(words);
    long long distance = llround(number(words) * 1000);
    while (count-- > 0) {
      now += distance;
      transmit("late", CLOCK, 1);
    }
  } else if (!strcmp(word, "wait_us")) {
    now += llround(number(words) * 1000);
  } else if (!strcmp(word, "anew")) {
    due = now + llround(number(words) * 1000);
  } else {
    size_t count = 1;
    if (!strcmp(word, "start")) bytes[0] = 0xFA;
    else if (!strcmp(word, "continue")) bytes[0] = 0xFB;
    else if (!strcmp(word, "stop")) bytes[0] = 0xFC;
    else if (!strcmp(word, "position")) {
      int sixteenths = (int)number(words);
      bytes[0] = 0xF2, bytes[1] = sixteenths & 127, bytes[2] = sixteenths >> 7, count = 3;
    } else die(word, -EINVAL);
    now += 1000000;
    transmit("sent", bytes, count);
  }
}

int main(int count, char **words) {
  if (count < 3) return 2;
  int is_cable = count == 4 && (!strcmp(words[3], "plug") || !strcmp(words[3], "unplug"));
  subscribe(words[1], words[2], !is_cable || !strcmp(words[3], "plug"));
  if (is_cable) return 0;
  char name[64];
  snprintf(name, sizeof name, "hw:CARD=VirMIDI,DEV=%s", words[1]);
  int result = snd_rawmidi_open(NULL, &port, name, SND_RAWMIDI_NONBLOCK);
  if (result < 0) die(name, result);
  // Otherwise the kernel wakes this program up to 50 µs late.
  prctl(PR_SET_TIMERSLACK, 1UL);
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  now = due = (long long)time.tv_sec * 1000000000 + time.tv_nsec + 1000000000;
  wait_until(now);
  for (words += 3; *words;) step(&words);
  snd_rawmidi_close(port);
  return 0;
}
