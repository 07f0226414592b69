/// Counts what is allocated on the heap, thread by thread.
///
/// An executable that links this has its own malloc, calloc, realloc and aligned allocations in place of the C library's,
/// for itself and all libraries that it loads. They count, and hand on to the C library's. Only with glibc, whose own
/// have second names; elsewhere nothing is counted.
#ifndef METRONOME_ALLOCATION_COUNTER_H
#define METRONOME_ALLOCATION_COUNTER_H

#include <stdint.h>

/// How often the calling thread has allocated, or tried to, since it began. Allocates nothing.
uint64_t allocation_count(void);

#endif
