// Detects clicks, and prints the position of each in the stream to a small fraction of a frame. It processes the stream in one
// pass, so that an hour of sound need not be stored.
//
//   ear capture PCM      frames from an ALSA capture PCM, until SIGTERM or until the card is unplugged
//   ear frames RATE      frames from standard input, until its end
//   ear wav              a WAV file from standard input
//   ear channels PCM COUNT SECONDS
//                        what is on each of COUNT channels: its number, how many sounds began after 10 ms of silence, the highest sample
//   ear … SOUNDS         also recognizes the sounds of this WAV file: see matching.h
//
// Frames have 16 bits and two channels, in a WAV file also one. Prints a line for each click, and for each reading of the card's
// position:
//
//   click CENTROID FIRST CROSSINGS PEAK sure|unsure
//   at FRAMES INSTANT
//
// CENTROID: the centre of the click's energy, in frames since the first captured one, to a thousandth. If a click of the same
// shape begins a fraction of a frame later, its centroid is exactly that much later, because the window that weights the energy
// is itself centred at the centroid. The distance from the beginning to the centroid depends on the shape, and is measured with a
// click whose beginning is known. FIRST: the frame at which the click was detected. CROSSINGS: the number of sign changes in the
// first 5 ms, which distinguishes high clicks from low ones. PEAK: the highest sample. An unsure click, in the ring of the one before,
// would not be found in a recording that is a tenth louder.
//
// At INSTANT, in nanoseconds of CLOCK_MONOTONIC, this number of FRAMES had been captured, according to the card. The card reports
// whole frames, and usually updates its position at most once per millisecond. The judge computes the instant of a frame from all
// readings.
//
// The first line is `started`, the last one `frames COUNT`. Before the last line there is `overrun` if frames were lost, in which
// case all positions are invalid, or `gone` if the card was unplugged.

#include <alsa/asoundlib.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "matching.h"

enum {
  channels = 2,
  capture_rate = 48000,
  period_frames = 2048,
  buffer_frames = 4 * period_frames,
  // A click begins when the level reaches `loud`, of 32,768: far below the quietest click, and far above rounding noise. The next
  // click can begin only after the level has been below `quiet` for 5 ms.
  loud = 600,
  quiet = 300,
  // More frames than the measurement of a click needs.
  history = 8192,
};

static bool is_matching;

static volatile sig_atomic_t ended;
static void end(int signal) {
  (void)signal;
  ended = 1;
}

static void check(int result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "ear: %s: %s\n", what, snd_strerror(result));
  exit(1);
}

// MARK: Analysis

struct ear {
  unsigned rate;
  int64_t frames;       // heard so far
  int64_t quiet_since;  // the first frame after the last one that was not quiet
  bool was_quiet;       // whether it was quiet for long enough since the last click began
  int64_t silent_since; // the same for a level a tenth lower
  bool was_silent, is_sure;
  int64_t first;        // the frame at which the click was detected; -1 while no click is being measured
  int crossings, peak;
  bool was_negative;
  int16_t past[history];
};

static int64_t milliseconds(const struct ear *ear, int64_t count) { return count * ear->rate / 1000; }

static double energy_at(const struct ear *ear, int64_t frame) {
  if (frame < 0 || frame >= ear->frames || frame < ear->frames - history) return 0;
  double sample = ear->past[frame % history];
  return sample * sample;
}

// The centroid around a centre, weighted by a raised cosine. Only a shift of the click shifts the value to which repeated calls
// converge.
static double centroid_around(const struct ear *ear, double centre) {
  const double half = (double)milliseconds(ear, 10);
  double energy = 0, moment = 0;
  for (int64_t frame = (int64_t)ceil(centre - half); frame <= (int64_t)floor(centre + half); frame++) {
    double away = (double)frame - centre;
    double weighed = energy_at(ear, frame) * (1 + cos(M_PI * away / half));
    energy += weighed;
    moment += weighed * away;
  }
  return energy > 0 ? centre + moment / energy : centre;
}

static double centroid(const struct ear *ear) {
  double found = (double)ear->first, before;
  int rounds = 200;
  do {
    before = found;
    found = centroid_around(ear, before);
  } while (fabs(found - before) > 1e-5 && --rounds > 0);
  return found;
}

static void finish_click(struct ear *ear) {
  if (ear->first < 0) return;
  printf("click %.3f %" PRId64 " %d %d %s\n", centroid(ear), ear->first, ear->crossings, ear->peak,
         ear->is_sure ? "sure" : "unsure");
  ear->first = -1;
}

