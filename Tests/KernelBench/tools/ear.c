// Listens to clicks, and says when each began: streaming, so that an hour of sound need not be kept.
//
//   ear capture PCM      frames from an ALSA capture PCM, until SIGTERM
//   ear frames RATE      frames from standard input, until its end
//
// 16 bits, two channels. Prints a line for each click:
//
//   click FRAME INSTANT CROSSINGS PEAK
//
// FRAME: its first frame, counted from the first one captured. INSTANT: when that was captured, in nanoseconds of
// CLOCK_MONOTONIC (0 for standard input, which knows no time). CROSSINGS: how often the wave changed its sign in the
// first 5 ms, which tells a high click from a low one. PEAK: its highest sample. Before them `started`; after them
// `frames COUNT`; and `overrun` if frames were lost, after which nothing here means anything.
//
// When a frame was captured: a card tells its position seldom more often than once a millisecond, so a position that is
// read is true of a moment before the reading, never of one after it. Each reading thus says "frame 0 was captured at
// this instant or earlier"; the earliest of the last few seconds' readings is the closest.

#include <alsa/asoundlib.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  channels = 2,
  capture_rate = 48000,
  period_frames = 2048,
  buffer_frames = 4 * period_frames,
  // Readings looked back upon: 64 periods are 2.7 s.
  readings = 64,
  // Of 32,768: far below the quietest click's first sample, far above what rounding leaves behind.
  threshold = 300,
};

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

// MARK: When

struct when {
  unsigned rate;
  int64_t start_ns[readings];
  unsigned count;
};

static int64_t nanoseconds_of_frames(int64_t frames, unsigned rate) {
  return frames / rate * 1000000000 + frames % rate * 1000000000 / rate;
}

static void observe(struct when *when, int64_t position, int64_t instant_ns) {
  when->start_ns[when->count++ % readings] = instant_ns - nanoseconds_of_frames(position, when->rate);
}

static int64_t instant_of_frame(const struct when *when, int64_t frame) {
  if (when->count == 0) return 0;
  unsigned known = when->count < readings ? when->count : readings;
  int64_t earliest = when->start_ns[0];
  for (unsigned i = 1; i < known; i++)
    if (when->start_ns[i] < earliest) earliest = when->start_ns[i];
  return earliest + nanoseconds_of_frames(frame, when->rate);
}

// MARK: What

struct ear {
  struct when when;
  int64_t frames;        // heard so far
  int64_t quiet;         // frames below the threshold, in a row
  int64_t first;         // the click's first frame; -1 while none is being measured
  int crossings, peak;
  bool was_negative;
};

static void finish_click(struct ear *ear) {
  if (ear->first < 0) return;
  printf("click %" PRId64 " %" PRId64 " %d %d\n", ear->first, instant_of_frame(&ear->when, ear->first), ear->crossings,
         ear->peak);
  ear->first = -1;
}

static void hear(struct ear *ear, int sample) {
  const int64_t silence = ear->when.rate / 200;  // 5 ms: longer than the crossings of any tone above 100 Hz
  const int64_t measured = ear->when.rate / 200;
  int level = sample < 0 ? -sample : sample;
  if (level >= threshold && ear->quiet >= silence) {
    finish_click(ear);
    ear->first = ear->frames;
    ear->crossings = ear->peak = 0;
    ear->was_negative = sample < 0;
  }
  ear->quiet = level >= threshold ? 0 : ear->quiet + 1;
  if (ear->first >= 0) {
    if (level > ear->peak) ear->peak = level;
    if (sample != 0 && (sample < 0) != ear->was_negative) {
      ear->crossings++;
      ear->was_negative = sample < 0;
    }
    if (ear->frames - ear->first + 1 >= measured) finish_click(ear);
  }
  ear->frames++;
}

static void hear_all(struct ear *ear, const int16_t *samples, int64_t frames) {
  for (int64_t i = 0; i < frames; i++) {
    int left = samples[channels * i], right = samples[channels * i + 1];
    hear(ear, abs(left) > abs(right) ? left : right);
  }
}

static void open_ear(struct ear *ear, unsigned rate) {
  memset(ear, 0, sizeof *ear);
  ear->when.rate = rate;
  ear->first = -1;
  ear->quiet = INT32_MAX;  // before the first frame all was quiet
}

// MARK: From where

static snd_pcm_t *open_capture(const char *name) {
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
  check(snd_pcm_hw_params_set_channels(pcm, hardware, channels), "channels");
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

static void capture(const char *name) {
  struct ear ear;
  open_ear(&ear, capture_rate);
  snd_pcm_t *pcm = open_capture(name);
  snd_pcm_status_t *status;
  snd_pcm_status_alloca(&status);
  static int16_t samples[channels * buffer_frames];
  check(snd_pcm_start(pcm), "start");
  puts("started");
  fflush(stdout);
  while (!ended) {
    int ready = snd_pcm_wait(pcm, 1000);
    if (ready == -EINTR) continue;
    if (ready == -EPIPE) {
      puts("overrun");
      break;
    }
    check(ready, "wait");
    check(snd_pcm_status(pcm, status), "status");
    snd_htimestamp_t at;
    snd_pcm_status_get_htstamp(status, &at);
    snd_pcm_sframes_t available = (snd_pcm_sframes_t)snd_pcm_status_get_avail(status);
    observe(&ear.when, ear.frames + available, at.tv_sec * INT64_C(1000000000) + at.tv_nsec);
    snd_pcm_sframes_t got = snd_pcm_readi(pcm, samples, available < buffer_frames ? available : buffer_frames);
    if (got == -EPIPE) {
      puts("overrun");
      break;
    }
    check((int)got, "read");
    hear_all(&ear, samples, got);
  }
  finish_click(&ear);
  printf("frames %" PRId64 "\n", ear.frames);
}

static void frames_of_input(unsigned rate) {
  struct ear ear;
  open_ear(&ear, rate);
  static int16_t samples[channels * 65536];
  size_t got;
  puts("started");
  while ((got = fread(samples, channels * sizeof *samples, 65536, stdin)) > 0) hear_all(&ear, samples, (int64_t)got);
  finish_click(&ear);
  printf("frames %" PRId64 "\n", ear.frames);
}

int main(int argc, char **argv) {
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  if (argc == 3 && strcmp(argv[1], "capture") == 0) {
    capture(argv[2]);
  } else if (argc == 3 && strcmp(argv[1], "frames") == 0 && atoi(argv[2]) > 0) {
    frames_of_input((unsigned)atoi(argv[2]));
  } else {
    fputs("usage: ear capture PCM | ear frames RATE\n", stderr);
    return 64;
  }
  return fflush(stdout) == 0 ? 0 : 1;
}
