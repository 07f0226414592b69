/// Counts what is allocated on the heap and freed, and what Swift retains and releases, thread by thread.
///
/// An executable that links this has its own malloc, calloc, realloc, aligned allocations and free in place of the C
/// library's, and its own retain and release in place of Swift's, for itself and all libraries that it loads. They count,
/// and hand on. Only with glibc, whose own have second names; elsewhere nothing is counted.
#ifndef METRONOME_ALLOCATION_COUNTER_H
#define METRONOME_ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// How often the calling thread has allocated, or tried to, since it began. Allocates nothing.
uint64_t allocation_count(void);

/// How often the calling thread has freed something since it began.
uint64_t free_count(void);

/// Whether retains and releases are counted: where Swift's runtime is a library that is loaded, as it is by default.
bool counts_references(void);

/// How often the calling thread has retained or released an object since it began.
uint64_t reference_count(void);

#endif