static void measure(struct ear *ear, int sample, int level) {
  if (level > ear->peak) ear->peak = level;
  if (ear->frames - ear->first < milliseconds(ear, 5) && sample != 0 && (sample < 0) != ear->was_negative) {
    ear->crossings++;
    ear->was_negative = sample < 0;
  }
  if (ear->frames - ear->first >= milliseconds(ear, 20)) finish_click(ear);
}

static void hear(struct ear *ear, int sample) {
  int level = abs(sample);
  ear->past[ear->frames % history] = (int16_t)sample;
  if (ear->frames - ear->quiet_since >= milliseconds(ear, 5)) ear->was_quiet = true;
  if (ear->frames - ear->silent_since >= milliseconds(ear, 5)) ear->was_silent = true;
  if (level >= loud && ear->was_quiet) {
    finish_click(ear);
    ear->first = ear->frames;
    ear->is_sure = ear->was_silent;
    ear->was_quiet = ear->was_silent = false;
    ear->crossings = ear->peak = 0;
    ear->was_negative = sample < 0;
  }
  if (level >= quiet) ear->quiet_since = ear->frames + 1;
  if (level >= quiet * 9 / 10) ear->silent_since = ear->frames + 1;
  if (ear->first >= 0) measure(ear, sample, level);
  ear->frames++;
  if (is_matching) match_frame(sample);
}

static void hear_all(struct ear *ear, const int16_t *samples, int64_t frames) {
  for (int64_t i = 0; i < frames; i++) {
    int left = samples[channels * i], right = samples[channels * i + 1];
    hear(ear, abs(left) > abs(right) ? left : right);
  }
}

static void open_ear(struct ear *ear, unsigned rate) {
  memset(ear, 0, sizeof *ear);
  ear->rate = rate;
  ear->first = -1;
  ear->quiet_since = ear->silent_since = INT32_MIN;  // it was quiet before the first frame
}

// An interrupted click has no centroid.
static void close_ear(struct ear *ear, bool was_cut) {
  if (!was_cut) finish_click(ear);
  printf("frames %" PRId64 "\n", ear->frames);
}

// MARK: Sources

static snd_pcm_t *open_capture(const char *name, unsigned count) {
  snd_pcm_t *pcm;
  snd_pcm_hw_params_t *hardware;
  snd_pcm_sw_params_t *software;
  snd_pcm_uframes_t period = period_frames, buffer = buffer_frames;
  snd_pcm_hw_params_alloca(&hardware);
  snd_pcm_sw_params_alloca(&software);
  check(snd_pcm_open(&pcm, name, SND_PCM_STREAM_CAPTURE, 0), name);
  check(snd_pcm_hw_params_any(pcm, hardware), "parameters");
  check(snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED), "access");
  check(snd_pcm_hw_params_set_format(pcm, hardware, SND_PCM_FORMAT_S16_LE), "format");
  check(snd_pcm_hw_params_set_channels(pcm, hardware, count), "channels");
  check(snd_pcm_hw_params_set_rate(pcm, hardware, capture_rate, 0), "rate");
  check(snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, NULL), "period");
  check(snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer), "buffer");
  check(snd_pcm_hw_params(pcm, hardware), "hardware parameters");
  check(snd_pcm_sw_params_current(pcm, software), "software parameters");
  check(snd_pcm_sw_params_set_tstamp_mode(pcm, software, SND_PCM_TSTAMP_ENABLE), "timestamps");
  check(snd_pcm_sw_params_set_tstamp_type(pcm, software, SND_PCM_TSTAMP_TYPE_MONOTONIC), "monotonic timestamps");
  check(snd_pcm_sw_params_set_avail_min(pcm, software, period), "avail_min");
  check(snd_pcm_sw_params(pcm, software), "software parameters");
  return pcm;
}

// Whether the capture can continue. Prints the reason if it cannot.
static bool is_well(long result, const char *what) {
  if (result >= 0) return true;
  if (result == -EPIPE) {
    puts("overrun");
  } else if (result == -ENODEV || result == -EBADFD) {
    puts("gone");
  } else {
    check((int)result, what);
  }
  return false;
}

