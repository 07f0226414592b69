/// alsa-lib, and a wrapper for a function that Swift cannot import.
#ifndef METRONOME_CALSA_H
#define METRONOME_CALSA_H

#include <alsa/asoundlib.h>

/// Keeps alsa-lib from writing to standard error; its calls return error numbers anyway.
void calsa_silence_messages(void);

#endif
