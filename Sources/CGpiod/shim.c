#include "CGpiod.h"
