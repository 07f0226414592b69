/// libyaml, for its event parser.
#ifndef METRONOME_CYAML_H
#define METRONOME_CYAML_H

#include <yaml.h>

#endif
