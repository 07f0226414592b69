/// alsa-lib, and what Swift cannot import of it.
#ifndef METRONOME_CALSA_H
#define METRONOME_CALSA_H

#include <alsa/asoundlib.h>

/// Keeps alsa-lib from writing to standard error: what it has to say arrives as error numbers too, and a card that is not
/// there is no reason for six lines about its own configuration files.
void calsa_silence_messages(void);

#endif
