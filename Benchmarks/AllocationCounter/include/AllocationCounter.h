/// Counts heap allocations and frees, and Swift's retains and releases, per thread.
///
/// In an executable that links this, and in all libraries that it loads, malloc, calloc, realloc, aligned allocations and free
/// replace those of the C library, and retain and release those of Swift. They count and forward. Only with glibc, whose
/// functions have second names; elsewhere nothing is counted.
#ifndef METRONOME_ALLOCATION_COUNTER_H
#define METRONOME_ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// The number of allocations by the calling thread since it started, including failed ones. Does not allocate.
uint64_t allocation_count(void);

/// The number of frees by the calling thread since it started.
uint64_t free_count(void);

/// Whether retains and releases are counted: only if Swift's runtime is a shared library, as it is by default.
bool counts_references(void);

/// The number of retains and releases by the calling thread since it started.
uint64_t reference_count(void);

#endif