static void capture(const char *name) {
  static struct ear ear;
  open_ear(&ear, capture_rate);
  snd_pcm_t *pcm = open_capture(name, channels);
  snd_pcm_status_t *status;
  snd_pcm_status_alloca(&status);
  static int16_t samples[channels * buffer_frames];
  check(snd_pcm_start(pcm), "start");
  puts("started");
  fflush(stdout);
  bool is_cut = false;
  while (!ended) {
    int ready = snd_pcm_wait(pcm, 1000);
    if (ready == -EINTR) continue;
    is_cut = !is_well(ready, "wait") || !is_well(snd_pcm_status(pcm, status), "status");
    if (is_cut) break;
    snd_htimestamp_t at;
    snd_pcm_status_get_htstamp(status, &at);
    snd_pcm_sframes_t available = (snd_pcm_sframes_t)snd_pcm_status_get_avail(status);
    printf("at %" PRId64 " %" PRId64 "\n", ear.frames + available, at.tv_sec * INT64_C(1000000000) + at.tv_nsec);
    if (available == 0) continue;
    snd_pcm_sframes_t got = snd_pcm_readi(pcm, samples, available < buffer_frames ? available : buffer_frames);
    is_cut = !is_well(got, "read");
    if (is_cut) break;
    hear_all(&ear, samples, got);
  }
  close_ear(&ear, is_cut);
}

// Says what is on each channel of a card: how many sounds began after 10 ms of silence, and the highest magnitude.
static void hear_channels(const char *name, unsigned count, long seconds) {
  enum { most = 32, silence = capture_rate / 100 };
  static int16_t frame[most];
  int sounds[most] = {0}, peak[most] = {0};
  long quiet[most];
  if (count < 1 || count > most) exit(64);
  for (unsigned channel = 0; channel < count; channel++) quiet[channel] = silence;
  snd_pcm_t *pcm = open_capture(name, count);
  check(snd_pcm_start(pcm), "start");
  for (long frames = seconds * capture_rate; frames > 0 && !ended; frames--) {
    check((int)snd_pcm_readi(pcm, frame, 1), "read");
    for (unsigned channel = 0; channel < count; channel++) {
      int magnitude = abs(frame[channel]);
      if (magnitude > peak[channel]) peak[channel] = magnitude;
      if (magnitude > 0 && quiet[channel] >= silence) sounds[channel]++;
      quiet[channel] = magnitude > 0 ? 0 : quiet[channel] + 1;
    }
  }
  for (unsigned channel = 0; channel < count; channel++)
    printf("%u %d %d\n", channel + 1, sounds[channel], peak[channel]);
}

static void frames_of_input(unsigned rate, unsigned width) {
  static struct ear ear;
  open_ear(&ear, rate);
  int16_t frame[channels];
  puts("started");
  while (fread(frame, sizeof *frame, width, stdin) == width) {
    if (width == 1) frame[1] = frame[0];
    hear_all(&ear, frame, 1);
  }
  close_ear(&ear, false);
}

static void skip(uint32_t bytes) {
  while (bytes-- > 0 && getchar() != EOF) continue;
}

static void sound_of_input(void) {
  struct {
    char name[4];
    uint32_t size;
  } part;
  struct {
    uint16_t kind, channels;
    uint32_t rate, byte_rate;
    uint16_t frame, bits;
  } format = {0};
  char kind[4];
  bool is_sound = fread(&part, sizeof part, 1, stdin) == 1 && fread(kind, sizeof kind, 1, stdin) == 1 &&
                  memcmp(kind, "WAVE", 4) == 0;
  while (is_sound && fread(&part, sizeof part, 1, stdin) == 1) {
    if (memcmp(part.name, "data", 4) == 0 && format.bits == 16 && format.channels >= 1 && format.channels <= channels) {
      frames_of_input(format.rate, format.channels);
      return;
    }
    if (memcmp(part.name, "fmt ", 4) == 0 && part.size >= sizeof format) {
      is_sound = fread(&format, sizeof format, 1, stdin) == 1;
      part.size -= sizeof format;
    }
    skip(part.size + part.size % 2);
  }
  fputs("ear: not a 16-bit WAV file with one or two channels\n", stderr);
  exit(1);
}

int main(int argc, char **argv) {
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  if (argc >= 3 && strstr(argv[argc - 1], ".wav")) {
    read_shapes(argv[--argc]);
    is_matching = true;
  }
  if (argc == 3 && strcmp(argv[1], "capture") == 0) {
    capture(argv[2]);
  } else if (argc == 5 && strcmp(argv[1], "channels") == 0) {
    hear_channels(argv[2], (unsigned)atoi(argv[3]), atol(argv[4]));
  } else if (argc == 3 && strcmp(argv[1], "frames") == 0 && atoi(argv[2]) > 0) {
    frames_of_input((unsigned)atoi(argv[2]), channels);
  } else if (argc == 2 && strcmp(argv[1], "wav") == 0) {
    sound_of_input();
  } else {
    fputs("usage: ear capture PCM [SOUNDS.wav] | ear frames RATE [SOUNDS.wav] | ear wav [SOUNDS.wav] | ear channels PCM COUNT SECONDS\n", stderr);
    return 64;
  }
  return fflush(stdout) == 0 ? 0 : 1;
}
