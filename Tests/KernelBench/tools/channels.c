// Records a card's end with many channels, and says what is on each.
//
//   channels PCM COUNT SECONDS    opens COUNT channels of 16 bits at 48,000 Hz; prints "started", and then for each channel, from 1, its
//                                 number, how many sounds began after 10 ms of silence, and its highest magnitude
//
// SIGTERM ends it early.

#include <alsa/asoundlib.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { rate = 48000, most = 32, silence = rate / 100 };

static volatile sig_atomic_t ended;

static void end(int signal) {
  (void)signal;
  ended = 1;
}

static void check(int result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "channels: %s: %s\n", what, snd_strerror(result));
  exit(1);
}

int main(int argc, char **argv) {
  unsigned count = argc == 4 ? (unsigned)atoi(argv[2]) : 0;
  if (count < 1 || count > most) {
    fputs("usage: channels PCM COUNT SECONDS\n", stderr);
    return 64;
  }
  struct sigaction action = {.sa_handler = end};
  sigaction(SIGTERM, &action, NULL);
  snd_pcm_t *pcm;
  check(snd_pcm_open(&pcm, argv[1], SND_PCM_STREAM_CAPTURE, 0), argv[1]);
  check(snd_pcm_set_params(pcm, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, count, rate, 0, 100000), "parameters");
  check(snd_pcm_start(pcm), "start");
  puts("started");
  fflush(stdout);
  static int16_t frame[most];
  int sounds[most] = {0}, peak[most] = {0};
  long quiet[most];
  for (unsigned channel = 0; channel < count; channel++) quiet[channel] = silence;
  for (long frames = atol(argv[3]) * rate; frames > 0 && !ended; frames--) {
    snd_pcm_sframes_t got = snd_pcm_readi(pcm, frame, 1);
    if (got == -EINTR) continue;
    check((int)got, "read");
    for (unsigned channel = 0; channel < count; channel++) {
      int magnitude = abs(frame[channel]);
      if (magnitude > peak[channel]) peak[channel] = magnitude;
      if (magnitude > 0 && quiet[channel] >= silence) sounds[channel]++;
      quiet[channel] = magnitude > 0 ? 0 : quiet[channel] + 1;
    }
  }
  for (unsigned channel = 0; channel < count; channel++)
    printf("%u %d %d\n", channel + 1, sounds[channel], peak[channel]);
  return 0;
}
