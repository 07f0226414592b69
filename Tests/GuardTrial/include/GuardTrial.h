/// The guard of `CGpiod` with outputs that detect use after free.
#ifndef METRONOME_GUARDTRIAL_H
#define METRONOME_GUARDTRIAL_H

/// In each round one thread adds and frees outputs, one after the other, until a second thread switches off all guarded
/// outputs, like a handler of a fatal signal. Returns how often the second thread wrote to outputs that the first had freed,
/// or -1 if a round left guarded outputs on.
int guard_trial(int rounds);

#endif
