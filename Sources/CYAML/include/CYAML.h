/// libyaml, for its parser of events.
#ifndef METRONOME_CYAML_H
#define METRONOME_CYAML_H

#include <yaml.h>

#endif
